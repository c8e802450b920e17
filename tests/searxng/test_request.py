"""The words that are sent, and the form around them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llamachat.searxng.request import MAX_QUERY_CHARS, plain_query, search_form


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("latest stable linux kernel", "latest stable linux kernel"),
        ("!important css rule", "important css rule"),
        ("price of !g stock !!w", "price of g stock w"),
        ("!! lucky", "lucky"),
        (":de noun gender", "de noun gender"),
        ("<3 seconds", "3 seconds"),
        ("?wp tides", "wp tides"),
        ("a !:<?b", "a b"),
        ("what is a:b or 1<2 or x!y", "what is a:b or 1<2 or x!y"),
        ('"!g" site:example.org -tides', '"!g" site:example.org -tides'),
        ("line one\nline two\t\0 end", "line one line two end"),
        ("\u200b!g tides\u2028!w", "g tides w"),
        ("half \ud83d emoji", "half \ufffd emoji"),
        ("!!", ""),
        ("  \n ", ""),
        ("", ""),
    ],
)
def test_commands_become_words(query: str, sent: str) -> None:
    assert plain_query(query) == sent


@settings(deadline=None)
@given(st.text(st.sampled_from("!?:<ab \n\u200b\u3000")))
def test_no_word_is_a_command_and_asking_twice_changes_nothing(query: str) -> None:
    sent = plain_query(query)
    assert not any(word.startswith(("!", "?", ":", "<")) for word in sent.split())
    assert plain_query(sent) == sent


@pytest.mark.parametrize("query", ["word " * 400, "x" * 3000, "字" * 3000])
def test_a_long_query_is_cut(query: str) -> None:
    sent = plain_query(query)
    assert MAX_QUERY_CHARS / 2 < len(sent) <= MAX_QUERY_CHARS
    assert query.startswith(sent)


def test_the_form() -> None:
    assert search_form("tides", timeout_s=10, language="", categories="") == {
        "q": "tides",
        "format": "json",
        "locale": "en",
        "timeout_limit": "9",
    }


@pytest.mark.claim("AD-019")
def test_language_and_categories_are_passed_on_as_they_are() -> None:
    form = search_form("tides", timeout_s=1, language="pt-BR", categories="news,science")
    assert (form["language"], form["categories"], form["timeout_limit"]) == ("pt-BR", "news,science", "0.5")

"""What a person types in a history search is read as words and operators, and nothing in it is an error."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.query import OPERATORS, Query, parse_query
from llamachat.storage.tags import tag_chats
from tests.storage.stories import add_chat

NOW = datetime(2026, 3, 1, 15).timestamp()


def words(query: Query) -> tuple[list[str], list[str], list[str]]:
    """The folded text of the terms that must be there, must not, and must stand in the title."""
    groups = query.terms, query.without, query.title_terms
    wanted, without, titled = ([term.text for term in terms] for terms in groups)
    return wanted, without, titled


@pytest.mark.parametrize(
    ("text", "wanted", "without", "titled"),
    [
        ("bees -wasps", ["bees"], ["wasps"], []),
        ('"of the" -"in the" end', ["of the", "end"], ["in the"], []),
        ("KAB-417 well-known", ["kab 417", "well known"], [], []),
        ("bees - wasps", ["bees", "wasps"], [], []),
        ("grep --verbose", ["grep", "verbose"], [], []),
        ("foo(-bar)", ["foo", "bar"], [], []),
        ("title:Bees honey", ["honey"], [], ["bees"]),
        ('title:"About Bees" TITLE:x', [], [], ["about bees", "x"]),
        ("title: bees", ["title", "bees"], [], []),
        ('title:"" title:!!', ["title"], [], []),
        ("-title:bees", [], ["title bees"], []),
        ('"title:bees"', ["title bees"], [], []),
        ("x.title:bees (title:bees)", ["x title bees", "title bees"], [], []),
        ("role:king has:wings", ["role king", "has wings"], [], []),
        ("before:2026-13-01 after:soon", ["before 2026 13 01", "after soon"], [], []),
        ("before:0000 after:9999-99", ["before 0000", "after 9999 99"], [], []),
        ("http://a.example std::map note:this", ["http a example", "std map", "note this"], [], []),
        ('model:""', ["model"], [], []),
        ("-", [], [], []),
        ('-""', [], [], []),
    ],
)
def test_words_and_what_is_no_operator(text: str, wanted: list[str], without: list[str], titled: list[str]) -> None:
    query = parse_query(text, now=NOW)
    assert words(query) == (wanted, without, titled)
    assert not query.asks_of_messages
    assert (query.before, query.after) == (None, None)


def test_operators_with_a_choice_of_values() -> None:
    query = parse_query('model:Qwen Model:"big one" role:USER role:assistant has:code HAS:Search', now=NOW)
    assert query.models == ("qwen", '"big one"')
    assert query.roles == ("user", "assistant")
    assert query.has == {"code", "search"}
    assert words(query) == ([], [], [])


def test_tags_are_names_in_any_case() -> None:
    assert parse_query('tag:Work tag:"Two Words" tag:#x', now=NOW).tags == (("work",), ("two words",), ("x",))
    assert words(parse_query('tag:"" bees', now=NOW))[0] == ["tag", "bees"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("role:usr", ["“role:usr” is searched as words. Behind role: stands user or assistant."]),
        ("bees HAS:pictures role:user", ["“HAS:pictures” is searched as words. Behind has: stands code or search."]),
        (
            "before:yesterdy",
            [
                (
                    "“before:yesterdy” is searched as words. A date is written 2026-05-31, 2026-05 or 2026; today "
                    "and yesterday are understood too."
                )
            ],
        ),
        ("role:user has:code before:yesterday after:2026-01 tag:x model:y title:z", []),
        ('"role:usr" -role:usr http://x note:this role: title:!!', []),
    ],
)
def test_an_operator_that_is_taken_for_words_is_told(text: str, told: list[str]) -> None:
    assert list(parse_query(text, now=NOW).remarks) == told


@pytest.mark.parametrize(
    ("date", "begins"),
    [
        ("2026-05-31", datetime(2026, 5, 31)),
        ("2026-5-1", datetime(2026, 5, 1)),
        ("2026-05", datetime(2026, 5, 1)),
        ("2026", datetime(2026, 1, 1)),
        ("Today", datetime(2026, 3, 1)),
        ("yesterday", datetime(2026, 2, 28)),
    ],
)
def test_a_date_is_the_beginning_of_its_day_month_or_year(date: str, begins: datetime) -> None:
    assert parse_query(f"before:{date}", now=NOW).before == begins.timestamp()
    assert parse_query(f"bee after:{date}", now=NOW).after == begins.timestamp()


_PIECES = st.sampled_from(
    [*(f"{name}:" for name in OPERATORS), *'"-*:()\\\0', " ", "bee", "user", "code", "2026-02-30"]
)


@given(st.lists(st.one_of(_PIECES, st.text(max_size=5)), max_size=12).map("".join))
@settings(deadline=None, max_examples=150)
def test_no_input_is_an_error(text: str) -> None:
    with Database.in_memory() as db:
        assert search_history(db, text) == []
        chat, messages = add_chat(db, "which bees does the user of 2026 keep?", "code bee: ```x```", title="bee user")
        tag_chats(db, [chat.id], "bee")
        hits = search_history(db, text)
        assert {hit.message_id for hit in hits} <= {None, *(message.id for message in messages)}

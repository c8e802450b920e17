"""Queries: dates that nobody wrote, answers that are none, and messages as queries."""

from __future__ import annotations

import pytest

from llamachat.chat.aside import Aside
from llamachat.chat.query_writer import LONGEST_QUERY, QueryWriter, drop_invented_dates, raw_query
from llamachat.core.cancel import CancelToken
from tests.fakes.scripted_completer import ScriptedCompleter, says
from tests.fakes.still_clock import StillClock


@pytest.mark.claim("OP-021")
@pytest.mark.parametrize(
    ("query", "question", "kept"),
    [
        ("linux kernel release 2024-10-04", "What is the newest kernel?", "linux kernel release"),
        ("linux kernel 2024 release", "What is the newest kernel?", "linux kernel release"),
        ("tide husum 4.10.2024", "When is high tide in Husum?", "tide husum"),
        ("weather husum October 4, 2024", "Weather in Husum?", "weather husum"),
        ("Wetter Husum 4. Oktober 2024", "Wetter in Husum?", "Wetter Husum"),
        ("best picture 1998 winner", "What won best picture in 1998?", "best picture 1998 winner"),
        ("election october 2024", "The election of October 2024?", "election october 2024"),
        ("rfc 2119 must should", "What does RFC 2119 say?", "rfc 2119 must should"),
        ("python 3.12 release notes", "python 3.12?", "python 3.12 release notes"),
        ("boeing 747 8080 chip", "Which chip?", "boeing 747 8080 chip"),
        ("2024", "What year?", ""),
    ],
)
def test_dates_that_the_user_did_not_write_go(query: str, question: str, kept: str) -> None:
    assert drop_invented_dates(query, question) == kept


@pytest.mark.parametrize(
    ("answer", "query"),
    [
        ('{"query": "tide husum"}', "tide husum"),
        ("tide husum", "tide husum"),
        ('"tide husum"', "tide husum"),
        ('{"query": ["tide"]}', "When is high tide?"),
        ('{"other": 1}', "When is high tide?"),
        ('{"query": "2023"}', "When is high tide?"),
        ("", "When is high tide?"),
        ("Sure! Here is\nthe query", "When is high tide?"),
        ("[" * 50_000, "When is high tide?"),
    ],
)
def test_what_the_model_writes_is_read_whatever_its_form(answer: str, query: str) -> None:
    writer = QueryWriter(Aside(ScriptedCompleter(says(answer))), StillClock())
    assert writer.written("When is high tide?", CancelToken()) == query


def test_a_long_message_is_cut_and_stands_on_one_line() -> None:
    query = raw_query("When\nis \ud83d high tide? " * 200)
    assert query.startswith("When is \ufffd high tide? When")
    assert len(query) <= LONGEST_QUERY

"""What a turn adds to what the loop says: a word about older search results where the context is full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import ServerCause
from llamachat.recorder import start_turn
from llamachat.storage.database import Database
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import ScriptedCompleter, Step, calls, refusal, says
from tests.fakes.scripted_search import ScriptedSearch
from tests.recorder_parts import SEND, finish_of, row

FULL: list[Step] = [refusal(ServerCause.CONTEXT_FULL)]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(tmp_path / "history.db") as database:
        yield database


def next_step(db: Database, first: list[list[Step]], last: list[Step], *, keep: int = 0) -> str:
    """What is advised at the end of a second turn, whose words are stored too."""
    parts = TurnParts(ScriptedCompleter(*first, last), search=ScriptedSearch(), search_keep_turns=keep)
    requests = (SEND, TurnRequest("send", conversation_id=1, text="And then?"))
    for request in requests:
        turn = start_turn(db, request, prepare=lambda: replace(parts), cancel=CancelToken())
        finish = finish_of(list(turn.events()))
    assert finish.next_step in row(db.path, turn.answer.id).error
    return finish.next_step


def test_where_older_results_fill_the_context_the_setting_is_named(db: Database) -> None:
    searched = [calls({"query": "tide"}), says("Noon [1].")]
    assert next_step(db, searched, FULL) == (
        "Do something else. Search results of older turns take room too: "
        "search_keep_turns = 1 in config.toml shortens them."
    )


@pytest.mark.parametrize(
    ("first", "last", "keep"),
    [
        ([says("Noon.")], FULL, 0),
        ([calls({"query": "nothing"}), says("Noon.")], FULL, 0),
        ([calls({"query": "tide"}), says("Noon [1].")], FULL, 2),
        ([calls({"query": "tide"}), says("Noon [1].")], [refusal(ServerCause.SERVER_FAULT)], 0),
    ],
    ids=["no search", "nothing found", "set already", "another fault"],
)
def test_elsewhere_it_is_not(db: Database, first: list[list[Step]], last: list[Step], keep: int) -> None:
    assert next_step(db, first, last, keep=keep) == "Do something else."

"""What a turn adds to what the loop says: where older search results fill the context; and dropping them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import ServerCause
from llamachat.core.events import Finish, FinishReason
from llamachat.recorder import start_turn
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
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


def cause_of(db: Database, first: list[list[Step]], last: list[Step], *, keep: int = 0) -> str:
    """What is said to be the cause at the end of a second turn, as it is stored too."""
    parts = TurnParts(ScriptedCompleter(*first, last), search=ScriptedSearch(), search_keep_turns=keep)
    requests = (SEND, TurnRequest("send", conversation_id=1, text="And then?"))
    for request in requests:
        turn = start_turn(db, request, prepare=lambda: replace(parts), cancel=CancelToken())
        finish = finish_of(list(turn.events()))
    assert row(db.path, turn.answer.id).finish_reason == finish.cause
    return finish.cause


SEARCHED = [calls({"query": "tide"}), says("Noon [1].")]


@pytest.mark.parametrize("keep", [0, 2])
def test_where_older_results_fill_the_context_that_is_told(db: Database, keep: int) -> None:
    assert cause_of(db, SEARCHED, FULL, keep=keep) == ServerCause.CONTEXT_FULL_OF_RESULTS


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ([says("Noon.")], FULL),
        ([calls({"query": "nothing"}), says("Noon.")], FULL),
        (SEARCHED, [refusal(ServerCause.SERVER_FAULT)]),
    ],
    ids=["no search", "nothing found", "another fault"],
)
def test_elsewhere_it_is_not(db: Database, first: list[list[Step]], last: list[Step]) -> None:
    assert cause_of(db, first, last) in (ServerCause.CONTEXT_FULL, ServerCause.SERVER_FAULT)


def test_old_results_are_dropped_once_and_every_later_prompt_is_made_alike(db: Database) -> None:
    assert cause_of(db, SEARCHED, FULL) == ServerCause.CONTEXT_FULL_OF_RESULTS
    completer = ScriptedCompleter(FULL, says("At six."), says("Yes."))
    parts = TurnParts(completer, search=ScriptedSearch())
    failed = load_branch(db, 1)[-1]

    def run(request: TurnRequest) -> Finish:
        turn = start_turn(db, request, prepare=lambda: parts, cancel=CancelToken())
        return finish_of(list(turn.events()))

    again = run(TurnRequest("continue", conversation_id=1, message_id=failed.id, drop_results=True))
    assert again.cause == ServerCause.CONTEXT_FULL, "there is nothing left to drop"
    assert run(TurnRequest("continue", conversation_id=1)).reason is FinishReason.STOP
    assert run(TurnRequest("send", conversation_id=1, text="Really?")).reason is FinishReason.STOP
    dropped, tried, later = (request.messages for request in completer.requests)
    assert dropped == tried == later[: len(tried)]
    found = next(str(message["content"]) for message in dropped if message["role"] == "tool")
    assert "http://" in found
    assert "content" not in found
    whole = load_branch(db, 1)[1].wire
    assert any("content" in str(message["content"]) for message in whole), "what was found stays in the store"

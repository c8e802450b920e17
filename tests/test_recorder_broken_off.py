"""Recorded turns that break off with the program: what is offered at the next start, and until when."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import ContentDelta
from llamachat.core.events import Kind
from llamachat.core.messages import Status
from llamachat.storage.broken_off import list_broken_off, mark_broken_off
from llamachat.storage.database import Database
from llamachat.storage.messages import reveal_message
from llamachat.turn_rows import Action, TurnRequest
from tests.fakes.scripted_completer import says
from tests.recorder_parts import SEND, begin, row

RETRY = TurnRequest("retry", conversation_id=1)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(tmp_path / "history.db") as database:
        yield database


def run_into_the_end(db: Database, request: TurnRequest, *, program_ends: bool = True) -> int:
    """Run a turn until something has come, and have it stop; gives the answer's id."""
    cancel = CancelToken()
    turn = begin(db, request, [ContentDelta("A lo"), ContentDelta("ng one.")], cancel=cancel)
    for event in turn.events():
        if event.kind is Kind.CONTENT:
            cancel.cancel(program_ends=program_ends)
    return turn.answer.id


def offered(db: Database) -> list[int]:
    return [answer.message_id for answer in list_broken_off(db)]


def test_the_end_of_the_program_is_no_stop_and_its_answer_is_offered(db: Database) -> None:
    number = run_into_the_end(db, SEND)
    stored = row(db.path, number)
    assert (stored.content, stored.status, stored.finish_reason, stored.error) == ("A lo", Status.INTERRUPTED, "", "")
    mark_broken_off(db)  # at the next start
    assert offered(db) == [number]


def test_what_a_person_has_stopped_is_not_offered_also_where_the_program_ends_then(db: Database) -> None:
    cancel = CancelToken()
    cancel.cancel()
    cancel.cancel(program_ends=True)
    turn = begin(db, SEND, says("One."), cancel=cancel)
    list(turn.events())
    assert run_into_the_end(db, SEND, program_ends=False)
    assert (turn.stored_answer().status, offered(db)) == (Status.STOPPED, [])


@pytest.mark.parametrize("action", ["send", "edit", "retry", "continue"])
def test_a_chat_that_goes_on_is_not_asked_about_again(db: Database, action: Action) -> None:
    other = run_into_the_end(db, SEND)
    number = run_into_the_end(db, SEND)
    question = row(db.path, number).parent_id
    request = TurnRequest(action, conversation_id=2, text="And?", message_id=question if action == "edit" else None)
    list(begin(db, request, says("Whole.")).events())
    assert offered(db) == [other]
    reveal_message(db, number)  # also not when the one that broke off is looked at again
    assert offered(db) == [other]


def test_another_version_that_breaks_off_is_offered_in_its_place(db: Database) -> None:
    run_into_the_end(db, SEND)
    again = run_into_the_end(db, RETRY)
    assert offered(db) == [again]


def test_one_that_goes_on_and_breaks_off_once_more_is_offered_again(db: Database) -> None:
    number = run_into_the_end(db, SEND)
    assert run_into_the_end(db, TurnRequest("continue", conversation_id=1)) == number
    assert offered(db) == [number]
    assert row(db.path, number).content == "A loA lo"

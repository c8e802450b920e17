"""Recorded turns: how they end, and answers that are made anew or go on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from llamachat.chat.prompt import UNANSWERED
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import ContentDelta, ReasoningDelta, UsageDelta
from llamachat.core.errors import ServerCause, StorageError
from llamachat.core.events import FinishReason, Kind
from llamachat.core.messages import Status, Usage
from llamachat.recorder import start_turn
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import get_message, load_branch
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import ScriptedCompleter, Step, calls, refusal, says
from tests.fakes.scripted_search import ScriptedSearch
from tests.recorder_parts import SEND, begin, finish_of, row, shown

RETRY = TurnRequest("retry", conversation_id=1)
CONTINUE = TurnRequest("continue", conversation_id=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database lies."""
    return tmp_path / "history.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(path) as database:
        yield database


@pytest.mark.parametrize(
    ("script", "status", "reason"),
    [
        (says("Noon."), Status.COMPLETE, "stop"),
        (says("Noon", finish="length"), Status.COMPLETE, "length"),
        ([ContentDelta("No"), refusal(ServerCause.CUT_OFF)], Status.INTERRUPTED, "cut_off"),
        ([ReasoningDelta("Hm"), refusal(ServerCause.SERVER_FAULT)], Status.INTERRUPTED, "server_fault"),
        ([refusal(ServerCause.UNREACHABLE)], Status.FAILED, "unreachable"),
        ([refusal(ServerCause.CONTEXT_FULL)], Status.FAILED, "context_full"),
        (says(""), Status.FAILED, "empty"),
        (says("", thinking="Hm"), Status.INTERRUPTED, "empty"),
    ],
)
def test_how_a_turn_ended_is_stored(
    db: Database, path: Path, script: list[Step], status: Status, reason: str
) -> None:
    turn = begin(db, SEND, script)
    events = list(turn.events())
    stored = row(path, turn.answer.id)
    assert (stored.status, stored.finish_reason) == (status, reason)
    finish = finish_of(events)
    assert stored.error.split("\n") == [finish.error, finish.next_step][: 2 if finish.next_step else 1]
    assert bool(stored.error) == (reason != "stop")
    assert stored.content == shown(events, Kind.CONTENT)


def test_an_error_behind_a_search_leaves_an_answer_that_can_go_on(db: Database) -> None:
    away = [refusal(ServerCause.UNREACHABLE)]
    list(begin(db, SEND, calls({"query": "tide"}), away, search=ScriptedSearch()).events())
    answer = load_branch(db, 1)[-1]
    assert (answer.content, answer.status) == ("", Status.INTERRUPTED)
    search = ScriptedSearch()
    turn = begin(db, CONTINUE, calls({"query": "tide"}, {"query": "ebb"}), says("Noon."), search=search)
    list(turn.events())
    assert search.queries == ["ebb"]
    assert [record.first_number for record in turn.stored_answer().searches] == [1, 1, 3]


def test_closing_a_turn_stops_it(db: Database, path: Path) -> None:
    ended: list[bool] = []
    turn = begin(db, SEND, says("A long answer."), on_end=lambda: ended.append(True))
    events = turn.events()
    assert next(event for event in events if event.kind is Kind.CONTENT).data == "A l"
    events.close()
    stored = row(path, turn.answer.id)
    assert (stored.content, stored.status, stored.error) == ("A l", Status.STOPPED, "")
    assert ended == [True]


def test_closing_a_turn_after_its_end_changes_nothing(db: Database, path: Path) -> None:
    turn = begin(db, SEND, says("Noon."))
    events = turn.events()
    assert next(event for event in events if event.kind is Kind.FINISH)
    events.close()
    assert row(path, turn.answer.id).status is Status.COMPLETE


def test_stop_keeps_what_came(db: Database, path: Path) -> None:
    cancel = CancelToken()
    turn = begin(db, SEND, [ContentDelta("A lo"), cancel], cancel=cancel)
    assert finish_of(list(turn.events())).reason is FinishReason.STOPPED
    stored = row(path, turn.answer.id)
    assert (stored.content, stored.status) == ("A lo", Status.STOPPED)


def test_a_fault_of_the_program_leaves_an_interrupted_answer(db: Database, path: Path) -> None:
    ended: list[bool] = []
    script: list[Step] = [ContentDelta("A lo"), ZeroDivisionError()]
    turn = begin(db, SEND, script, on_end=lambda: ended.append(True))
    with pytest.raises(ZeroDivisionError):
        list(turn.events())
    stored = row(path, turn.answer.id)
    assert (stored.content, stored.status) == ("A lo", Status.INTERRUPTED)
    assert stored.error
    assert ended == [True]


def test_what_cannot_be_written_is_told_once_and_the_turn_goes_on(db: Database, path: Path) -> None:
    def lose_the_row() -> None:
        with Database.open(path) as other:
            other.write("DELETE FROM messages WHERE id = ?", (turn.answer.id,))

    first = [ContentDelta("One moment."), lose_the_row, *calls({"query": "tide"})]
    turn = begin(db, SEND, first, says("Noon."), search=ScriptedSearch())
    events = list(turn.events())
    assert [event.kind for event in events].count(Kind.NOTICE) == 1
    assert finish_of(events).reason is FinishReason.STOP
    db.unsaved.save(db)
    assert len(db.unsaved) == 0  # there is no row to write into
    assert turn.stored_answer().content == shown(events, Kind.CONTENT) == "One moment.\n\nNoon."


def test_an_end_that_cannot_be_written_is_kept_and_read_as_if_it_were_stored(db: Database, path: Path) -> None:
    with Database.open(path) as other:

        def lock() -> None:
            other.connection.execute("BEGIN IMMEDIATE")

        turn = begin(db, SEND, [lock, *says("Noon.")])
        assert finish_of(list(turn.events())).reason is FinishReason.STOP
        assert row(path, turn.answer.id).status is Status.STREAMING
        assert load_branch(db, 1)[-1] == get_message(db, turn.answer.id) == turn.stored_answer()
        assert turn.stored_answer().status is Status.COMPLETE
        db.connection.execute("PRAGMA busy_timeout = 0")
        with pytest.raises(StorageError, match="writing to the history"):
            db.unsaved.save(db)
        other.connection.execute("ROLLBACK")
    db.unsaved.save(db)
    assert len(db.unsaved) == 0
    assert row(path, turn.answer.id) == turn.stored_answer()


def test_the_next_turn_writes_first_what_was_kept_and_is_refused_where_it_cannot(db: Database, path: Path) -> None:
    def fill_the_disk() -> None:
        pages = db.row("PRAGMA page_count")
        assert pages
        db.connection.execute(f"PRAGMA max_page_count = {pages[0]}")

    long = "word " * 20_000
    turn = begin(db, SEND, [fill_the_disk, *says(long)])
    list(turn.events())
    assert len(db.unsaved) == 1
    with pytest.raises(StorageError, match="full"):
        begin(db, CONTINUE, says("More."))
    assert turn.stored_answer().content == long
    db.connection.execute("PRAGMA max_page_count = 1073741823")
    completer = ScriptedCompleter(says("Fine."))
    request = TurnRequest("send", conversation_id=1, text="And?")
    list(start_turn(db, request, prepare=lambda: TurnParts(completer), cancel=CancelToken()).events())
    assert completer.requests[0].messages[2] == {"role": "assistant", "content": long}
    assert row(path, turn.answer.id).content == long


def test_retry_makes_another_answer_to_the_same_question(db: Database) -> None:
    failed = begin(db, SEND, [refusal(ServerCause.UNREACHABLE)])
    list(failed.events())
    completer = ScriptedCompleter(says("Noon."))
    turn = start_turn(db, RETRY, prepare=lambda: TurnParts(completer), cancel=CancelToken())
    list(turn.events())
    assert turn.user is None
    assert turn.answer.parent_id == failed.answer.parent_id
    assert [message.content for message in load_branch(db, 1)] == [SEND.text, "Noon."]
    assert [message["role"] for message in completer.requests[0].messages] == ["system", "user"]
    assert get_message(db, failed.answer.id) is not None


def test_retry_of_an_earlier_answer_leaves_out_what_followed(db: Database) -> None:
    first = begin(db, SEND, says("One."))
    list(first.events())
    list(begin(db, TurnRequest("send", conversation_id=1, text="And?"), says("Two.")).events())
    list(begin(db, TurnRequest("retry", conversation_id=1, message_id=first.answer.id), says("Three.")).events())
    assert [message.content for message in load_branch(db, 1)] == [SEND.text, "Three."]


def test_sending_after_a_failure_keeps_both_questions(db: Database) -> None:
    list(begin(db, SEND, [refusal(ServerCause.UNREACHABLE)]).events())
    completer = ScriptedCompleter(says("Noon."))
    request = TurnRequest("send", conversation_id=1, text="Hello?")
    list(start_turn(db, request, prepare=lambda: TurnParts(completer), cancel=CancelToken()).events())
    contents = [message["content"] for message in completer.requests[0].messages]
    assert contents == ["Be brief.", SEND.text, UNANSWERED, "Hello?"]


def test_continue_goes_on_in_the_same_row(db: Database, path: Path) -> None:
    cut: list[Step] = [*says("One moment.")[:-1], *calls({"query": "tide"})]
    rest: list[Step] = [
        ContentDelta("The first"),
        UsageDelta(Usage(completion_tokens=2)),
        refusal(ServerCause.CUT_OFF),
    ]
    begun = begin(db, SEND, cut, rest, search=ScriptedSearch())
    list(begun.events())
    completer = ScriptedCompleter([*says(" half."), UsageDelta(Usage(completion_tokens=3))])
    turn = start_turn(
        db, CONTINUE, prepare=lambda: TurnParts(completer, search=ScriptedSearch()), cancel=CancelToken()
    )
    assert (turn.answer.id, turn.user) == (begun.answer.id, None)
    assert row(path, turn.answer.id).status is Status.STREAMING
    list(turn.events())
    stored = row(path, turn.answer.id)
    assert stored.content == "One moment.\n\nThe first half."
    assert (stored.status, stored.error) == (Status.COMPLETE, "")
    assert stored.usage == Usage(completion_tokens=5)
    assert [record.query for record in stored.searches] == ["tide"]
    assert stored.wire == (*begun.stored_answer().wire, {"role": "assistant", "content": "The first half."})
    assert completer.requests[0].messages[-1] == {"role": "assistant", "content": "The first"}
    assert stored == turn.stored_answer()


def test_continue_of_an_answer_cut_by_the_token_limit(db: Database) -> None:
    list(begin(db, SEND, says("The first", finish="length")).events())
    turn = begin(db, CONTINUE, says(" half."))
    list(turn.events())
    assert turn.stored_answer().content == "The first half."
    assert turn.stored_answer().wire == ({"role": "assistant", "content": "The first half."},)


@pytest.mark.parametrize(
    "script",
    [says("", thinking="Hm"), says(" \n", thinking="Hm"), [ReasoningDelta("Hm"), refusal(ServerCause.CUT_OFF)]],
)
def test_continue_of_an_answer_without_text_asks_again(db: Database, script: list[Step]) -> None:
    list(begin(db, SEND, script).events())
    completer = ScriptedCompleter(says("Noon.", thinking="Well."))
    turn = start_turn(db, CONTINUE, prepare=lambda: TurnParts(completer), cancel=CancelToken())
    list(turn.events())
    assert completer.requests[0].messages[-1]["role"] == "user"
    assert (turn.stored_answer().content.strip(), turn.stored_answer().reasoning) == ("Noon.", "Hm\n\nWell.")


def test_a_continued_answer_that_is_killed_keeps_its_text(db: Database, path: Path) -> None:
    list(begin(db, SEND, says("The first", finish="length")).events())
    turn = begin(db, CONTINUE, [ContentDelta(" half"), refusal(ServerCause.CUT_OFF)])
    list(turn.events())
    assert row(path, turn.answer.id).content == "The first half"
    completer = ScriptedCompleter(says("Noon."))
    request = TurnRequest("send", conversation_id=1, text="And?")
    list(start_turn(db, request, prepare=lambda: TurnParts(completer), cancel=CancelToken()).events())
    assert completer.requests[0].messages[2] == {"role": "assistant", "content": "The first half"}


@pytest.mark.parametrize(
    ("action", "message_id"), [("retry", 99), ("continue", 99), ("continue", 1)], ids=["none", "none", "a question"]
)
def test_there_must_be_an_answer_to_work_on(
    db: Database, action: Literal["retry", "continue"], message_id: int
) -> None:
    list(begin(db, SEND, says("Noon.")).events())
    with pytest.raises(StorageError):
        begin(db, TurnRequest(action, 1, message_id=message_id, model="other"), says("x"))
    conversation = get_conversation(db, 1)
    assert conversation is not None
    assert conversation.model == SEND.model


def test_the_answer_of_another_conversation_is_not_touched(db: Database) -> None:
    list(begin(db, SEND, says("Noon.")).events())
    list(begin(db, SEND, says("Six.")).events())
    with pytest.raises(StorageError):
        begin(db, TurnRequest("continue", 1, message_id=4), says("x"))


def test_the_end_is_called_once_whatever_happened(db: Database) -> None:
    ended: list[int] = []
    list(begin(db, SEND, says("Noon."), on_end=lambda: ended.append(1)).events())
    list(begin(db, RETRY, [refusal(ServerCause.UNREACHABLE)], on_end=lambda: ended.append(2)).events())
    assert ended == [1, 2]

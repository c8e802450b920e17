"""Answers to one question that were made from different results: each goes on from what it was made from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import ContentDelta
from llamachat.core.conversation import SearchMode
from llamachat.core.events import FinishReason
from llamachat.core.messages import Status, StoredMessage, WireMessage
from llamachat.edited_answer import edit_answer
from llamachat.storage.database import Database
from llamachat.storage.forks import fork_chat
from llamachat.storage.messages import load_branch, reveal_message
from llamachat.storage.versions import delete_message
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import Choice, says
from tests.test_recorder_router import SEND, YES, sent, take_turn

TODAY: list[Choice] = [says("yes"), says('{"query": "tide today"}')]
AGAIN = TurnRequest("retry", 1, fresh=True)
THANKS = TurnRequest("send", 1, "Thanks!")


@pytest.fixture
def db() -> Iterator[Database]:
    """An empty database."""
    with Database.in_memory() as database:
        yield database


def goes_on_from(db: Database, answer: StoredMessage, request: TurnRequest = THANKS) -> tuple[WireMessage, ...]:
    """What a next question below an answer begins with."""
    reveal_message(db, answer.id)
    completer, _ = take_turn(db, request, says("Yes."), asides=[says("no")])
    return sent(completer)[:-2]


def last(db: Database) -> StoredMessage:
    """The answer that is shown."""
    return load_branch(db, 1)[-1]


def question(db: Database) -> StoredMessage:
    """The question above it."""
    return load_branch(db, 1)[-2]


def test_search_again_leaves_what_the_older_answer_was_made_from(db: Database) -> None:
    first, _ = take_turn(db, SEND, says("At noon [1]."), asides=YES)
    older = last(db)
    kept = question(db).wire
    again, _ = take_turn(db, AGAIN, says("At six [1]."), asides=TODAY)
    newer = last(db)
    assert sent(again) != sent(first)
    assert "tide today" in str(sent(again))
    assert question(db).wire == kept
    assert goes_on_from(db, older) == sent(first)
    assert goes_on_from(db, newer) == sent(again)


def test_another_answer_beside_either_has_the_results_of_that_one(db: Database) -> None:
    first, _ = take_turn(db, SEND, says("At noon [1]."), asides=YES)
    older = last(db)
    again, _ = take_turn(db, AGAIN, says("At six [1]."), asides=TODAY)
    newer = last(db)
    for answer, prompt, query in ((older, first, "tide husum"), (newer, again, "tide today")):
        retried, aside = take_turn(db, TurnRequest("retry", 1, message_id=answer.id), says("So."), asides=[])
        assert sent(retried) == sent(prompt)
        assert aside.requests == []
        assert [record.query for record in last(db).searches] == [query]
        assert goes_on_from(db, last(db)) == sent(prompt)


def test_where_nothing_is_searched_for_this_time_the_question_is_as_it_was_typed(db: Database) -> None:
    take_turn(db, SEND, says("At noon [1]."), asides=YES)
    again, _ = take_turn(db, AGAIN, says("I do not know."), asides=[says("no")])
    assert sent(again) == ({"role": "user", "content": SEND.text},)
    assert goes_on_from(db, last(db)) == sent(again)


def test_an_answer_made_without_results_does_not_get_those_of_a_later_one(db: Database) -> None:
    """The router, or a chat that searches always by now, finds something for a question that was answered without."""
    first, _ = take_turn(db, SEND, says("I do not know."), asides=[says("no")])
    older = last(db)
    always = TurnRequest("retry", 1, search_mode=SearchMode.ALWAYS)
    again, _ = take_turn(db, always, says("At noon [1]."), asides=[says("tide husum")])
    newer = last(db)
    assert "<web_search_results>" in str(sent(again))
    assert goes_on_from(db, older) == sent(first)
    assert goes_on_from(db, newer) == sent(again)


def test_once_the_newer_answer_is_deleted_the_question_is_answered_from_its_results(db: Database) -> None:
    take_turn(db, SEND, says("At noon [1]."), asides=YES)
    older = last(db)
    again, _ = take_turn(db, AGAIN, says("At six [1]."), asides=TODAY)
    asked = question(db)
    for answer in (last(db), older):
        delete_message(db, answer.id)
    retried, _ = take_turn(db, TurnRequest("retry", 1, message_id=asked.id), says("So."), asides=[])
    assert sent(retried) == sent(again)


def test_it_can_be_continued_edited_and_forked(db: Database) -> None:
    take_turn(db, SEND, says("At noon [1]."), asides=YES)
    again, _ = take_turn(db, AGAIN, [ContentDelta("At "), CancelToken()], asides=TODAY)
    stopped = last(db)
    assert (stopped.status, stopped.finish_reason) == (Status.STOPPED, FinishReason.STOPPED)
    continued, _ = take_turn(db, TurnRequest("continue", 1), says("six [1]."), asides=[])
    assert sent(continued)[:-1] == sent(again)
    assert sent(continued)[-1]["content"] == stopped.content
    assert goes_on_from(db, last(db)) == sent(again)
    edited = edit_answer(db, stopped.id, "At seven [1].")
    assert goes_on_from(db, edited) == sent(again)
    fork = fork_chat(db, edited.id)
    copied = load_branch(db, fork.id)[-1]
    assert goes_on_from(db, copied, TurnRequest("send", fork.id, "Thanks!")) == sent(again)


def test_an_answer_of_which_nothing_came_has_failed(db: Database) -> None:
    take_turn(db, SEND, says("At noon [1]."), asides=YES)
    take_turn(db, AGAIN, [], asides=TODAY)
    assert last(db).status is Status.FAILED
    assert last(db).rounds == ()

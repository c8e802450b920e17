"""An answer that a person changes: another version of it, and what the next request sends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import ContentDelta, ReasoningDelta
from llamachat.core.errors import StorageError
from llamachat.core.messages import Status, WireMessage
from llamachat.edited_answer import edit_answer, editable_text
from llamachat.recorder import start_turn
from llamachat.storage.database import Database
from llamachat.storage.messages import get_message, load_branch, reveal_message, update_message
from llamachat.storage.versions import load_versions
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import ScriptedCompleter, calls, says
from tests.fakes.scripted_search import ScriptedSearch
from tests.recorder_parts import SEND, begin

NEXT = TurnRequest("send", conversation_id=1, text="And?")
CONTINUE = TurnRequest("continue", conversation_id=1)


@pytest.fixture
def db() -> Iterator[Database]:
    """An empty database."""
    with Database.in_memory() as database:
        yield database


def asked(db: Database, request: TurnRequest) -> ScriptedCompleter:
    """What a turn asks of the model."""
    completer = ScriptedCompleter(says("Yes."))
    parts = TurnParts(completer, search=ScriptedSearch(), keeps_reasoning=True)
    list(start_turn(db, request, prepare=lambda: parts, cancel=CancelToken()).events())
    return completer


def test_an_edited_answer_stands_beside_the_first_one_and_is_the_one_that_is_sent(db: Database) -> None:
    list(begin(db, SEND, says("One.", thinking="Hm.")).events())
    (question, first) = load_branch(db, 1)
    edited = edit_answer(db, first.id, "Two.")
    assert [message.content for message in load_branch(db, 1)] == [SEND.text, "Two."]
    assert (edited.edited, edited.model, edited.reasoning, edited.status) == (True, "qwen", "Hm.", Status.COMPLETE)
    assert get_message(db, first.id) == first
    assert load_versions(db, 1) == dict.fromkeys((first.id, edited.id), (first.id, edited.id))
    messages = asked(db, NEXT).requests[0].messages
    assert messages[1:3] == (
        {"role": "user", "content": question.content},
        {"role": "assistant", "content": "Two.", "reasoning_content": "Hm."},
    )


def test_what_follows_the_first_version_stays_with_it(db: Database) -> None:
    list(begin(db, SEND, says("One.")).events())
    list(begin(db, NEXT, says("Later.")).events())
    first = load_branch(db, 1)[1]
    edit_answer(db, first.id, "Two.")
    assert [message.content for message in load_branch(db, 1)] == [SEND.text, "Two."]
    reveal_message(db, first.id)
    assert [message.content for message in load_branch(db, 1)] == [SEND.text, "One.", "And?", "Later."]


def test_searches_of_the_answer_are_sent_byte_for_byte_as_before(db: Database) -> None:
    script = [ReasoningDelta("Look."), ContentDelta("Let me look."), *calls({"query": "tide"})]
    list(begin(db, SEND, script, says("Noon [1].", thinking="Ah."), search=ScriptedSearch()).events())
    answer = load_branch(db, 1)[-1]
    before = asked(db, NEXT).requests[0].messages
    assert editable_text(answer) == "Noon [1]."
    edited = edit_answer(db, answer.id, "Six [1].")
    assert edited.content == "Let me look.\n\nSix [1]."
    assert edited.searches == answer.searches
    after = asked(db, NEXT).requests[0].messages
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [(old["content"], new["content"]) for old, new in changed] == [("Noon [1].", "Six [1].")]
    assert [new["reasoning_content"] for _, new in changed] == ["Ah."]


def test_an_answer_without_a_record_of_what_was_sent_can_be_edited(db: Database) -> None:
    list(begin(db, SEND, says("One.")).events())
    answer = load_branch(db, 1)[-1]
    update_message(db, answer.id, wire=(), reasoning="Hm.")
    edit_answer(db, answer.id, "Two.\ud800")
    assert asked(db, NEXT).requests[0].messages[2] == {
        "role": "assistant",
        "content": "Two.\ufffd",
        "reasoning_content": "Hm.",
    }


def test_an_edited_answer_is_continued_and_stays_marked(db: Database) -> None:
    list(begin(db, SEND, says("The wrong half", finish="length")).events())
    edited = edit_answer(db, load_branch(db, 1)[-1].id, "The right half")
    completer = asked(db, CONTINUE)
    assert completer.requests[0].messages[-1] == {"role": "assistant", "content": "The right half"}
    last = load_branch(db, 1)[-1]
    assert (last.id, last.content, last.edited) == (edited.id, "The right halfYes.", True)


def test_an_answer_that_is_being_written_is_not_edited(db: Database) -> None:
    turn = begin(db, SEND, says("One."))
    for number in (turn.answer.id, turn.user.id if turn.user else 0, 99):
        with pytest.raises(StorageError, match="no longer be changed"):
            edit_answer(db, number, "Two.")


def test_an_edited_answer_keeps_the_question_that_the_first_one_was_given_to(db: Database) -> None:
    list(begin(db, SEND, says("One.")).events())
    answer = load_branch(db, 1)[-1]
    asked_then: WireMessage = {"role": "user", "content": "With other results."}
    update_message(db, answer.id, wire=(asked_then, *answer.wire))
    edit_answer(db, answer.id, "Two.")
    assert asked(db, NEXT).requests[0].messages[1:3] == (asked_then, {"role": "assistant", "content": "Two."})

"""Recorded turns that make another version of a question."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import StorageError
from llamachat.core.search_record import SearchRecord
from llamachat.recorder import start_turn
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.forks import fork_chat
from llamachat.storage.messages import get_message, load_branch, update_message
from llamachat.storage.versions import delete_message
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import Action, TurnRequest
from tests.fakes.scripted_completer import ScriptedCompleter, says
from tests.recorder_parts import SEND, begin


@pytest.fixture
def db() -> Iterator[Database]:
    """An empty database."""
    with Database.in_memory() as database:
        yield database


def test_an_edited_question_stands_beside_the_first_one(db: Database) -> None:
    first = begin(db, SEND, says("One."))
    list(first.events())
    second = begin(db, TurnRequest("send", conversation_id=1, text="And?"), says("Two."))
    list(second.events())
    completer = ScriptedCompleter(says("Three."))
    assert second.user
    request = TurnRequest("edit", conversation_id=1, text="Or?", message_id=second.user.id)
    turn = start_turn(db, request, prepare=lambda: TurnParts(completer), cancel=CancelToken())
    list(turn.events())
    assert turn.user
    assert turn.user.parent_id == first.answer.id
    assert [message.content for message in load_branch(db, 1)] == [SEND.text, "One.", "Or?", "Three."]
    assert [message["content"] for message in completer.requests[0].messages] == [
        "Be brief.",
        SEND.text,
        "One.",
        "Or?",
    ]
    assert get_message(db, second.answer.id) is not None


@pytest.mark.parametrize("action", ["edit", "continue"])
def test_what_is_meant_must_be_in_the_chat_and_of_its_kind(db: Database, action: Action) -> None:
    begun = begin(db, SEND, says("One."))
    list(begun.events())
    assert begun.user
    wrong = begun.answer.id if action == "edit" else begun.user.id
    for number in (wrong, 99):
        with pytest.raises(StorageError):
            begin(db, TurnRequest(action, conversation_id=1, text="x", message_id=number), says("Two."))
    assert [message.content for message in load_branch(db, 1)] == [SEND.text, "One."]


def test_a_character_that_was_cut_in_two_is_said_again_whole(db: Database) -> None:
    first = begin(db, SEND, says("na\ufffd", finish="length"))
    list(first.events())
    completer = ScriptedCompleter(says("ïve."))
    turn = start_turn(
        db, TurnRequest("continue", conversation_id=1), prepare=lambda: TurnParts(completer), cancel=CancelToken()
    )
    list(turn.events())
    assert completer.requests[0].messages[-1] == {"role": "assistant", "content": "na"}
    assert [message.content for message in load_branch(db, 1)] == [SEND.text, "naïve."]


def test_a_question_without_an_answer_is_answered(db: Database) -> None:
    first = begin(db, SEND, says("One."))
    list(first.events())
    delete_message(db, first.answer.id)
    assert first.user
    second = begin(db, TurnRequest("retry", conversation_id=1, message_id=first.user.id), says("Two."))
    list(second.events())
    assert second.answer.parent_id == first.user.id
    assert [message.content for message in load_branch(db, 1)] == [SEND.text, "Two."]


def test_what_was_found_for_a_question_goes_to_its_new_answer_though_the_first_was_deleted(db: Database) -> None:
    first = begin(db, SEND, says("Noon [1]."))
    list(first.events())
    by_router, by_model = SearchRecord("tide", route="router"), SearchRecord("sea", route="model")
    update_message(db, first.answer.id, searches=(by_router, by_model))
    delete_message(db, first.answer.id)
    assert first.user
    second = begin(db, TurnRequest("retry", conversation_id=1, message_id=first.user.id), says("Six [1]."))
    assert second.answer.searches == (by_router,)


def test_what_was_found_for_a_question_goes_to_its_answer_in_a_fork(db: Database) -> None:
    first = begin(db, SEND, says("Noon [1]."))
    list(first.events())
    found = SearchRecord("tide", route="router")
    update_message(db, first.answer.id, searches=(found,))
    assert first.user
    fork = fork_chat(db, first.user.id)
    second = begin(db, TurnRequest("retry", fork.id, message_id=fork.head_id), says("Six [1]."))
    assert second.answer.searches == (found,)
    list(second.events())
    later = begin(db, TurnRequest("send", fork.id, "And?"), says("x"))
    list(later.events())
    delete_message(db, later.answer.id)
    assert later.user
    again = begin(db, TurnRequest("retry", fork.id, message_id=later.user.id), says("y"))
    assert again.answer.searches == ()


@pytest.mark.parametrize("action", ["retry", "continue"])
def test_another_model_makes_one_answer_and_the_chat_keeps_its_own(db: Database, action: Action) -> None:
    list(begin(db, SEND, says("Half an", finish="length")).events())
    completer = ScriptedCompleter(says("x"))
    request = TurnRequest(action, conversation_id=1, model="qwen", answer_model="llama")
    turn = start_turn(db, request, prepare=lambda: TurnParts(completer), cancel=CancelToken())
    list(turn.events())
    assert [request.model for request in completer.requests] == ["llama"]
    assert load_branch(db, 1)[-1].model == "llama"
    conversation = get_conversation(db, 1)
    assert conversation
    assert conversation.model == "qwen"
    list(begin(db, TurnRequest("send", 1, "And?"), says("y")).events())
    assert load_branch(db, 1)[-1].model == "qwen"

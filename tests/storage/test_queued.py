"""Questions that wait: kept in their order, asked once, taken back whole."""

from __future__ import annotations

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import StorageError
from llamachat.recorder import start_turn
from llamachat.storage.conversations import get_conversation, set_draft
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats, show_chats
from llamachat.storage.messages import load_branch
from llamachat.storage.purge import purge_chat
from llamachat.storage.queued import discard, enqueue, get_queued, list_queued, put_back, take_back
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import ScriptedCompleter, says
from tests.storage.stories import add_chat


def texts(db: Database, conversation_id: int) -> list[str]:
    return [queued.text for queued in list_queued(db, conversation_id)]


def draft(db: Database, conversation_id: int) -> str:
    conversation = get_conversation(db, conversation_id)
    assert conversation is not None
    return conversation.draft


def test_questions_wait_in_their_order_each_in_its_chat(db: Database) -> None:
    one, two = add_chat(db, "a")[0].id, add_chat(db, "b")[0].id
    for number, text in ((one, "first"), (two, "other"), (one, "second")):
        enqueue(db, number, text)
    assert texts(db, one) == ["first", "second"]
    assert texts(db, two) == ["other"]


def test_what_was_typed_becomes_the_question(db: Database) -> None:
    number = add_chat(db, "a")[0].id
    set_draft(db, number, "half a quest")
    enqueue(db, number, "half a question\ud800")
    assert draft(db, number) == ""
    assert texts(db, number) == ["half a question\ufffd"]


def test_a_question_taken_back_stands_above_what_is_typed(db: Database) -> None:
    number = add_chat(db, "a")[0].id
    queued = enqueue(db, number, "first")
    assert take_back(db, queued.id, typed="second") == "first\n\nsecond"
    assert draft(db, number) == "first\n\nsecond"
    assert texts(db, number) == []
    assert take_back(db, queued.id, typed="third") is None
    assert draft(db, number) == "first\n\nsecond"


def test_it_gets_its_old_place_when_it_is_sent_again(db: Database) -> None:
    number = add_chat(db, "a")[0].id
    first, second = enqueue(db, number, "first"), enqueue(db, number, "second")
    take_back(db, first.id, typed="")
    enqueue(db, number, "first, mended", place=first.id)
    assert texts(db, number) == ["first, mended", "second"]
    enqueue(db, number, "third", place=second.id)  # that place is taken
    assert texts(db, number) == ["first, mended", "second", "third"]


def test_a_discarded_question_comes_back_to_its_place_and_leaves_what_is_typed(db: Database) -> None:
    number = add_chat(db, "a")[0].id
    first, _ = enqueue(db, number, "first"), enqueue(db, number, "second")
    set_draft(db, number, "typed")
    assert discard(db, first.id) == first
    assert (texts(db, number), draft(db, number)) == (["second"], "typed")
    assert discard(db, first.id) is None
    put_back(db, first)
    assert (texts(db, number), draft(db, number)) == (["first", "second"], "typed")
    discard(db, first.id)
    delete_chats(db, [number])
    with pytest.raises(StorageError):
        put_back(db, first)


def test_a_place_is_never_that_of_a_later_question(db: Database) -> None:
    number = add_chat(db, "a")[0].id
    first = enqueue(db, number, "first")
    take_back(db, first.id, typed="")
    assert enqueue(db, number, "second").id > first.id


def test_a_question_that_is_asked_is_a_message_and_waits_no_more(db: Database) -> None:
    number = add_chat(db, "a", "b")[0].id
    queued = enqueue(db, number, "And then?")
    request = TurnRequest("send", number, queued.text, queued_id=queued.id)
    start_turn(db, request, prepare=lambda: TurnParts(ScriptedCompleter(says("x"))), cancel=CancelToken())
    assert texts(db, number) == []
    assert [row.content for row in load_branch(db, number)] == ["a", "b", "And then?", ""]


def test_it_is_not_asked_twice(db: Database) -> None:
    number = add_chat(db, "a", "b")[0].id
    queued = enqueue(db, number, "And then?")
    request = TurnRequest("send", number, queued.text, queued_id=queued.id)
    start_turn(db, request, prepare=lambda: TurnParts(ScriptedCompleter(says("x"))), cancel=CancelToken())
    with pytest.raises(StorageError, match="not waiting any more"):
        start_turn(db, request, prepare=lambda: TurnParts(ScriptedCompleter(says("x"))), cancel=CancelToken())
    assert len(load_branch(db, number)) == 4


def test_a_question_that_cannot_be_stored_goes_on_waiting(db: Database) -> None:
    number = add_chat(db, "a", "b")[0].id
    queued = enqueue(db, number, "And then?")
    delete_chats(db, [number])
    request = TurnRequest("send", number, queued.text, queued_id=queued.id)
    with pytest.raises(StorageError, match="no longer exists"):
        start_turn(db, request, prepare=lambda: TurnParts(ScriptedCompleter(says("x"))), cancel=CancelToken())
    assert get_queued(db, queued.id) == queued
    show_chats(db, [number])
    assert texts(db, number) == ["And then?"]


def test_nothing_is_added_to_a_chat_that_is_gone(db: Database) -> None:
    number = add_chat(db, "a")[0].id
    delete_chats(db, [number])
    with pytest.raises(StorageError, match="no longer exists"):
        enqueue(db, number, "text")


def test_a_chat_deleted_for_good_takes_its_questions_along(db: Database) -> None:
    number = add_chat(db, "a")[0].id
    enqueue(db, number, "secret-of-the-queue")
    purge_chat(db, number)
    assert db.rows("SELECT * FROM queued") == []
    files = list(db.path.parent.glob("llamachat.db*"))
    assert all(b"secret-of-the-queue" not in file.read_bytes() for file in files)

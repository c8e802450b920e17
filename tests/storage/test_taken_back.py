"""A chat that was begun in vain is taken back, and nothing else with it."""

from __future__ import annotations

import pytest

from llamachat.core.messages import Status
from llamachat.storage.conversations import create_conversation, list_conversations, set_draft
from llamachat.storage.database import Database
from llamachat.storage.deletions import list_deleted
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import MessageFields, update_message
from llamachat.storage.purge import take_back_chat
from llamachat.storage.queued import enqueue
from tests.storage.stories import add_chat


def test_nothing_of_it_is_left(db: Database) -> None:
    kept, _ = add_chat(db, "bee", "wasp", title="Kept")
    chat, _ = add_chat(db, "moth", "", title="In vain")
    assert take_back_chat(db, chat.id)
    assert [found.id for found in list_conversations(db)] == [kept.id]
    assert (search_history(db, "moth"), list_deleted(db)) == ([], [])
    assert len(search_history(db, "bee")) == 1


@pytest.mark.parametrize("more", ["a message", "a draft", "something that waits", "words", "thoughts", "a new try"])
def test_one_that_holds_more_by_now_stays(db: Database, more: str) -> None:
    chat, messages = add_chat(db, "moth", "", *(["again?"] if more == "a message" else []), title="In use")
    answers: dict[str, MessageFields] = {
        "words": {"content": "An insect."},
        "thoughts": {"reasoning": "Hm."},
        "a new try": {"status": Status.STREAMING},
    }
    update_message(db, messages[1].id, **answers.get(more, {}))
    if more == "a draft":
        set_draft(db, chat.id, "typed")
    if more == "something that waits":
        enqueue(db, chat.id, "And then?")
    assert not take_back_chat(db, chat.id)
    assert [found.id for found in list_conversations(db)] == [chat.id]


def test_one_that_is_gone_is_no_fault(db: Database) -> None:
    create_conversation(db)
    assert not take_back_chat(db, 77)
    assert len(list_conversations(db)) == 1

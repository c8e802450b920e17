"""Titles that a model gives: only to a chat that has its first words for a title still."""

from __future__ import annotations

from llamachat.chat.titles import title_from
from llamachat.core.messages import Role
from llamachat.storage.conversations import get_conversation, rename_conversation
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import add_message
from llamachat.storage.naming import Unnamed, name_conversation, unnamed
from tests.storage.stories import add_chat


def title(db: Database, number: int) -> str:
    conversation = get_conversation(db, number)
    assert conversation is not None
    return conversation.title


def test_the_first_answer_of_a_chat_with_its_first_words(db: Database) -> None:
    chat, (_, answer) = add_chat(db, "Why is the sky blue?\nTell me.", "It scatters.", title="Why is the sky blue?")
    found = unnamed(db, answer, title_from)
    assert found == Unnamed(chat.id, "Why is the sky blue?", "", "Why is the sky blue?\nTell me.", "It scatters.")
    assert name_conversation(db, found, "Blue sky")
    assert title(db, chat.id) == "Blue sky"
    assert [hit.conversation_id for hit in search_history(db, "title:blue")] == [chat.id]


def test_another_version_of_the_first_answer_counts_too(db: Database) -> None:
    chat, (question, _) = add_chat(db, "Why?", "It failed.", title="Why?")
    again = add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="Because.")
    found = unnamed(db, again, title_from)
    assert found is not None
    assert found.answer == "Because."


def test_no_later_answer_and_no_chat_with_another_title(db: Database) -> None:
    _, messages = add_chat(db, "Why?", "Because.", "And then?", "Then.", title="Why?")
    assert unnamed(db, messages[-1], title_from) is None
    _, (_, answer) = add_chat(db, "Why?", "Because.", title="My own title")
    assert unnamed(db, answer, title_from) is None


def test_a_title_that_was_given_meanwhile_stays(db: Database) -> None:
    chat, (_, answer) = add_chat(db, "Why?", "Because.", title="Why?")
    found = unnamed(db, answer, title_from)
    assert found is not None
    rename_conversation(db, chat.id, "Mine")
    assert not name_conversation(db, found, "The model's")
    assert title(db, chat.id) == "Mine"


def test_a_chat_that_was_deleted_meanwhile_is_not_named(db: Database) -> None:
    chat, (_, answer) = add_chat(db, "Why?", "Because.", title="Why?")
    found = unnamed(db, answer, title_from)
    assert found is not None
    delete_chats(db, [chat.id])
    assert not name_conversation(db, found, "The model's")
    assert unnamed(db, answer, title_from) is None

"""Versions of a message, and deleting with undo."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.core.messages import Role
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import add_message, load_branch, load_messages, reveal_message
from llamachat.storage.undo import undo
from llamachat.storage.versions import delete_message, load_versions
from tests.storage.stories import acting_at, add_chat, contents


def test_versions_are_messages_of_one_speaker_below_one_parent(db: Database) -> None:
    chat, (question, answer, _, _) = add_chat(db, "q", "a", "q2", "a2")
    other, _ = add_chat(db, "q", "a")
    assert load_versions(db, chat.id) == {}
    second = add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="b")
    third = add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="c")
    first_question = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content="r")
    add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.USER, content="no version of an answer")
    answers, questions = (answer.id, second.id, third.id), (question.id, first_question.id)
    assert load_versions(db, chat.id) == {
        **dict.fromkeys(answers, answers),
        **dict.fromkeys(questions, questions),
    }
    assert load_versions(db, other.id) == {}


def test_deleting_takes_what_follows_along_and_undo_brings_it_back(db: Database) -> None:
    chat, (_, _, question, _) = add_chat(db, "one", "two", "three", "four")
    deletion = delete_message(db, question.id)
    assert contents(db, chat.id) == ["one", "two"]
    assert [message.content for message in load_messages(db, chat.id)] == ["one", "two"]
    assert search_history(db, "four") == []
    undo(db, deletion.act)
    assert contents(db, chat.id) == ["one", "two", "three", "four"]
    assert [hit.message_id for hit in search_history(db, "three")] == [question.id]


def test_deleting_a_version_shows_another_one_with_what_follows_it(db: Database) -> None:
    chat, (question, answer, _, _) = add_chat(db, "q", "a", "q2", "a2")
    second = add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="b")
    deletion = delete_message(db, second.id)
    assert contents(db, chat.id) == ["q", "a", "q2", "a2"]
    assert load_versions(db, chat.id) == {}
    with pytest.raises(StorageError):
        reveal_message(db, second.id)
    delete_message(db, answer.id)
    assert contents(db, chat.id) == ["q"]
    undo(db, deletion.act)
    assert contents(db, chat.id) == ["q", "b"]


def test_a_version_that_is_not_shown_is_deleted_without_showing_another(db: Database) -> None:
    chat, (question, answer, _, _) = add_chat(db, "q", "a", "q2", "a2")
    add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="b")
    delete_message(db, answer.id)
    assert contents(db, chat.id) == ["q", "b"]
    assert [message.content for message in load_messages(db, chat.id)] == ["q", "b"]


def test_a_chat_without_its_first_message_is_empty_and_stays(db: Database) -> None:
    chat, (question, _) = add_chat(db, "q", "a")
    delete_message(db, question.id)
    emptied = get_conversation(db, chat.id)
    assert emptied
    assert emptied.head_id is None
    assert load_branch(db, chat.id) == []
    with pytest.raises(StorageError):
        delete_message(db, question.id)


def test_what_is_deleted_just_before_it_is_revealed_is_not_shown(db: Database, path: Path) -> None:
    chat, (question, answer) = add_chat(db, "q", "a")
    other = add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="b")
    below = add_message(db, conversation_id=chat.id, parent_id=other.id, role=Role.USER, content="c")
    reveal_message(db, answer.id)
    with closing(sqlite3.connect(path, isolation_level=None)) as elsewhere:

        def delete(number: int) -> None:
            elsewhere.execute("UPDATE messages SET deleted_at = 1 WHERE id = ?", (number,))

        with acting_at(db, "BEGIN", lambda: delete(below.id)):
            reveal_message(db, other.id)
        assert contents(db, chat.id) == ["q", "b"]
        reveal_message(db, answer.id)
        with acting_at(db, "BEGIN", lambda: delete(other.id)), pytest.raises(StorageError, match="no longer exists"):
            reveal_message(db, other.id)
    assert contents(db, chat.id) == ["q", "a"]


def test_revealing_passes_over_what_is_deleted(db: Database) -> None:
    chat, (question, _, second, _) = add_chat(db, "q", "a", "q2", "a2")
    add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content="r")
    delete_message(db, second.id)
    reveal_message(db, question.id)
    assert contents(db, chat.id) == ["q", "a"]


def test_where_the_first_message_is_deleted_what_else_there_is_is_shown(db: Database) -> None:
    chat, (question, _) = add_chat(db, "q", "a")
    alone = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.ASSISTANT, content="Hello!")
    delete_message(db, alone.id)
    assert contents(db, chat.id) == ["q", "a"]
    delete_message(db, question.id)
    assert contents(db, chat.id) == []

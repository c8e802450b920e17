"""A chat that is forked: what is copied, what it is called, and where it came from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llamachat.chat.history import history_messages
from llamachat.core.conversation import SearchMode
from llamachat.core.errors import StorageError
from llamachat.core.messages import Role, Status, StoredMessage, Usage
from llamachat.core.search_record import SearchRecord
from llamachat.storage.conversations import (
    create_conversation,
    get_conversation,
    set_archived,
    set_draft,
    set_pinned,
)
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.forks import ForkSource, fork_chat, fork_source
from llamachat.storage.fulltext import search_history
from llamachat.storage.kept_results import keep_results_from
from llamachat.storage.messages import add_message, load_branch, load_messages
from llamachat.storage.tags import tag_chats
from llamachat.storage.versions import delete_message
from tests.storage.stories import add_chat

OWN = {"id": 0, "uid": "", "conversation_id": 0, "parent_id": None}


def likeness(message: StoredMessage) -> StoredMessage:
    """A message without what a copy has of its own."""
    return replace(message, **OWN)  # type: ignore[arg-type]  # the fields above


def test_all_up_to_the_message_is_copied_and_the_rest_is_not(db: Database) -> None:
    chat = create_conversation(db, title="Tides", prompt="Be brief.", model="qwen", search_mode=SearchMode.ALWAYS)
    wire = ({"role": "assistant", "content": "Noon.", "reasoning_content": "Hm."},)
    question = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content="When?")
    answer = add_message(
        db,
        conversation_id=chat.id,
        parent_id=question.id,
        role=Role.ASSISTANT,
        content="Noon.",
        reasoning="Hm.",
        wire=wire,
        searches=(SearchRecord("tide"),),
        usage=Usage(prompt_n=3),
        model="llama",
        finish_reason="stop",
        edited=True,
        status=Status.STOPPED,
    )
    add_message(db, conversation_id=chat.id, parent_id=answer.id, role=Role.USER, content="And then?")
    for name in ("Work", "Sea"):
        tag_chats(db, [chat.id], name)
    fork = fork_chat(db, answer.id)
    assert (fork.title, fork.prompt, fork.model, fork.search_mode) == (
        "Tides (fork)",
        "Be brief.",
        "qwen",
        SearchMode.ALWAYS,
    )
    assert (chat.forked, fork.forked) == (False, True)
    copies = load_branch(db, fork.id)
    assert [likeness(copy) for copy in copies] == [likeness(question), likeness(answer)]
    assert not {copy.uid for copy in copies} & {question.uid, answer.uid}
    assert fork.head_id == copies[-1].id
    assert [message.content for message in load_branch(db, chat.id)] == ["When?", "Noon.", "And then?"]
    tags = db.rows("SELECT tag_id FROM conversation_tags WHERE conversation_id = ? ORDER BY tag_id", (fork.id,))
    assert [row["tag_id"] for row in tags] == [1, 2]
    assert {hit.conversation_id for hit in search_history(db, "Noon")} == {chat.id, fork.id}


def test_other_versions_and_the_state_of_the_first_chat_are_not_copied(db: Database) -> None:
    chat, (question, _) = add_chat(db, "q", "a", title="Bees")
    other = add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="b")
    set_pinned(db, chat.id, pinned=True)
    set_archived(db, chat.id, archived=True)
    set_draft(db, chat.id, "typed")
    fork = fork_chat(db, other.id)
    assert [message.content for message in load_messages(db, fork.id)] == ["q", "b"]
    assert (fork.pinned, fork.archived, fork.draft) == (False, False, "")


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_the_prompt_of_the_fork_is_that_of_the_chat_up_to_there(db: Database, at: int) -> None:
    found: StoredMessage
    chat, messages = add_chat(db, "q", "a", "q2", "a2")
    db.write(
        "UPDATE messages SET wire = ? WHERE id = ?",
        ('[{"role": "user", "content": "q2 with what was found"}]', messages[2].id),
    )
    fork = fork_chat(db, messages[at].id)
    found = load_branch(db, chat.id)[at]
    whole = history_messages(load_branch(db, chat.id), "P", keep_reasoning=True)
    copied = history_messages(load_branch(db, fork.id), "P", keep_reasoning=True)
    assert found.id == messages[at].id
    assert copied == whole[: at + 2]


@pytest.mark.parametrize(("kept_from", "expected"), [(0, None), (2, 2), (3, 3)])
def test_results_that_were_dropped_stay_dropped(db: Database, kept_from: int, expected: int | None) -> None:
    chat, messages = add_chat(db, "q", "a", "q2", "a2")
    if kept_from:
        keep_results_from(db, chat.id, messages[kept_from].id)
    fork = fork_chat(db, messages[2].id)
    copies = load_branch(db, fork.id)
    after_all = copies[-1].id + 1
    numbers = [*(copy.id for copy in copies), after_all]
    assert fork.results_kept_from == (numbers[expected] if expected else 0)


def test_an_answer_that_is_being_written_is_an_interrupted_one_in_the_fork(db: Database) -> None:
    chat, (question, *_) = add_chat(db, "q")
    answer = add_message(
        db,
        conversation_id=chat.id,
        parent_id=question.id,
        role=Role.ASSISTANT,
        content="Hal",
        status=Status.STREAMING,
    )
    db.write("UPDATE messages SET stream_id = 'x', stream_offset = 3, stream_state = '{}' WHERE id = ?", (answer.id,))
    fork = fork_chat(db, answer.id)
    copy = load_branch(db, fork.id)[-1]
    assert (copy.status, copy.stream) == (Status.INTERRUPTED, None)
    row = db.row("SELECT stream_id, stream_offset, stream_state FROM messages WHERE id = ?", (copy.id,))
    assert row
    assert tuple(row) == (None, None, None)
    assert load_branch(db, chat.id)[-1].status is Status.STREAMING


def test_forks_are_told_apart_by_their_titles(db: Database) -> None:
    _, (question, _) = add_chat(db, "q", "a", title="Bees")
    first = fork_chat(db, question.id)
    second = fork_chat(db, question.id)
    of_the_second = fork_chat(db, second.head_id or 0)
    assert [chat.title for chat in (first, second, of_the_second)] == [
        "Bees (fork)",
        "Bees (fork 2)",
        "Bees (fork 3)",
    ]
    _, (other, _) = add_chat(db, "q", "a", title="Cutlery (fork and knife)")
    assert fork_chat(db, other.id).title == "Cutlery (fork and knife) (fork)"


def test_a_fork_knows_where_it_came_from_as_long_as_that_is_there(db: Database) -> None:
    chat, (question, answer) = add_chat(db, "q", "a", title="Bees")
    fork = fork_chat(db, question.id)
    assert fork_source(db, fork.id) == ForkSource(chat.id, question.id, "Bees")
    assert fork_source(db, chat.id) is None
    delete_chats(db, [chat.id])
    assert fork_source(db, fork.id) is None
    db.write("UPDATE messages SET parent_id = NULL WHERE id = ?", (answer.id,))
    db.write("DELETE FROM messages WHERE id = ?", (question.id,))
    assert fork_source(db, fork.id) is None
    assert get_conversation(db, fork.id) is not None
    assert db.rows("PRAGMA foreign_key_check") == []


def test_what_is_deleted_cannot_be_forked(db: Database) -> None:
    chat, (_, answer) = add_chat(db, "q", "a")
    delete_message(db, answer.id)
    for number in (answer.id, 99):
        with pytest.raises(StorageError, match="no longer exists"):
            fork_chat(db, number)
    delete_chats(db, [chat.id])
    with pytest.raises(StorageError, match="no longer exists"):
        fork_chat(db, 1)
    assert db.row("SELECT count(*) AS n FROM conversations")["n"] == 1  # type: ignore[index]  # it has a row

"""A chat that goes on from a message of another one: what was said up to there, copied."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from llamachat.core.conversation import Conversation
from llamachat.core.text import tr
from llamachat.storage.conversations import create_conversation, get_conversation, rename_conversation
from llamachat.storage.database import Database
from llamachat.storage.failures import message_gone
from llamachat.storage.index_queue import tend_index
from llamachat.storage.kept_results import keep_results_from

# What a chat and a message have of their own; all else is copied, also what later versions of the program add.
_OF_THE_CHAT = (
    *("id", "uid", "title", "title_key", "created_at", "updated_at", "deleted_at", "head_id", "pinned", "archived"),
    *("draft", "forked_from", "settings"),
)
_OF_THE_MESSAGE = (
    *("id", "uid", "conversation_id", "parent_id", "status", "deleted_at"),
    *("stream_id", "stream_offset", "stream_state"),
)

_PATH = """
    WITH RECURSIVE path (id, parent_id) AS (
        SELECT id, parent_id FROM messages WHERE id = ? AND deleted_at IS NULL
        UNION ALL
        SELECT messages.id, messages.parent_id FROM path JOIN messages ON messages.id = path.parent_id)
    SELECT id FROM path ORDER BY id
"""


@dataclass(frozen=True, slots=True)
class ForkSource:
    """Where a chat was forked: the chat, its title, and the message in it."""

    conversation_id: int
    message_id: int
    title: str


def fork_chat(db: Database, message_id: int) -> Conversation:
    """Make a chat of all that was said up to a message, with the prompt, model, search mode and tags of its chat.

    The next request has the same bytes as one in the first chat would have. Raises StorageError.
    """
    db.unsaved.save(db)
    with db.transaction():
        ids = [row["id"] for row in db.rows(_PATH, (message_id,))]
        row = db.row("SELECT conversation_id FROM messages WHERE id = ?", (message_id,))
        source = get_conversation(db, row["conversation_id"]) if row else None
        if not ids or source is None:
            raise message_gone()
        made = create_conversation(db)
        rename_conversation(db, made.id, _title(db, source.title))
        _copy_chat(db, source.id, made.id, message_id)
        copies = _copy_messages(db, ids, made.id)
        db.write("UPDATE conversations SET head_id = ? WHERE id = ?", (copies[message_id], made.id))
        if first := source.results_kept_from:
            later = [copies[number] for number in ids if number >= first]
            keep_results_from(db, made.id, later[0] if later else copies[message_id] + 1)
        fork = get_conversation(db, made.id)
    tend_index(db)
    assert fork is not None
    return fork


def fork_source(db: Database, conversation_id: int) -> ForkSource | None:
    """What a chat was forked from; None where it was not, and where that is deleted."""
    row = db.row(
        """
        SELECT source.id, source.title, messages.id AS message_id FROM conversations
        JOIN messages ON messages.id = conversations.forked_from
        JOIN conversations AS source ON source.id = messages.conversation_id
        WHERE conversations.id = ? AND source.deleted_at IS NULL AND messages.deleted_at IS NULL
        """,
        (conversation_id,),
    )
    return ForkSource(row["id"], row["message_id"], row["title"]) if row else None


def origin_of(db: Database, message_id: int) -> int | None:
    """The message that this one is a copy of, where its chat was forked at that and it is still there."""
    row = db.row(
        """
        SELECT origin.id FROM messages AS copy
        JOIN conversations ON conversations.id = copy.conversation_id
        JOIN messages AS origin ON origin.id = conversations.forked_from
        WHERE copy.id = ? AND copy.role = origin.role AND copy.created_at = origin.created_at
            AND copy.content = origin.content AND copy.wire IS origin.wire
        """,
        (message_id,),
    )
    return int(row["id"]) if row else None


def _title(db: Database, title: str) -> str:
    """Such as `Bees (fork)`, and `Bees (fork 2)` where there is one."""
    fork = tr("fork")
    bare = re.sub(rf" \({re.escape(fork)}(?: \d+)?\)$", "", title)
    for number in itertools.count(1):
        found = f"{bare} ({fork})" if number == 1 else f"{bare} ({fork} {number})"
        if db.row("SELECT 1 FROM conversations WHERE title = ? AND deleted_at IS NULL", (found,)) is None:
            return found
    raise AssertionError("numbers do not end")


def _copy_chat(db: Database, source_id: int, fork_id: int, message_id: int) -> None:
    names = _columns(db, "conversations", without=_OF_THE_CHAT)
    listed = ", ".join(names)
    db.write(
        f"UPDATE conversations SET ({listed}, forked_from) = (SELECT {listed}, ? FROM conversations WHERE id = ?) "
        "WHERE id = ?",
        (message_id, source_id, fork_id),
    )
    db.write(
        "INSERT INTO conversation_tags (conversation_id, tag_id) "
        "SELECT ?, tag_id FROM conversation_tags WHERE conversation_id = ?",
        (fork_id, source_id),
    )


def _copy_messages(db: Database, ids: Iterable[int], fork_id: int) -> dict[int, int]:
    """Copy messages, each below the one before; gives the id of the copy of each."""
    listed = ", ".join(_columns(db, "messages", without=_OF_THE_MESSAGE))
    copies: dict[int, int] = {}
    parent_id: int | None = None
    for number in ids:
        parent_id = copies[number] = db.insert(
            f"INSERT INTO messages (uid, conversation_id, parent_id, status, {listed}) "
            "SELECT lower(hex(randomblob(16))), ?, ?, "
            f"CASE status WHEN 'streaming' THEN 'interrupted' ELSE status END, {listed} FROM messages WHERE id = ?",
            (fork_id, parent_id, number),
        )
    return copies


def _columns(db: Database, table: str, *, without: Iterable[str]) -> list[str]:
    return [row["name"] for row in db.rows(f"PRAGMA table_info({table})") if row["name"] not in without]

"""Messages: a tree in each conversation, of which the branch that ends at the head is shown."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Sequence
from typing import TypedDict, Unpack

from llamachat.core.errors import BugError
from llamachat.core.messages import Role, Status, StoredMessage, StreamMark, Usage, WireMessage
from llamachat.core.search_record import SearchRecord
from llamachat.storage.database import Database
from llamachat.storage.failures import message_gone
from llamachat.storage.index_queue import tend_index
from llamachat.storage.message_rows import COLUMNS, column_values, message_from_row


class MessageFields(TypedDict, total=False):
    """What a message may be given when it is added, and changed later."""

    content: str
    reasoning: str
    prompt: str
    searches: tuple[SearchRecord, ...]
    wire: tuple[WireMessage, ...]
    model: str
    status: Status
    finish_reason: str
    error: str
    usage: Usage
    edited: bool
    stream: StreamMark | None


def add_message(
    db: Database,
    *,
    conversation_id: int,
    parent_id: int | None,
    role: Role,
    uid: str = "",
    **fields: Unpack[MessageFields],
) -> StoredMessage:
    """Add a message below `parent_id` (None: as a root) and make it the head of its conversation.

    A conversation that was put away is back in the list with it.
    """
    row = column_values(fields) | {
        "uid": uid or uuid.uuid4().hex,
        "conversation_id": conversation_id,
        "parent_id": parent_id,
        "role": role.value,
        "created_at": db.clock.now(),
    }
    names = ", ".join(row)
    slots = ", ".join(f":{name}" for name in row)
    with db.transaction():
        _check_parent(db, conversation_id, parent_id)
        new_id = db.insert(f"INSERT INTO messages ({names}) VALUES ({slots})", row)
        db.write(
            "UPDATE conversations SET head_id = ?, updated_at = ?, archived = 0 WHERE id = ?",
            (new_id, row["created_at"], conversation_id),
        )
        message = _existing(db, new_id)
    if message.status is not Status.STREAMING:
        tend_index(db)
    return message


def update_message(db: Database, message_id: int, **fields: Unpack[MessageFields]) -> None:
    """Write the given fields and leave the others as they are."""
    row = column_values(fields)
    if not row:
        return
    assignments = ", ".join(f"{name} = :{name}" for name in row)
    changed = db.write(f"UPDATE messages SET {assignments} WHERE id = :id", row | {"id": message_id}).rowcount
    if not changed:
        raise message_gone()
    if fields.get("status", Status.STREAMING) is not Status.STREAMING:
        tend_index(db)


def get_message(db: Database, message_id: int) -> StoredMessage | None:
    """The message, or None where there is none or it is deleted."""
    row = db.row(f"SELECT {COLUMNS} FROM messages WHERE id = ? AND deleted_at IS NULL", (message_id,))
    return db.unsaved.over([message_from_row(row)])[0] if row else None


def latest_searching_answer(db: Database, question_id: int) -> StoredMessage | None:
    """The latest answer to a question that has searches, deleted or not."""
    row = db.row(
        f"SELECT {COLUMNS} FROM messages WHERE parent_id = ? AND searches IS NOT NULL ORDER BY id DESC LIMIT 1",
        (question_id,),
    )
    return message_from_row(row) if row else None


def load_branch(
    db: Database, conversation_id: int, *, limit: int | None = None, before_id: int | None = None
) -> list[StoredMessage]:
    """The shown branch from its root to its head: the last `limit` messages of it, or those above `before_id`."""
    rows = db.rows(
        f"""
        WITH RECURSIVE branch (message_id, depth) AS (
            SELECT CASE WHEN :before_id IS NULL
                THEN (SELECT head_id FROM conversations WHERE id = :conversation_id)
                ELSE (SELECT parent_id FROM messages WHERE id = :before_id) END, 1
            UNION ALL
            SELECT messages.parent_id, depth + 1 FROM branch JOIN messages ON messages.id = branch.message_id
            WHERE :row_limit < 0 OR depth < :row_limit
        )
        SELECT {COLUMNS} FROM branch JOIN messages ON messages.id = branch.message_id
        WHERE messages.conversation_id = :conversation_id ORDER BY depth DESC
        """,
        {"conversation_id": conversation_id, "before_id": before_id, "row_limit": -1 if limit is None else limit},
    )
    return db.unsaved.over(map(message_from_row, rows))


def branch_ids(db: Database, conversation_id: int) -> list[int]:
    """The messages of the shown branch, from its root to its head; nothing of what is said in them is read."""
    rows = db.rows("SELECT id, parent_id FROM messages WHERE conversation_id = ?", (conversation_id,))
    parents: dict[int, int | None] = {row["id"]: row["parent_id"] for row in rows}
    row = db.row("SELECT head_id FROM conversations WHERE id = ?", (conversation_id,))
    number: int | None = row["head_id"] if row else None
    path = list[int]()
    while number is not None:
        path.append(number)
        number = parents.get(number)
    return path[::-1]


def load_these(db: Database, message_ids: Sequence[int]) -> list[StoredMessage]:
    """Messages by their ids, parents first."""
    rows = db.rows(
        f"SELECT {COLUMNS} FROM messages WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(message_ids),),
    )
    return db.unsaved.over(map(message_from_row, rows))


def load_messages(db: Database, conversation_id: int) -> list[StoredMessage]:
    """Every message of a conversation, on all its branches, parents first."""
    rows = db.rows(
        f"SELECT {COLUMNS} FROM messages WHERE conversation_id = ? AND deleted_at IS NULL ORDER BY id",
        (conversation_id,),
    )
    return db.unsaved.over(map(message_from_row, rows))


def reveal_message(db: Database, message_id: int) -> None:
    """Show the branch that the message is on, if another one is shown; of several the newest. Raises StorageError."""
    if _branch_through(db, message_id)["is_shown"]:
        return
    with db.transaction():
        newest = _branch_through(db, message_id)["newest"]  # deleted by now, or with an answer that was not there
        db.write(
            "UPDATE conversations SET head_id = :newest "
            "WHERE id = (SELECT conversation_id FROM messages WHERE id = :newest)",
            {"newest": newest},
        )


def _branch_through(db: Database, message_id: int) -> sqlite3.Row:
    row = db.row(
        """
        WITH RECURSIVE
            shown (id) AS (
                SELECT head_id FROM conversations
                WHERE id = (SELECT conversation_id FROM messages WHERE id = :message_id)
                UNION ALL
                SELECT messages.parent_id FROM shown JOIN messages ON messages.id = shown.id),
            below (id) AS (
                SELECT id FROM messages WHERE id = :message_id AND deleted_at IS NULL
                UNION ALL
                SELECT messages.id FROM below JOIN messages ON messages.parent_id = below.id
                WHERE messages.deleted_at IS NULL)
        SELECT max(id) AS newest, :message_id IN (SELECT id FROM shown) AS is_shown FROM below
        """,
        {"message_id": message_id},
    )
    if row is None or row["newest"] is None:
        raise message_gone()
    return row


def take_stream_marks(db: Database, conversation_id: int, *, besides: int) -> tuple[StreamMark, ...]:
    """Where answers that broke off in the conversation could be taken up; from now on they cannot."""
    left = "conversation_id = ? AND stream_id IS NOT NULL AND id <> ? AND status <> 'streaming'"
    rows = db.rows(f"SELECT {COLUMNS} FROM messages WHERE {left}", (conversation_id, besides))
    if rows:
        db.write(f"UPDATE messages SET stream_id = NULL WHERE {left}", (conversation_id, besides))
    return tuple(mark for row in rows if (mark := message_from_row(row).stream))


def mark_interrupted(db: Database, message_ids: Sequence[int]) -> None:
    """Mark what a killed program left half written."""
    db.write(
        "UPDATE messages SET status = ? WHERE id IN (SELECT value FROM json_each(?))",
        (Status.INTERRUPTED.value, json.dumps(message_ids)),
    )


def _check_parent(db: Database, conversation_id: int, parent_id: int | None) -> None:
    if parent_id is None:
        return
    row = db.row("SELECT conversation_id FROM messages WHERE id = ?", (parent_id,))
    if row is None:
        raise message_gone()
    if row["conversation_id"] != conversation_id:
        raise BugError(f"message {parent_id} is not in conversation {conversation_id}")


def _existing(db: Database, message_id: int) -> StoredMessage:
    found = get_message(db, message_id)
    if found is None:
        raise message_gone()
    return found

"""Bringing back what was deleted: an act, one thing of it, or the latest act."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from llamachat.storage.database import Database
from llamachat.storage.deletions import Kind, list_deleted, show_chats, tidy_deletions
from llamachat.storage.index_queue import tend_index
from llamachat.storage.tags import TagDeletion, restore_tag


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back. message_id: the first of the messages, where it was no whole chat."""

    kind: Kind
    conversation_ids: tuple[int, ...]
    message_id: int | None = None


def undo_last(db: Database) -> Restored | None:
    """Bring back what the latest act has hidden; None where there is nothing."""
    latest = list_deleted(db, limit=1)
    return undo(db, latest[0].act) if latest else None


def undo(db: Database, act: int) -> Restored | None:
    """Bring back what an act has hidden, and show it; None where that has happened already, or never can again."""
    return _restore(db, "act = ?", act)


def restore_deleted(db: Database, deletion_id: int) -> Restored | None:
    """Bring back one thing of an act."""
    return _restore(db, "id = ?", deletion_id)


def restore_all(db: Database, deletion_ids: Iterable[int]) -> list[Restored | None]:
    """The same for several, all of them or none."""
    with db.transaction():
        restored = [restore_deleted(db, number) for number in deletion_ids]
    tend_index(db)
    return restored


def _restore(db: Database, which: str, number: int) -> Restored | None:
    with db.transaction():
        rows = db.rows(f"SELECT * FROM deletions WHERE {which} ORDER BY id", (number,))
        chats = [row["conversation_id"] for row in rows if row["kind"] == Kind.CHAT]
        messages = [row for row in rows if row["kind"] == Kind.MESSAGES]
        show_chats(db, chats)
        for row in messages:
            _show_messages(db, row)
        tags = [_tag_deletion(row["hidden"]) for row in rows if row["kind"] == Kind.TAG]
        for tag in tags:
            restore_tag(db, tag)
    tend_index(db)
    if messages:
        return Restored(Kind.MESSAGES, (messages[-1]["conversation_id"],), messages[-1]["message_id"])
    if tags:
        return Restored(Kind.TAG, ())
    return Restored(Kind.CHAT, tuple(chats)) if chats else None


def _tag_deletion(text: str) -> TagDeletion:
    fields = json.loads(text)
    return TagDeletion(fields["tag_id"], fields["into_id"], tuple(fields["added"]))


def _show_messages(db: Database, row: sqlite3.Row) -> None:
    """Bring messages back, with those above that they hang below, in a chat that is there; show their branch."""
    conversation_id = row["conversation_id"]
    ids = [*_above(db, row["message_id"]), *json.loads(row["hidden"])]
    db.write("UPDATE messages SET deleted_at = NULL WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(ids),))
    show_chats(db, [conversation_id])
    db.write(
        """
        UPDATE conversations SET head_id = coalesce(
            (SELECT id FROM messages WHERE id = :head_id AND conversation_id = :chat AND deleted_at IS NULL),
            (SELECT max(id) FROM messages WHERE id IN (SELECT value FROM json_each(:ids))), head_id)
        WHERE id = :chat
        """,
        {"head_id": row["head_id"], "chat": conversation_id, "ids": json.dumps(ids)},
    )
    tidy_deletions(db, conversation_id)


def _above(db: Database, message_id: int) -> list[int]:
    """The deleted messages that one hangs below."""
    rows = db.rows(
        """
        WITH RECURSIVE above (id) AS (
            SELECT parent_id FROM messages WHERE id = ?
            UNION ALL
            SELECT messages.parent_id FROM above JOIN messages ON messages.id = above.id)
        SELECT id FROM messages WHERE id IN (SELECT id FROM above) AND deleted_at IS NOT NULL
        """,
        (message_id,),
    )
    return [row["id"] for row in rows]

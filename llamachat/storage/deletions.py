"""What was deleted, act by act: `undo` brings it back, also after a restart, until it is deleted for good.

Deleting hides rows (`deleted_at`). A row of `deletions` says what was hidden with it, a row each chat, message (with
what follows it) or tag; those of one act have the same number.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from llamachat.core.messages import Role
from llamachat.core.text import tr, trn
from llamachat.storage.database import Database, Value
from llamachat.storage.failures import conversation_gone

_TEXT_CHARS = 300  # of a message, for a list

# Not what came back by another way, such as an import.
_STILL_DELETED = """
    CASE deletions.kind WHEN 'chat' THEN conversations.deleted_at WHEN 'messages' THEN messages.deleted_at
    ELSE tags.deleted_at END IS NOT NULL
"""
_FROM = """
    FROM deletions LEFT JOIN conversations ON conversations.id = deletions.conversation_id
    LEFT JOIN messages ON messages.id = deletions.message_id
    LEFT JOIN tags ON deletions.kind = 'tag' AND tags.id = json_extract(deletions.hidden, '$.tag_id')
"""


class Kind(StrEnum):
    """What was deleted."""

    CHAT = "chat"
    MESSAGES = "messages"
    TAG = "tag"


@dataclass(frozen=True, slots=True)
class Deleted:
    """One thing that was deleted.

    title: of the chat. text: the beginning of the first message, or the name of a tag. role: of that message.
    count: of messages; of a tag the chats.
    """

    id: int
    act: int
    at: float
    kind: Kind
    conversation_id: int | None
    title: str
    text: str
    role: Role | None
    count: int

    @property
    def words(self) -> str:
        """What it is: such as `Chat, 4 messages`, `Question and 3 more` and `Tag of 2 chats`."""
        if self.kind is Kind.CHAT:
            return trn("Chat, {count} message", "Chat, {count} messages", self.count)
        if self.kind is Kind.TAG:
            return trn("Tag of {count} chat", "Tag of {count} chats", self.count)
        first = tr("Question") if self.role is Role.USER else tr("Answer")
        return tr("{first} and {count} more").format(first=first, count=self.count - 1) if self.count > 1 else first


def delete_chats(db: Database, conversation_ids: Iterable[int]) -> int:
    """Hide chats everywhere, in one act whose number is given. Raises StorageError where none is there any more."""
    chosen: dict[str, Value] = {"ids": json.dumps(list(conversation_ids)), "at": db.clock.now()}
    live = "id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL"
    with db.transaction():
        if db.row(f"SELECT 1 FROM conversations WHERE {live}", chosen) is None:
            raise conversation_gone()
        db.write(
            "DELETE FROM deletions WHERE kind = 'chat' "
            f"AND conversation_id IN (SELECT id FROM conversations WHERE {live})",
            chosen,
        )
        chosen["act"] = act = _next_act(db)
        db.write(
            "INSERT INTO deletions (act, at, kind, conversation_id) "
            f"SELECT :act, :at, 'chat', id FROM conversations WHERE {live} ORDER BY id",
            chosen,
        )
        db.write(f"UPDATE conversations SET deleted_at = :at WHERE {live}", chosen)
    return act


def note_messages(
    db: Database, conversation_id: int, message_ids: Sequence[int], *, head_id: int | None, at: float
) -> int:
    """Note that these were hidden, the first with what follows it, inside the caller's transaction; the act."""
    act = _next_act(db)
    db.insert(
        "INSERT INTO deletions (act, at, kind, conversation_id, message_id, head_id, hidden) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (act, at, Kind.MESSAGES.value, conversation_id, message_ids[0], head_id, json.dumps(message_ids)),
    )
    return act


def note_tag(db: Database, restoring: Mapping[str, object], *, at: float) -> int:
    """Note that a tag was hidden, inside the caller's transaction; the act. restoring: see `tags.TagDeletion`."""
    act = _next_act(db)
    db.insert(
        "INSERT INTO deletions (act, at, kind, hidden) VALUES (?, ?, ?, ?)",
        (act, at, Kind.TAG.value, json.dumps(restoring)),
    )
    return act


def list_deleted(db: Database, *, limit: int | None = None, before_id: int | None = None) -> list[Deleted]:
    """What can be brought back, the latest first; `before_id` ended the page before."""
    rows = db.rows(
        f"""
        SELECT deletions.*, conversations.title, messages.role,
            coalesce(tags.name, substr(messages.content, 1, {_TEXT_CHARS})) AS text,
            CASE deletions.kind WHEN 'messages' THEN json_array_length(hidden) WHEN 'chat' THEN
                (SELECT count(*) FROM messages AS inside
                WHERE inside.conversation_id = deletions.conversation_id AND inside.deleted_at IS NULL)
            ELSE (SELECT count(*) FROM conversation_tags WHERE tag_id = tags.id) END AS count
        {_FROM} WHERE {_STILL_DELETED} AND deletions.id < coalesce(:before_id, deletions.id + 1)
        ORDER BY deletions.id DESC LIMIT :row_limit
        """,
        {"before_id": before_id, "row_limit": -1 if limit is None else limit},
    )
    return [_deleted(row) for row in rows]


def deleted_before(db: Database, at: float) -> list[int]:
    """What was deleted before a time, and has not come back."""
    rows = db.rows(f"SELECT deletions.id {_FROM} WHERE {_STILL_DELETED} AND deletions.at < ?", (at,))
    return [row["id"] for row in rows]


def still_deleted(db: Database, ids: Iterable[int]) -> set[int]:
    """Which of these can still be brought back."""
    rows = db.rows(
        f"SELECT deletions.id {_FROM} WHERE {_STILL_DELETED} AND deletions.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {row["id"] for row in rows}


def count_deleted(db: Database) -> int:
    """How many things can be brought back."""
    row = db.row(f"SELECT count(*) AS count {_FROM} WHERE {_STILL_DELETED}")
    return int(row["count"]) if row else 0


def show_chats(db: Database, conversation_ids: Sequence[int]) -> None:
    """Bring chats back, whatever act has hidden them."""
    ids = (json.dumps(conversation_ids),)
    with db.transaction():
        db.write("UPDATE conversations SET deleted_at = NULL WHERE id IN (SELECT value FROM json_each(?))", ids)
        db.write(
            "DELETE FROM deletions WHERE kind = 'chat' AND conversation_id IN (SELECT value FROM json_each(?))", ids
        )


def tidy_deletions(db: Database, conversation_id: int) -> None:
    """Have the acts of a chat name only what is still hidden."""
    for row in db.rows("SELECT * FROM deletions WHERE kind = 'messages' AND conversation_id = ?", (conversation_id,)):
        hidden = [
            found["id"]
            for found in db.rows(
                "SELECT id FROM messages WHERE id IN (SELECT value FROM json_each(?)) AND deleted_at IS NOT NULL "
                "ORDER BY id",
                (row["hidden"],),
            )
        ]
        if not hidden:
            db.write("DELETE FROM deletions WHERE id = ?", (row["id"],))
        elif len(hidden) < len(json.loads(row["hidden"])):
            db.write(
                "UPDATE deletions SET message_id = ?, hidden = ? WHERE id = ?",
                (hidden[0], json.dumps(hidden), row["id"]),
            )


def _next_act(db: Database) -> int:
    row = db.row("SELECT coalesce(max(seq), 0) + 1 AS act FROM sqlite_sequence WHERE name = 'deletions'")
    return int(row["act"]) if row else 1


def _deleted(row: sqlite3.Row) -> Deleted:
    return Deleted(
        id=row["id"],
        act=row["act"],
        at=row["at"],
        kind=Kind(row["kind"]),
        conversation_id=row["conversation_id"],
        title=row["title"] or "",
        text=row["text"] or "",
        role=Role(row["role"]) if row["role"] else None,
        count=row["count"],
    )

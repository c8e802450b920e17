"""Versions: messages of one speaker below the same parent, of which one is shown; and deletion of messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llamachat.core.messages import StoredMessage
from llamachat.storage.database import Database
from llamachat.storage.deletions import note_messages
from llamachat.storage.failures import message_gone
from llamachat.storage.index_queue import tend_index
from llamachat.storage.messages import get_message

_BELOW = """
    WITH RECURSIVE below (id) AS (
        SELECT id FROM messages WHERE id = ? AND deleted_at IS NULL
        UNION ALL
        SELECT messages.id FROM below JOIN messages ON messages.parent_id = below.id
        WHERE messages.deleted_at IS NULL)
    SELECT id FROM below ORDER BY id
"""


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a deletion has hidden; `act` is its number for `undo`."""

    act: int
    conversation_id: int
    ids: tuple[int, ...]


def load_versions(db: Database, conversation_id: int) -> Mapping[int, tuple[int, ...]]:
    """For each message of a chat that has several versions: the ids of all of them, the oldest first."""
    rows = db.rows(
        """
        SELECT group_concat(id) AS ids FROM messages WHERE conversation_id = ? AND deleted_at IS NULL
        GROUP BY parent_id, role HAVING count(*) > 1
        """,
        (conversation_id,),
    )
    groups = [tuple(sorted(int(number) for number in row["ids"].split(","))) for row in rows]
    return {number: group for group in groups for number in group}


def delete_message(db: Database, message_id: int) -> Deletion:
    """Hide a message and all that follows it, on every branch; another version of it is shown, if there is one."""
    with db.transaction():
        message = get_message(db, message_id)
        if message is None:
            raise message_gone()
        ids, chat_id, now = _below(db, message_id), message.conversation_id, db.clock.now()
        row = db.row("SELECT head_id FROM conversations WHERE id = ?", (chat_id,))
        head_id = row["head_id"] if row else None
        others = [number for number in load_versions(db, chat_id).get(message_id, ()) if number not in ids]
        if head_id in ids:
            _set_head(db, chat_id, max(_below(db, others[-1])) if others else _before(db, message, ids))
        db.write(
            "UPDATE messages SET deleted_at = ? WHERE id IN (SELECT value FROM json_each(?))", (now, json.dumps(ids))
        )
        act = note_messages(db, chat_id, ids, head_id=head_id, at=now)
    tend_index(db)
    return Deletion(act, chat_id, ids)


def _before(db: Database, message: StoredMessage, hidden: Sequence[int]) -> int | None:
    """What is shown once a message is hidden; where it was a first one, the newest message that there still is."""
    if message.parent_id is not None:
        return message.parent_id
    row = db.row(
        "SELECT max(id) AS id FROM messages WHERE conversation_id = ? AND deleted_at IS NULL "
        "AND id NOT IN (SELECT value FROM json_each(?))",
        (message.conversation_id, json.dumps(hidden)),
    )
    return row["id"] if row else None


def _below(db: Database, message_id: int) -> tuple[int, ...]:
    """A message and all that follows it."""
    return tuple(row["id"] for row in db.rows(_BELOW, (message_id,)))


def _set_head(db: Database, conversation_id: int, head_id: int | None) -> None:
    db.write("UPDATE conversations SET head_id = ? WHERE id = ?", (head_id, conversation_id))

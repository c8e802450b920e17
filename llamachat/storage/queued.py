"""Questions that wait for the answer before them, in the order in which they are asked. Kept until they are asked."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from llamachat.core.errors import StorageError
from llamachat.core.text import clean, tr
from llamachat.storage.conversations import get_conversation, set_draft
from llamachat.storage.database import Database
from llamachat.storage.failures import conversation_gone


@dataclass(frozen=True, slots=True)
class Queued:
    """A row of `queued`. A lower id is asked earlier."""

    id: int
    conversation_id: int
    text: str


def enqueue(db: Database, conversation_id: int, text: str, *, place: int | None = None) -> Queued:
    """Add a question at the end, or at the place of one that was taken back. What is typed in its chat has become it.

    Raises StorageError.
    """
    with db.transaction():
        queued = _insert(db, conversation_id, clean(text), place=place)
        set_draft(db, conversation_id, "")
    return queued


def discard(db: Database, queued_id: int) -> Queued | None:
    """Take a question out and give it, for `put_back`; None where it was asked or taken back already."""
    with db.transaction():
        queued = get_queued(db, queued_id)
        _remove(db, queued_id)
    return queued


def put_back(db: Database, queued: Queued) -> None:
    """Let a discarded question wait again, at its place; what is typed in its chat stays. Raises StorageError."""
    with db.transaction():
        _insert(db, queued.conversation_id, queued.text, place=queued.id)


def list_queued(db: Database, conversation_id: int) -> list[Queued]:
    """The questions that wait in a chat, the next one first."""
    rows = db.rows(
        "SELECT id, conversation_id, text FROM queued WHERE conversation_id = ? ORDER BY id", (conversation_id,)
    )
    return [_queued(row) for row in rows]


def unsent_text(db: Database, conversation_id: int, typed: str) -> str:
    """What waits in a chat and what is typed there, as one draft: for a chat that is taken elsewhere."""
    waiting = (queued.text for queued in list_queued(db, conversation_id))
    return "\n\n".join(filter(str.strip, (*waiting, typed)))


def get_queued(db: Database, queued_id: int) -> Queued | None:
    """One of them; None where it was asked or taken back."""
    row = db.row("SELECT id, conversation_id, text FROM queued WHERE id = ?", (queued_id,))
    return _queued(row) if row else None


def take_back(db: Database, queued_id: int, *, typed: str) -> str | None:
    """Make a question the draft of its chat again, above what is `typed` there, and return that.

    None, and nothing is changed, where it was asked or taken back already.
    """
    with db.transaction():
        queued = get_queued(db, queued_id)
        if queued is None:
            return None
        _remove(db, queued_id)
        text = f"{queued.text}\n\n{typed}" if typed.strip() else queued.text
        set_draft(db, queued.conversation_id, text)
    return text


def take_out(db: Database, queued_id: int) -> None:
    """Take a question out because it is asked now, in the transaction that stores it.

    Raises StorageError where another window has asked it or taken it back.
    """
    if get_queued(db, queued_id) is None:
        raise StorageError(tr("This message is not waiting any more."), tr("Look into the chat, or type it again."))
    _remove(db, queued_id)


def _insert(db: Database, conversation_id: int, text: str, *, place: int | None) -> Queued:
    if get_conversation(db, conversation_id) is None:
        raise conversation_gone()
    free = place if place is not None and get_queued(db, place) is None else None
    number = db.insert(
        "INSERT INTO queued (id, conversation_id, text, created_at) VALUES (?, ?, ?, ?)",
        (free, conversation_id, text, db.clock.now()),
    )
    return Queued(number, conversation_id, text)


def _remove(db: Database, queued_id: int) -> None:
    db.write("DELETE FROM queued WHERE id = ?", (queued_id,))


def _queued(row: sqlite3.Row) -> Queued:
    return Queued(row["id"], row["conversation_id"], row["text"])

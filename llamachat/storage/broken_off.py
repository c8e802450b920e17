"""Answers that broke off because the program ended: kept in mind until they, or their chats without them, go on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from llamachat.core.messages import Status
from llamachat.storage.conversations import get_state, set_state
from llamachat.storage.database import Database
from llamachat.storage.messages import mark_interrupted
from llamachat.storage.writers import without_writer

KEY = "broken_off"  # in the program's small state


@dataclass(frozen=True, slots=True)
class BrokenOff:
    """The last answer of a chat."""

    message_id: int
    conversation_id: int
    title: str


def mark_broken_off(db: Database) -> int:
    """Mark what killed programs left half written, and give how many; what a living one is writing is left to it."""
    if db.read_only:
        return 0
    with db.transaction():
        rows = db.rows("SELECT id FROM messages WHERE status = ?", (Status.STREAMING.value,))
        if left := without_writer(db.path, (row["id"] for row in rows)):
            mark_interrupted(db, left)
            _keep(db, {*_kept(db), *left})
    return len(left)


def keep_in_mind(db: Database, message_id: int) -> None:
    """Offer an answer at the next start: it is marked already, by a program that was ended in order."""
    with db.transaction():
        _keep(db, {*_kept(db), message_id})


def list_broken_off(db: Database) -> list[BrokenOff]:
    """Those with which their chats end that are still as they broke off, the newest first."""
    rows = db.rows(
        """
        SELECT messages.id, conversation_id, title FROM messages
        JOIN conversations ON head_id = messages.id
        WHERE messages.id IN (SELECT value FROM json_each(?))
        AND status = ? AND finish_reason = '' AND messages.deleted_at IS NULL AND conversations.deleted_at IS NULL
        ORDER BY messages.id DESC
        """,
        (json.dumps(sorted(_kept(db))), Status.INTERRUPTED.value),
    )
    return [BrokenOff(row["id"], row["conversation_id"], row["title"]) for row in rows]


def forget_broken_off(db: Database) -> None:
    """Keep none in mind any more; the answers stay as they are."""
    _keep(db, ())


def forget_in_chat(db: Database, conversation_id: int) -> None:
    """Keep none of a chat in mind that goes on now, with or without them."""
    if kept := _kept(db):
        values = (conversation_id, json.dumps(sorted(kept)))
        sql = "SELECT id FROM messages WHERE conversation_id = ? AND id IN (SELECT value FROM json_each(?))"
        if gone_past := {row["id"] for row in db.rows(sql, values)}:
            _keep(db, kept - gone_past)


def _kept(db: Database) -> set[int]:
    with suppress(ValueError):
        found = json.loads(get_state(db, KEY) or "[]")
        return {number for number in found if isinstance(number, int)} if isinstance(found, list) else set()
    return set()


def _keep(db: Database, numbers: Iterable[int]) -> None:
    set_state(db, KEY, json.dumps(sorted(numbers)))

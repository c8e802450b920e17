"""Answers that could not be written: held in memory, read in place of their rows, written when that is possible."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from llamachat.core.messages import StoredMessage

if TYPE_CHECKING:
    from llamachat.storage.database import Database
    from llamachat.storage.growing_message import GrowingMessage


class UnsavedMessages:
    """What the connections of one program know better than the file. Any thread may call its methods."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: tuple[GrowingMessage, ...] = ()

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, message: GrowingMessage) -> None:
        """Keep a message, which may still grow, until `save` has written it."""
        with self._lock:
            if message not in self._held:
                self._held = (*self._held, message)

    def save(self, db: Database) -> None:
        """Write what is held; what has no row any more is let go. Raises StorageError where something stays held."""
        for message in self._held:
            gone = not message.write(db) and not _has_row(db, message)
            with self._lock:  # its turn may go on, and have failed again by now
                problem = None if gone else message.problem
                if problem is None:
                    self._held = tuple(held for held in self._held if held is not message)
            if problem:
                raise problem

    def over(self, rows: Iterable[StoredMessage]) -> list[StoredMessage]:
        """The rows of the file, with what is held in place of those that are behind."""
        ahead = {message.fields.id: message for message in self._held}
        return [ahead[row.id].message() if row.id in ahead else row for row in rows]


def _has_row(db: Database, message: GrowingMessage) -> bool:
    return db.row("SELECT 1 FROM messages WHERE id = ?", (message.fields.id,)) is not None

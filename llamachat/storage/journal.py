"""The journal: one row for each request that left for anything but the model server, written beside the search."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from llamachat.core.egress import Egress
from llamachat.core.errors import StorageError
from llamachat.core.text import clean
from llamachat.storage.database import Database

MOST_WAITING = 1000  # rows that could not be written yet
_COLUMNS = "at, message_id, host, what, query, bytes_out, bytes_in, seconds, outcome"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A row: what left, and the row's number."""

    id: int
    egress: Egress


def list_journal(db: Database, *, limit: int | None = None, before_id: int | None = None) -> list[JournalEntry]:
    """The rows, newest first; `before_id` is the last one of the page before. Raises StorageError."""
    rows = db.rows(
        f"SELECT id, {_COLUMNS} FROM journal WHERE ? IS NULL OR id < ? ORDER BY id DESC LIMIT ?",
        (before_id, before_id, -1 if limit is None else limit),
    )
    return [_entry(row) for row in rows]


def clear_journal(db: Database) -> int:
    """Delete all rows; returns how many there were. Raises StorageError."""
    return db.write("DELETE FROM journal").rowcount


class Journal:
    """The program's EgressLog: takes rows from any thread at once, and writes them in a thread of its own.

    open_database: for that thread. wanted: whether rows are kept at all now. What cannot be written is tried again
    with the next row, and at the end.
    """

    def __init__(self, open_database: Callable[[], Database], *, wanted: Callable[[], bool]) -> None:
        self._open_database, self._wanted = open_database, wanted
        self._lock = threading.Lock()
        self._waiting: deque[Egress] = deque(maxlen=MOST_WAITING)
        self._writer: threading.Thread | None = None
        self._told: set[str] = set()

    def record(self, egress: Egress) -> None:
        """Take one request down; never raises and never waits for the disk."""
        if not self._wanted():
            return
        with self._lock:
            self._waiting.append(egress)
        self._start()

    def flush(self) -> None:
        """Wait until what was taken down is written, or cannot be."""
        writer = self._start()
        if writer is not None:
            writer.join()

    def _start(self) -> threading.Thread | None:
        """The thread that writes what is waiting; the interpreter waits for it at its end."""
        with self._lock:
            if self._writer is None and self._waiting:
                writer = threading.Thread(target=self._write_all, name="journal")
                with suppress(RuntimeError):  # the interpreter is at its end
                    writer.start()
                    self._writer = writer
            return self._writer

    def _write_all(self) -> None:
        while True:
            with self._lock:
                rows = list(self._waiting)
                self._waiting.clear()
                if not rows:
                    self._writer = None
                    return
            if not self._written(rows):
                with self._lock:
                    self._waiting = deque([*rows, *self._waiting], maxlen=MOST_WAITING)  # the newest are kept
                    self._writer = None
                return

    def _written(self, rows: list[Egress]) -> bool:
        try:
            with self._open_database() as db:
                for sentence in db.report.sentences:
                    self._tell(sentence)
                with db.transaction():
                    for egress in rows:
                        _add(db, egress)
        except StorageError as error:
            self._tell(str(error))
            return False
        except Exception:  # noqa: BLE001  # the outermost frame of the thread: the next rows may fare better
            _log.exception("rows of the journal were lost")
        return True

    def _tell(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            _log.warning("the journal: %s", sentence)


def _add(db: Database, egress: Egress) -> None:
    db.insert(
        f"INSERT INTO journal ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            egress.at,
            egress.message_id,
            clean(egress.host),
            egress.what,
            clean(egress.query),
            egress.bytes_out,
            egress.bytes_in,
            egress.seconds,
            clean(egress.outcome),
        ),
    )


def _entry(row: sqlite3.Row) -> JournalEntry:
    egress = Egress(
        at=row["at"],
        host=row["host"],
        what=row["what"],
        query=row["query"],
        bytes_out=row["bytes_out"],
        bytes_in=row["bytes_in"],
        seconds=row["seconds"],
        outcome=row["outcome"],
        message_id=row["message_id"],
    )
    return JournalEntry(row["id"], egress)

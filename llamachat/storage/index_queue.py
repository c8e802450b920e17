"""Keeping the full-text index in step: what changed is queued by triggers and put into the index here, in slices."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from llamachat.core.errors import StorageError
from llamachat.storage.database import Database
from llamachat.storage.index_tables import TABLE_OF_KIND, is_index_damage, make_index_anew
from llamachat.storage.index_text import index_text

SLICE_ROWS = 1000
_SLICE_CHARACTERS = 1_000_000
_AFTER_A_WRITE_ROWS = 20


def refresh_index(db: Database, *, max_rows: int = SLICE_ROWS) -> int:
    """Put up to `max_rows` changes and about a megabyte of text into the index; returns how many are left.

    A damaged index is made anew: everything is left then, as after the update of an old database. Call again until 0.
    """
    if db.read_only or not _pending(db, limit=1):
        return 0
    rows: list[sqlite3.Row] = []  # stays empty where reading them fails: then the messages are damaged, not the index
    try:
        with db.transaction() as connection:
            rows = _queued(connection, max_rows)
            _index(connection, rows)
    except StorageError as error:
        if not (rows and isinstance(error.__cause__, sqlite3.Error) and is_index_damage(error.__cause__)):
            raise
        empty_index(db)
    return _pending(db)


def tend_index(db: Database) -> None:
    """After a write: keep the index in step where that is quickly done. What fails waits for the next search."""
    if not db.connection.in_transaction:
        with suppress(StorageError):
            refresh_index(db, max_rows=_AFTER_A_WRITE_ROWS)


def empty_index(db: Database) -> None:
    """Make the index anew, empty, with everything queued."""
    with db.transaction() as connection:
        make_index_anew(connection)


def _pending(db: Database, *, limit: int = -1) -> int:
    row = db.row("SELECT count(*) AS n FROM (SELECT 1 FROM index_queue LIMIT ?)", (limit,))
    return int(row["n"]) if row else 0


def _queued(connection: sqlite3.Connection, max_rows: int) -> list[sqlite3.Row]:
    queued = connection.execute(
        """
        SELECT q.kind, q.id, q.indexed, CASE q.kind
            WHEN 'title' THEN (SELECT title FROM conversations WHERE id = q.id)
            ELSE (SELECT content FROM messages WHERE id = q.id AND deleted_at IS NULL) END AS present
        FROM index_queue AS q ORDER BY q.rowid LIMIT ?
        """,
        (max_rows,),
    )
    return list(_first(queued, characters=_SLICE_CHARACTERS))


def _first(rows: Iterable[sqlite3.Row], *, characters: int) -> Iterator[sqlite3.Row]:
    """Yield rows until they hold so much text; at least one."""
    for row in rows:
        yield row
        characters -= len(row["indexed"] or "") + len(row["present"] or "")
        if characters <= 0:
            return


def _index(connection: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> None:
    for kind, table in TABLE_OF_KIND.items():
        _index_rows(connection, table, [row for row in rows if row["kind"] == kind])
    done = [(row["kind"], row["id"]) for row in rows]
    connection.executemany("DELETE FROM index_queue WHERE kind = ? AND id = ?", done)


def _index_rows(connection: sqlite3.Connection, table: str, rows: Sequence[sqlite3.Row]) -> None:
    gone = [(row["id"], index_text(row["indexed"])) for row in rows if row["indexed"] is not None]
    present = [(row["id"], index_text(row["present"])) for row in rows if row["present"] is not None]
    connection.executemany(f"INSERT INTO {table} ({table}, rowid, words) VALUES ('delete', ?, ?)", gone)
    connection.executemany(f"INSERT INTO {table} (rowid, words) VALUES (?, ?)", present)

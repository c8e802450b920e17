"""An import under way: what it has added so far is hidden and noted in `arriving`, so that it can be taken back.

Whoever imports holds a lock that falls with the process: what is noted while nobody holds it was left by one that was
killed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from llamachat.core.errors import StorageError
from llamachat.core.file_lock import try_lock
from llamachat.core.plain_file import open_lock_file
from llamachat.core.text import tr
from llamachat.storage.database import Database
from llamachat.storage.index_queue import refresh_index
from llamachat.storage.opening import IN_MEMORY

_SLICE_ROWS = 400

_SHOW_ABOVE = """
    WITH RECURSIVE above (id) AS (
        SELECT parent_id FROM messages WHERE id IN (SELECT id FROM arriving WHERE kind = 'message')
        UNION
        SELECT messages.parent_id FROM above JOIN messages ON messages.id = above.id)
    UPDATE messages SET deleted_at = NULL WHERE id IN (SELECT id FROM above) AND deleted_at IS NOT NULL
"""


@contextmanager
def one_import(db: Database) -> Iterator[None]:
    """Be the only import, without what an earlier one has left. Raises StorageError where another is under way."""
    with nullcontext() if db.path == IN_MEMORY or db.read_only else _lock(db):
        _drop(db)
        yield


def drop_unfinished_import(db: Database) -> None:
    """Delete what a killed import has left, unless another one is under way; quick where there is nothing."""
    if db.read_only or not db.row("SELECT 1 FROM arriving LIMIT 1"):
        return
    with suppress(StorageError), one_import(db):
        pass


def note_arrival(connection: sqlite3.Connection, kind: str, number: int) -> None:
    """Within the transaction that adds the row."""
    connection.execute("INSERT OR IGNORE INTO arriving (kind, id) VALUES (?, ?)", (kind, number))


def reveal_arrivals(connection: sqlite3.Connection) -> None:
    """Show all that has arrived, in one transaction with what else belongs to the end of an import.

    Messages that were deleted come back where something that has arrived hangs below them.
    """
    connection.execute(_SHOW_ABOVE)
    for kind, table in (("message", "messages"), ("conversation", "conversations")):
        connection.execute(
            f"UPDATE {table} SET deleted_at = NULL WHERE id IN (SELECT id FROM arriving WHERE kind = ?)", (kind,)
        )
    connection.execute("DELETE FROM arriving")


def drop_arrivals(db: Database) -> None:
    """Take back all that has arrived. What cannot be taken back now stays hidden; the next start takes it back."""
    with suppress(StorageError):
        _drop(db)


def _drop(db: Database) -> None:
    """Slice by slice, so that others can write in between; the newest first, so that nothing hangs below a row."""
    own = "SELECT id FROM arriving WHERE kind = 'message'"
    theirs = "SELECT id FROM messages WHERE conversation_id IN (SELECT id FROM arriving WHERE kind = 'conversation')"
    for wanted in (theirs, own):
        while _delete_slice(db, wanted):
            refresh_index(db)
    if db.row("SELECT 1 FROM arriving LIMIT 1"):
        with db.transaction() as connection:
            connection.execute(
                "DELETE FROM conversations WHERE id IN (SELECT id FROM arriving WHERE kind = 'conversation')"
            )
            connection.execute(
                "DELETE FROM tags WHERE id IN (SELECT id FROM arriving WHERE kind = 'tag') "
                "AND id NOT IN (SELECT tag_id FROM conversation_tags)"
            )
            connection.execute("DELETE FROM arriving")
        while refresh_index(db):
            pass


def _delete_slice(db: Database, wanted: str) -> int:
    sql = f"DELETE FROM messages WHERE id IN (SELECT id FROM ({wanted}) ORDER BY id DESC LIMIT {_SLICE_ROWS})"
    return db.write(sql).rowcount


@contextmanager
def _lock(db: Database) -> Iterator[None]:
    try:
        file = open_lock_file(Path(f"{db.path}.importing.lock"))
    except OSError as error:
        raise StorageError(
            tr("The file {path} cannot be used: {reason}.").format(path=error.filename, reason=error.strerror),
            tr("Remove it and check the permissions of its folder, then try again."),
        ) from error
    with file:
        free = True
        with suppress(OSError):  # some network disks have no locks
            free = try_lock(file)
        if not free:
            raise StorageError(
                tr("Another import is under way."), tr("Nothing was changed. Wait for its end, then try again.")
            )
        yield

"""A damaged database: what can be read goes into a fresh one, and the damaged file stays under another name.

Every step can be interrupted: the rescued file is complete before the damaged one is moved, and only copies are read.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from llamachat.core.text import tr
from llamachat.storage.backup import unused_path
from llamachat.storage.migrations import migrate
from llamachat.storage.transactions import immediate

_WITHOUT_IDS = ("state", "arriving")  # small, and read at one go
_TABLES = (
    *("conversations", "messages", "journal", "deletions", "queued", "tags", "conversation_tags"),
    *_WITHOUT_IDS,
)
_CHUNK = 1000
_HIGHEST_GUESS = 1_000_000  # an id, where the file does not tell
_HIGHEST_BELIEVED = 100_000_000
_BESIDE = ("-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Rescue:
    """Where the damaged file lies now, and how much of it was read."""

    damaged: Path
    messages: int


def rescue(path: Path, *, now: float) -> Rescue:
    """Replace the damaged database at `path` by one with all that can be read from it."""
    unfinished = path.with_suffix(".rescuing")
    _remove(unfinished)
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as target:
        migrate(target)
        _fill(target, path)
    shutil.copymode(path, unfinished)
    unfinished.rename(_rescued_path(path))
    return _swap(path, now)


def finish_interrupted_rescue(path: Path, *, now: float) -> Rescue | None:
    """Put a rescued file in its place where the program was killed just before; None where there is none."""
    return _swap(path, now) if _rescued_path(path).exists() else None


def _swap(path: Path, now: float) -> Rescue:
    damaged = unused_path(path, f"damaged-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}")
    for ending in (*_BESIDE, ""):  # the log first: without its database SQLite would delete it
        with suppress(FileNotFoundError):
            Path(f"{path}{ending}").rename(f"{damaged}{ending}")
    _rescued_path(path).rename(path)
    with closing(sqlite3.connect(path)) as connection:
        return Rescue(damaged, connection.execute("SELECT count(*) FROM messages").fetchone()[0])


def _rescued_path(path: Path) -> Path:
    return path.with_suffix(".rescued")


def _fill(target: sqlite3.Connection, path: Path) -> None:
    copy = path.with_suffix(".reading")
    _remove(copy)
    for ending in ("", "-wal"):
        with suppress(FileNotFoundError):
            shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
    try:
        with closing(sqlite3.connect(copy, isolation_level=None)) as source:
            source.execute("PRAGMA writable_schema = ON")  # lets SQLite read a file that is shorter than it says
            source.text_factory = lambda raw: raw.decode("utf-8", "replace")
            with immediate(target):
                for table in _TABLES:
                    _copy_rows(source, target, table)
                mend_links(target)
    finally:
        _remove(copy)


def _copy_rows(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> None:
    there = _columns(source, table)
    names = [name for name in _columns(target, table) if name in there]
    if not names:
        return
    listed, slots = ", ".join(names), ", ".join("?" for _ in names)
    for row in _readable_rows(source, table, listed):
        with suppress(sqlite3.IntegrityError):  # bytes that make no valid row
            target.execute(f"INSERT INTO {table} ({listed}) VALUES ({slots})", [_readable(value) for value in row])


def _readable(value: object) -> object:
    """A value without its end where that lies behind the end of the file: SQLite reads NUL characters there."""
    return value.partition("\0")[0] if isinstance(value, str) else value


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    with suppress(sqlite3.DatabaseError):
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return []


def _readable_rows(source: sqlite3.Connection, table: str, listed: str) -> Iterator[tuple[object, ...]]:
    """Yield every row that can be read; where reading fails the range is halved down to single rows."""
    if table in _WITHOUT_IDS:
        with suppress(sqlite3.DatabaseError):
            yield from source.execute(f"SELECT {listed} FROM {table}")
        return
    highest = _highest_id(source, table)
    for first in range(1, highest + 1, _CHUNK):
        ranges = [(first, min(first + _CHUNK - 1, highest))]
        while ranges:
            low, high = ranges.pop()
            try:
                rows = source.execute(
                    f"SELECT {listed} FROM {table} WHERE id BETWEEN ? AND ?", (low, high)
                ).fetchall()
            except sqlite3.DatabaseError:
                middle = (low + high) // 2
                ranges += [(middle + 1, high), (low, middle)] if low < high else []
            else:
                yield from rows


def _highest_id(source: sqlite3.Connection, table: str) -> int:
    known = []
    for query in (f"SELECT max(id) FROM {table}", f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'"):
        with suppress(sqlite3.DatabaseError):
            known += [row[0] for row in source.execute(query) if isinstance(row[0], int)]
    return min(max(known, default=_HIGHEST_GUESS), _HIGHEST_BELIEVED)


def mend_links(target: sqlite3.Connection) -> None:
    """Give messages and questions whose conversation or parent is lost another one, so that each can be reached."""
    target.execute(
        """
        INSERT INTO conversations (id, uid, title, created_at, updated_at)
        SELECT conversation_id, lower(hex(randomblob(16))), ?, min(created_at), max(created_at)
        FROM (SELECT conversation_id, created_at FROM messages
            UNION ALL SELECT conversation_id, created_at FROM queued)
        WHERE conversation_id NOT IN (SELECT id FROM conversations) GROUP BY conversation_id
        """,
        (tr("Rescued chat"),),
    )
    target.execute(
        """
        UPDATE messages SET parent_id = (
            SELECT max(id) FROM messages AS other
            WHERE other.conversation_id = messages.conversation_id AND other.id < messages.id
            AND (other.deleted_at IS NULL OR messages.deleted_at IS NOT NULL))
        WHERE parent_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM messages AS parent
            WHERE parent.id = messages.parent_id AND parent.conversation_id = messages.conversation_id)
        """
    )
    target.execute(
        "DELETE FROM conversation_tags WHERE conversation_id NOT IN (SELECT id FROM conversations) "
        "OR tag_id NOT IN (SELECT id FROM tags)"
    )
    target.execute(
        """
        UPDATE conversations SET head_id = (
            SELECT max(id) FROM messages WHERE conversation_id = conversations.id AND deleted_at IS NULL)
        WHERE NOT EXISTS (
            SELECT 1 FROM messages
            WHERE messages.id = conversations.head_id AND messages.conversation_id = conversations.id)
        """
    )
    target.execute(
        "UPDATE conversations SET forked_from = NULL WHERE forked_from NOT IN (SELECT id FROM messages)",
    )
    target.execute(
        """
        DELETE FROM deletions WHERE conversation_id NOT IN (SELECT id FROM conversations)
        OR message_id NOT IN (SELECT id FROM messages)
        """
    )


def _remove(path: Path) -> None:
    for ending in (*_BESIDE, ""):
        Path(f"{path}{ending}").unlink(missing_ok=True)

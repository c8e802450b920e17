"""What is read to open a chat: rows that are handed over, and bytes that come from the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.storage.versions import load_versions
from llamachat.ui.opened_chat import FIRST_PAGE, read_chat, read_chat_at
from tests.bench.figures import Bar, Figure
from tests.bench.history_store import LONG_CHAT

_SPARE_ROWS = 3  # of the conversation, and of what is known about it
_READ = Path("/proc/self/io")  # rchar: bytes that read() and its kin gave, from the cache or not


@dataclass
class Reading:
    """What one look at a history took."""

    rows: int = 0
    bytes: int = 0


def reading(path: Path, look: Callable[[Database], object]) -> Reading:
    """Count for a fresh connection, which has nothing of the file in its memory but the schema."""
    found = Reading()

    def row(cursor: sqlite3.Cursor, values: tuple[object, ...]) -> sqlite3.Row:
        found.rows += 1
        return sqlite3.Row(cursor, values)

    with Database.open(path) as db:
        db.row("SELECT count(*) FROM sqlite_schema")
        db.connection.row_factory = row
        before = _bytes_read()
        look(db)
        found.bytes = _bytes_read() - before
    return found


def opening(path: Path) -> Figure:
    """The longest chat, at its end and in its middle, beside all of it."""
    with Database.open(path) as db:
        middle = load_branch(db, 1)[LONG_CHAT // 2].id
    whole = reading(path, lambda db: load_branch(db, 1))
    opened = reading(path, lambda db: (read_chat(db, 1), load_versions(db, 1)))
    jumped = reading(path, lambda db: read_chat_at(db, 1, middle, reveal=False))
    shown = FIRST_PAGE / LONG_CHAT
    return Figure(
        [
            Bar("rows read to open a chat, to those shown", opened.rows / FIRST_PAGE, 1 + _SPARE_ROWS / FIRST_PAGE),
            # A page of the file holds a few messages, and the tree of the chat is read besides.
            Bar("bytes read to open a chat, to the share of it that is shown", opened.bytes / whole.bytes / shown, 4),
            Bar("bytes read to open its middle, to the whole", jumped.bytes / whole.bytes, 0.1),
        ],
        {
            "bytes": {"opened": opened.bytes, "middle": jumped.bytes, "whole": whole.bytes},
            "rows": {"opened": opened.rows, "middle": jumped.rows, "whole": whole.rows},
        },
    )


def _bytes_read() -> int:
    fields = dict(line.split(": ") for line in _READ.read_text(encoding="ascii").splitlines())
    return int(fields["rchar"])

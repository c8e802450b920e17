"""What a history holds, so that two can be compared: every row of every table but what the index is made of."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from llamachat.storage.broken_off import KEY as BROKEN_OFF
from llamachat.storage.migrations import schema_version
from tests.kills.watched import unwatched

Row: TypeAlias = tuple[object, ...]
_TABLES = """
    SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name <> 'index_queue'
    AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\' ORDER BY name
"""

_TAKE_BACK = (
    "DELETE FROM conversations WHERE id IN (SELECT id FROM arriving WHERE kind = 'conversation')",
    "DELETE FROM messages WHERE id IN (SELECT id FROM arriving WHERE kind = 'message')",
    "DELETE FROM arriving",
)


@dataclass(frozen=True)
class State:
    """The rows of each table, and the version of its schema. `streaming` is how many answers were being written."""

    tables: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    version: int = 0
    streaming: int = field(default=0, compare=False)

    def difference(self, other: State) -> str:
        """In words, what another one has not, or has besides."""
        told = []
        for name in sorted({*self.tables, *other.tables}):
            ours, theirs = set(self.tables.get(name, ())), set(other.tables.get(name, ()))
            told += [f"{name} - {row}" for row in ours - theirs] + [f"{name} + {row}" for row in theirs - ours]
        return "\n".join(told)


def state_of(path: Path, *, timeout_s: float = 5.0) -> State:
    """What stands in the file now, as the next start makes it.

    An answer that is being written is marked, and an import that is under way taken back.

    Raises sqlite3.OperationalError where another connection keeps everybody out.
    """
    if not path.exists():
        return State()
    with closing(unwatched(f"{path.absolute().as_uri()}?mode=rw", timeout_s=timeout_s)) as connection:
        names = [row[0] for row in connection.execute(_TABLES)]
        if "arriving" in names and connection.execute("SELECT 1 FROM arriving").fetchone():
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("BEGIN IMMEDIATE")  # never committed
            for statement in _TAKE_BACK:
                connection.execute(statement)
        tables = {name: _rows(connection, name) for name in names}
        streaming = 0
        if "messages" in names:
            count = "SELECT count(*) FROM messages WHERE status = 'streaming'"
            streaming = int(connection.execute(count).fetchone()[0])
        return State(tables, schema_version(connection), streaming)


def _rows(connection: sqlite3.Connection, table: str) -> tuple[Row, ...]:
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    marked = "CASE status WHEN 'streaming' THEN 'interrupted' ELSE status END"
    columns = ", ".join(marked if (table, name) == ("messages", "status") else name for name in names)
    where = f"key <> '{BROKEN_OFF}'" if table == "state" else "1"  # which answers the next start marked
    return tuple(tuple(row) for row in connection.execute(f"SELECT {columns} FROM {table} WHERE {where} ORDER BY 1"))

"""Databases of every schema version as SQL text: `python -m tests.storage.version_dumps` writes the newest one.

The files of older versions are never written again: they are what programs of their time left behind.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

from llamachat.storage.migrations import APPLICATION_ID, LATEST, migrate

Row: TypeAlias = dict[str, object]
FOLDER = Path(__file__).resolve().parent.parent / "data" / "databases"

_CONVERSATIONS: tuple[Row, ...] = (
    {"id": 1, "uid": "c1", "title": "Bees", "created_at": 10.5, "updated_at": 13.0, "model": "m1", "head_id": 4},
    {"id": 2, "uid": "c2", "title": "", "created_at": 20, "updated_at": 20, "prompt": "Be short.", "draft": "half"},
    {"id": 3, "uid": "c3", "title": "Gone", "created_at": 30, "updated_at": 31, "deleted_at": 32, "head_id": 5},
)
_MESSAGES: tuple[Row, ...] = (
    {"id": 1, "conversation_id": 1, "parent_id": None, "role": "user", "content": "What is a bee? 蜜蜂"},
    {"id": 2, "conversation_id": 1, "parent_id": 1, "role": "assistant", "content": "A fly.", "status": "stopped"},
    {
        "id": 3,
        "conversation_id": 1,
        "parent_id": 1,
        "role": "assistant",
        "content": "An insect.",
        "model": "m1",
        "usage": '{"prompt_n": 3}',
        "reasoning": "Hm, é.",
        "prompt": "Be short.",
        "searches": '[{"query": "bee", "results": [{"title": "T", "url": "https://b.example", "content": "C"}], '
        '"error": ""}]',
        "wire": '[{"role": "assistant", "content": "An insect."}]',
    },
    {"id": 4, "conversation_id": 1, "parent_id": 3, "role": "user", "content": "Tha", "status": "streaming"},
    {"id": 5, "conversation_id": 3, "parent_id": None, "role": "user", "content": "deleted chat"},
)
_DELETIONS: tuple[Row, ...] = ({"id": 1, "act": 1, "at": 32.0, "kind": "chat", "conversation_id": 3},)
_QUEUED: tuple[Row, ...] = ({"id": 1, "conversation_id": 1, "text": "And a wasp?", "created_at": 14.5},)
_STATE: tuple[Row, ...] = ({"key": "draft", "value": "new chat"},)
_TAGS: tuple[Row, ...] = (
    {"id": 1, "name": "Zoo", "key": "zoo"},
    {"id": 2, "name": "old", "key": "old", "deleted_at": 14.5},
)
_TAGGED: tuple[Row, ...] = (
    {"id": 1, "conversation_id": 1, "tag_id": 1},
    {"id": 2, "conversation_id": 1, "tag_id": 2},
    {"id": 3, "conversation_id": 3, "tag_id": 1},
)
_JOURNAL: tuple[Row, ...] = (
    {"id": 1, "at": 13.5, "message_id": 3, "host": "b.example", "what": "search", "query": "bee", "outcome": "ok"},
)


def dump_version(version: int) -> str:
    """A database of that schema version with a small history, as SQL text."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, up_to=version)
        for table, rows in (
            *(("conversations", _CONVERSATIONS), ("messages", _MESSAGES), ("state", _STATE)),
            ("journal", _JOURNAL),
            ("deletions", _DELETIONS),
            *(("queued", _QUEUED), ("tags", _TAGS), ("conversation_tags", _TAGGED)),
        ):
            _insert(connection, table, rows)
        return "\n".join(_statements(connection, version)) + "\n"


def load_version(version: int, path: Path) -> None:
    """Make the database of that version at `path`."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript((FOLDER / f"version-{version}.sql").read_text(encoding="utf-8"))


def _insert(connection: sqlite3.Connection, table: str, rows: tuple[Row, ...]) -> None:
    known = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    for row in rows:
        full = (
            row if table != "messages" else row | {"uid": f"m{row['id']}", "created_at": 10 + float(str(row["id"]))}
        )
        values = {name: value for name, value in full.items() if name in known}
        if values:
            slots = ", ".join(f":{name}" for name in values)
            connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({slots})", values)


def _statements(connection: sqlite3.Connection, version: int) -> Iterator[str]:
    yield from (f"PRAGMA application_id = {APPLICATION_ID};", f"PRAGMA user_version = {version};", "BEGIN;")
    made_by_fts = "name LIKE '%\\_fts\\_%' ESCAPE '\\'"
    for kinds in ("'table'", "'index', 'trigger'"):  # triggers after the rows
        for name, sql in connection.execute(
            f"SELECT name, sql FROM sqlite_schema WHERE type IN ({kinds}) AND sql IS NOT NULL "
            f"AND name NOT LIKE 'sqlite%' AND NOT {made_by_fts} ORDER BY rowid"
        ).fetchall():
            yield f"{sql};"
            if kinds == "'table'" and not sql.startswith("CREATE VIRTUAL"):
                yield from _rows(connection, name)
    yield "COMMIT;"


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    quoted = " || ', ' || ".join(f"quote({name})" for name in names)
    for (values,) in connection.execute(f"SELECT {quoted} FROM {table} ORDER BY 1"):
        yield f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values});"


if __name__ == "__main__":
    (FOLDER / f"version-{LATEST}.sql").write_text(dump_version(LATEST), encoding="utf-8", newline="\n")

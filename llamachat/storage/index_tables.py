"""The tables of the full-text index, and making them anew, whatever has become of them: on a bare connection.

The index holds no text of its own (`content=''`). What it knows of a row is taken out by giving the same words again,
so each change is noted with the text that stands in the index (NULL: none) and carried out later, by `index_queue`: a
message can be written whatever has become of the index, and with any program.
"""

from __future__ import annotations

import sqlite3

from llamachat.storage.failures import primary_code

TABLE_OF_KIND = {"message": "messages_fts", "title": "titles_fts"}
INDEX_TABLES = (
    "CREATE VIRTUAL TABLE messages_fts USING fts5(words, content='', columnsize=0, tokenize='ascii')",
    "CREATE VIRTUAL TABLE titles_fts USING fts5(words, content='', columnsize=0, tokenize='ascii')",
)
INDEX_ALL_ANEW = (
    "DELETE FROM index_queue",
    "INSERT INTO index_queue (kind, id) SELECT 'message', id FROM messages WHERE deleted_at IS NULL",
    "INSERT INTO index_queue (kind, id) SELECT 'title', id FROM conversations",
)
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT})


def is_index_damage(error: sqlite3.Error) -> bool:
    """True where a statement on the index alone failed because of what is (not) in its tables."""
    return primary_code(error) in _DAMAGE


def make_index_anew(connection: sqlite3.Connection) -> None:
    """Make the index empty, with everything queued. Runs in a transaction of the caller's."""
    for table in TABLE_OF_KIND.values():
        _drop(connection, table)
    for statement in (*INDEX_TABLES, *INDEX_ALL_ANEW):
        connection.execute(statement)


def _drop(connection: sqlite3.Connection, table: str) -> None:
    """Drop a virtual table, also one whose own tables are so broken that FTS5 refuses to."""
    try:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    except sqlite3.Error as error:
        if not is_index_damage(error):
            raise
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE name = ?", (table,))
        connection.execute("PRAGMA writable_schema = RESET")
        for part in ("data", "idx", "content", "docsize", "config"):
            connection.execute(f"DROP TABLE IF EXISTS {table}_{part}")

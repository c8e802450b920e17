"""What must be so of a history whose program was killed, once it has been started again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from llamachat.storage.arriving import drop_unfinished_import
from llamachat.storage.backup import all_copies
from llamachat.storage.broken_off import KEY as BROKEN_OFF
from llamachat.storage.broken_off import mark_broken_off
from llamachat.storage.conversations import get_state
from llamachat.storage.database import Database
from llamachat.storage.fulltext import IndexRebuilding, search_history
from llamachat.storage.index_tables import INDEX_TABLES
from llamachat.storage.index_text import index_text
from tests.kills.states import State, state_of
from tests.kills.watched import unwatched

# Where it was killed before the first byte of the first history. Had there been another, its rows would be missed.
_STARTED_ANEW = "The history file was empty. A new history has been started."
# Each finds nothing in a history that is whole.
_FAULTS = {
    "a message whose parent is in another chat": """
        SELECT messages.id FROM messages JOIN messages AS parent ON parent.id = messages.parent_id
        WHERE parent.conversation_id <> messages.conversation_id""",
    "a circle in the tree": "SELECT id FROM messages WHERE parent_id >= id",
    "a head that is in no chat, in another or deleted": """
        SELECT conversations.id FROM conversations LEFT JOIN messages ON messages.id = head_id
        WHERE head_id IS NOT NULL
        AND (messages.id IS NULL OR conversation_id <> conversations.id OR messages.deleted_at IS NOT NULL)""",
    "a chat that shows none of its messages": """
        SELECT conversation_id FROM messages JOIN conversations ON conversations.id = conversation_id
        WHERE messages.deleted_at IS NULL AND head_id IS NULL""",
    "a message below a deleted one": """
        SELECT messages.id FROM messages JOIN messages AS parent ON parent.id = messages.parent_id
        WHERE messages.deleted_at IS NULL AND parent.deleted_at IS NOT NULL""",
    "an answer that seems to be written": "SELECT id FROM messages WHERE status = 'streaming'",
}


def start_again(path: Path, *, damaged: bool = False) -> tuple[State, int]:
    """Start the program on the history and look it over; gives what it holds, and how many answers were cut off.

    damaged: the file may be, and is rescued then. Raises AssertionError.
    """
    with Database.open(path, check=True) as db:
        assert damaged or [said for said in db.report.sentences if said != _STARTED_ANEW] == []
        streaming = {row["id"] for row in db.rows("SELECT id FROM messages WHERE status = 'streaming'")}
        mark_broken_off(db)
        assert streaming <= set(json.loads(get_state(db, BROKEN_OFF) or "[]"))
        drop_unfinished_import(db)
        assert [row[0] for row in db.rows("PRAGMA integrity_check")] == ["ok"]
        assert db.rows("PRAGMA foreign_key_check") == []
        for fault, query in _FAULTS.items():
            assert [tuple(row) for row in db.rows(query)] == [], fault
        _check_index(db)
    for copy in all_copies(path):
        with closing(unwatched(copy.absolute().as_uri())) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok", copy
    return state_of(path), len(streaming)


def _check_index(db: Database) -> None:
    """Each word of each message and title stands where it should, and no other."""
    while True:
        try:
            search_history(db, "bee")
        except IndexRebuilding:
            continue
        break
    with closing(sqlite3.connect(":memory:")) as anew:
        for statement in INDEX_TABLES:
            anew.execute(statement)
        for table, query in (
            ("messages_fts", "SELECT id, content AS text FROM messages WHERE deleted_at IS NULL"),
            ("titles_fts", "SELECT id, title AS text FROM conversations"),
        ):
            anew.executemany(
                f"INSERT INTO {table} (rowid, words) VALUES (?, ?)",
                [(row["id"], index_text(row["text"])) for row in db.rows(query)],
            )
            assert _words(db.connection, table) == _words(anew, table), table


def _words(connection: sqlite3.Connection, table: str) -> Sequence[tuple[object, ...]]:
    connection.execute(f"CREATE VIRTUAL TABLE temp.words_there USING fts5vocab(main, {table}, instance)")
    found = connection.execute("SELECT term, doc, col, offset FROM temp.words_there ORDER BY 1, 2, 3, 4").fetchall()
    connection.execute("DROP TABLE temp.words_there")
    return [tuple(row) for row in found]

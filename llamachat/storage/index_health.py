"""Whether the full-text index holds what it should: on a bare connection, without a Database."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from llamachat.storage.index_tables import TABLE_OF_KIND, is_index_damage
from llamachat.storage.index_text import index_text

_SAMPLES = 40
_WORDS_A_SAMPLE = 30
_START_CHARS = 1000  # of a long text the beginning will do
_WHOLE_WORDS = re.compile(rf"(?s)(.{{0,{_START_CHARS}}})(?:\s|$)")


def sample_is_found(connection: sqlite3.Connection) -> bool:
    """Look some messages and titles up in the index: FTS5 may take overwritten data for an empty index, silently."""
    try:
        if connection.execute("SELECT count(*) FROM index_queue").fetchone()[0] > _SAMPLES:
            return True  # it is being built
        return all(
            _is_found(connection, TABLE_OF_KIND[kind], rowid=row["id"], start=row["start"])
            for kind in TABLE_OF_KIND
            for row in _samples(connection, kind)
        )
    except sqlite3.Error as error:
        if is_index_damage(error):
            return False
        raise


def _samples(connection: sqlite3.Connection, kind: str) -> Iterator[sqlite3.Row]:
    """Yield rows spread over all that the index should hold."""
    text, table = ("content", "messages") if kind == "message" else ("title", "conversations")
    held = f"{text} <> '' AND id NOT IN (SELECT id FROM index_queue WHERE kind = '{kind}')"
    held += " AND deleted_at IS NULL" if kind == "message" else ""
    highest = connection.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0
    start = f"substr({text}, 1, {_START_CHARS} + 1) AS start"
    for first in {highest - number * highest // _SAMPLES for number in range(_SAMPLES)}:
        yield from connection.execute(
            f"SELECT id, {start} FROM {table} WHERE id <= ? AND {held} ORDER BY id DESC LIMIT 1", (first,)
        )


def _is_found(connection: sqlite3.Connection, table: str, *, rowid: int, start: str) -> bool:
    whole = _WHOLE_WORDS.match(start)
    words = re.findall("[a-z0-9\u0080-\U0010ffff]+", index_text(whole[1]).lower() if whole else "")
    match = " AND ".join(f'"{word}"' for word in dict.fromkeys(words[:_WORDS_A_SAMPLE]))
    query = f"SELECT count(*) FROM {table} WHERE rowid = ? AND {table} MATCH ?"
    return not words or connection.execute(query, (rowid, match)).fetchone()[0] == 1

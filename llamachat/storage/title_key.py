"""What a list by title is sorted by: the title as the index folds it, with its numbers in the order of their size."""

from __future__ import annotations

import re
import sqlite3

from llamachat.storage.index_text import folded

_NUMBER = re.compile("[0-9]+")
_DIGITS = 12


def title_key(title: str) -> str:
    """For `Über 9`: `uber 000000000009`."""
    words = " ".join(folded(title).split())
    return _NUMBER.sub(lambda number: number.group().zfill(_DIGITS), words)


def make_title_keys(connection: sqlite3.Connection) -> None:
    """Give every chat its key. Runs in a transaction of the caller's."""
    rows = connection.execute("SELECT id, title FROM conversations WHERE title <> ''").fetchall()
    keys = [(title_key(title), number) for number, title in rows]
    connection.executemany("UPDATE conversations SET title_key = ? WHERE id = ?", keys)

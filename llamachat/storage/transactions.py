"""A transaction on a bare connection that has none open."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def immediate(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and alone among writers from the start: nobody has to give way in the middle."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite ends it itself when the disk is full
            connection.execute("ROLLBACK")
        raise

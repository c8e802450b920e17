"""Opening the file: pragmas, the schema, and what to do when something is wrong with it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from llamachat.core.seams import Clock
from llamachat.storage.migrations import migrate

BUSY_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class OpenReport:
    """What opening had to do beside opening, in sentences for the user; nothing on a normal day."""

    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection that is ready for use."""

    connection: sqlite3.Connection
    read_only: bool = False
    report: OpenReport = OpenReport()


def open_connection(path: Path, *, clock: Clock, check: bool) -> Opened:
    """Open the database at `path`, creating it and its folder where they do not exist."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    connection.row_factory = sqlite3.Row
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")
    migrate(connection)
    return Opened(connection)

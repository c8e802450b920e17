"""Looking a database over without changing it, and mending what needs no rescue."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from llamachat.core.errors import StorageError
from llamachat.core.text import tr
from llamachat.storage.database import Database
from llamachat.storage.failures import is_damage, translated
from llamachat.storage.index_health import sample_is_found
from llamachat.storage.index_queue import refresh_index
from llamachat.storage.migrations import LATEST, schema_version
from llamachat.storage.opening import open_to_look
from llamachat.storage.rescue import mend_links
from llamachat.storage.transactions import immediate

_MOST_FINDINGS = 10


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found. `damage` is what SQLite says of it, at most ten lines; a damaged file is not counted."""

    damage: tuple[str, ...] = ()
    lost_links: int = 0
    index_is_whole: bool = True
    chats: int = 0
    messages: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing has to be mended."""
        return not self.damage and not self.lost_links and self.index_is_whole


def check_history(path: Path) -> Checkup:
    """Read the whole file at `path`; raises StorageError where there is none, or another program's."""
    if not path.exists():
        raise StorageError(tr("There is no history at {path} yet.").format(path=path))
    if path.is_file() and not path.stat().st_size:
        return _empty(path)
    with translated(path):
        try:
            with closing(open_to_look(path)) as connection:
                return _looked_over(connection)
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            return Checkup(damage=(str(error),))


def mend(db: Database, found: Checkup) -> None:
    """Mend what opening with a check has left: indexes, links and the full-text index. Raises StorageError."""
    with translated(db.path):
        if found.damage and db.report.damaged is None:
            db.connection.execute("REINDEX")
        if found.lost_links:
            with immediate(db.connection):
                mend_links(db.connection)
    while refresh_index(db):
        pass


def _empty(path: Path) -> Checkup:
    """A file without a byte; what its log holds can be rescued."""
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        return Checkup(damage=(tr("the file is empty, and its log is not"),))
    raise StorageError(
        tr("The history file ({path}) is empty.").format(path=path),
        tr("The program begins a new one there; `llamachat history restore` goes back to a copy."),
    )


def _looked_over(connection: sqlite3.Connection) -> Checkup:
    said = [row[0] for row in connection.execute(f"PRAGMA integrity_check({_MOST_FINDINGS})")]
    if said != ["ok"]:
        return Checkup(damage=tuple(said))
    return Checkup(
        lost_links=len(connection.execute("PRAGMA foreign_key_check").fetchall()),
        index_is_whole=schema_version(connection) < LATEST or sample_is_found(connection),
        chats=_count(connection, "conversations"),
        messages=_count(connection, "messages"),
    )


def _count(connection: sqlite3.Connection, table: str) -> int:
    number: int = connection.execute(f"SELECT count(*) FROM {table} WHERE deleted_at IS NULL").fetchone()[0]
    return number

"""The database: one connection for one thread, with its transactions and errors translated."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TypeAlias

from llamachat.core.clock import SystemClock
from llamachat.core.seams import Clock
from llamachat.storage.disks import is_on_network_disk
from llamachat.storage.failures import translated
from llamachat.storage.open_files import OPEN_FILES
from llamachat.storage.open_report import OpenReport
from llamachat.storage.opening import BUSY_TIMEOUT_S, IN_MEMORY, Opened, Surroundings, open_connection, open_memory
from llamachat.storage.transactions import immediate
from llamachat.storage.unsaved import UnsavedMessages
from llamachat.storage.write_queue import WRITE_QUEUE

Value: TypeAlias = str | int | float | None
Values: TypeAlias = Sequence[Value] | Mapping[str, Value]


class Database:
    """An open database. Made by `open`, used and closed by the thread that opened it.

    `report` says what opening had to do, in sentences for the user; `read_only` that nothing can be saved; `unsaved`
    holds answers that could not be written yet, and is the same for all connections of a program.
    """

    def __init__(self, opened: Opened, path: Path, *, clock: Clock, unsaved: UnsavedMessages | None = None) -> None:
        self.connection: sqlite3.Connection = opened.connection
        self.read_only: bool = opened.read_only
        self.report: OpenReport = opened.report
        self.path = path
        self.clock = clock
        self.unsaved = UnsavedMessages() if unsaved is None else unsaved
        self._data_version: int | None = None
        self._check_file: Callable[[], None] = _nothing
        self._patience_s = BUSY_TIMEOUT_S
        self._turn: Callable[[float], AbstractContextManager[None]] = lambda _: nullcontext()
        self._counted = False

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        clock: Clock | None = None,
        check: bool = False,
        on_network_disk: Callable[[Path], bool] = is_on_network_disk,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
        unsaved: UnsavedMessages | None = None,
    ) -> Database:
        """Open or create the database and bring its schema up to date; raises StorageError.

        check: look through the file first and mend what is damaged (about 0.3 s for 100,000 messages); for
        the start of the program.
        """
        clock = clock or SystemClock()
        OPEN_FILES.check(path, on_network_disk=on_network_disk)
        with translated(path):
            opened = open_connection(path, Surroundings(clock, on_network_disk, busy_timeout_s), check=check)
        db = cls(opened, path, clock=clock, unsaved=unsaved)
        OPEN_FILES.add(path)
        db._patience_s, db._turn = busy_timeout_s, partial(WRITE_QUEUE.turn, path)
        db._counted, db._check_file = True, lambda: OPEN_FILES.check(path, on_network_disk=on_network_disk)
        return db

    @classmethod
    def in_memory(
        cls, *, name: str = "", clock: Clock | None = None, unsaved: UnsavedMessages | None = None
    ) -> Database:
        """A database of which nothing is ever written to a disk; gone when the last connection to it is closed.

        name: shared by all connections of this process that name it; "" is shared by none.
        """
        with translated(IN_MEMORY):
            opened = Opened(open_memory(name))
        return cls(opened, IN_MEMORY, clock=clock or SystemClock(), unsaved=unsaved)

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        with translated(self.path):
            self.connection.close()
        if self._counted:
            OPEN_FILES.remove(self.path)
            self._counted = False

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and alone among writers from the start; inside another one it is part of that.

        Raises StorageError, also where the file is another by now; after any exception nothing of the block is
        stored.
        """
        if self.connection.in_transaction:
            yield self.connection
            return
        self._check_file()
        with self._turn(self._patience_s), translated(self.path), immediate(self.connection):
            yield self.connection

    @contextmanager
    def patience(self, limit_s: float) -> Iterator[None]:
        """Wait at most so long for other writers in the block."""
        before = self._patience_s
        self._set_patience(min(before, limit_s))
        try:
            yield
        finally:
            self._set_patience(before)

    def _set_patience(self, limit_s: float) -> None:
        self._patience_s = limit_s
        with translated(self.path):
            self.connection.execute(f"PRAGMA busy_timeout = {round(limit_s * 1000)}")

    def changed_elsewhere(self) -> bool:
        """Whether another connection, of this program or another, has written since the last call.

        The first call has nothing to compare with, and says no. Costs no reading of the file. Raises StorageError,
        and HistoryGone where the file is another by now.
        """
        self._check_file()
        with translated(self.path):
            version: int = self.connection.execute("PRAGMA data_version").fetchone()[0]
        before, self._data_version = self._data_version, version
        return before not in (None, version)

    def rows(self, sql: str, values: Values = ()) -> list[sqlite3.Row]:
        """All rows of a query; raises StorageError."""
        with translated(self.path):
            return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Values = ()) -> sqlite3.Row | None:
        """The first row of a query; raises StorageError."""
        with translated(self.path):
            row: sqlite3.Row | None = self.connection.execute(sql, values).fetchone()
            return row

    def insert(self, sql: str, values: Values = ()) -> int:
        """Insert one row in a transaction; returns its key. Raises StorageError."""
        return self.write(sql, values).lastrowid or 0

    def write(self, sql: str, values: Values = ()) -> sqlite3.Cursor:
        """Run one statement in a transaction; raises StorageError."""
        with self.transaction() as connection:
            return connection.execute(sql, values)


def _nothing() -> None:
    """What a database in memory has to look after."""

"""Whole copies of the database, made while it is in use, and where they lie."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.storage.failures import history_damaged
from llamachat.storage.migrations import LATEST, schema_version
from llamachat.storage.start_lock import alone

_PAGES_A_STEP = 1000
_MOST_SETBACKS = 20  # where the file is locked, a quarter of a second each


def copy_before_migrating(connection: sqlite3.Connection, path: Path) -> Path | None:
    """Copy a database whose schema is about to change; returns where to, None where there is nothing to keep."""
    version = schema_version(connection)
    if not 0 < version < LATEST:
        return None
    return write_copy(connection, path, unused_path(path, f"before-update-{version}-to-{LATEST}"))


def write_copy(connection: sqlite3.Connection, path: Path, copy: Path, *, cancel: CancelToken | None = None) -> Path:
    """Copy the open database at `path` to the file `copy`, which is there when it is whole, and looked through.

    In write-ahead mode others write meanwhile. Raises HistoryDamaged, sqlite3.Error, OSError and Cancelled, and
    leaves nothing then.
    """
    unfinished = copy.with_name(f"{copy.name}.part")
    try:
        unfinished.unlink(missing_ok=True)
        unfinished.touch(mode=0o600)
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as target:
            with _one_state(connection):
                connection.backup(target, pages=_PAGES_A_STEP, progress=_Progress(cancel))
            target.execute("PRAGMA journal_mode = DELETE")  # one file that needs no other beside it
            with (cancel or CancelToken()).on_cancel(target.interrupt):
                if target.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                    raise history_damaged(path)
        shutil.copymode(path, unfinished)
        return unfinished.replace(copy)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _one_state(connection: sqlite3.Connection) -> Iterator[None]:
    """Read one state of the file from the first page to the last, where that keeps nobody from writing."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal" or connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        yield
    finally:
        connection.execute("ROLLBACK")


class _Progress:
    """Called after each step. Without write-ahead mode a copy begins again when someone writes: not for ever."""

    def __init__(self, cancel: CancelToken | None) -> None:
        self._cancel = cancel
        self._least_left: int | None = None
        self._setbacks = 0

    def __call__(self, _status: int, left: int, _total: int) -> None:
        if self._cancel:
            self._cancel.raise_if_cancelled()
        if self._least_left is None or left < self._least_left:
            self._least_left = left
            return
        self._setbacks += 1
        if self._setbacks > _MOST_SETBACKS:
            raise sqlite3.OperationalError("another program writes to it all the time")


def copies_before_migrating(path: Path) -> list[Path]:
    """The copies made so far, the newest last."""
    return sorted(
        path.parent.glob(f"{path.stem}-before-update-*{path.suffix}"), key=lambda copy: copy.stat().st_mtime
    )


def copies_folder(path: Path) -> Path:
    """Where daily copies and those that were asked for lie."""
    return path.parent / "backups"


def all_copies(path: Path) -> list[Path]:
    """Every copy to go back to, the oldest first."""
    kept = copies_folder(path).glob(f"{path.stem}-*{path.suffix}")
    return sorted([*copies_before_migrating(path), *kept], key=lambda copy: copy.stat().st_mtime)


def unfinished_copies(path: Path) -> list[Path]:
    """Copies that are being made, or that a killed program has left."""
    return sorted(copies_folder(path).glob(f"{path.stem}-*{path.suffix}.part"))


@contextmanager
def one_copy_at_a_time(path: Path) -> Iterator[None]:
    """Keep other processes from making copies of the database at `path` meanwhile. Raises StorageError."""
    with alone(path.with_suffix(".copying")):
        yield


def unused_path(path: Path, what: str) -> Path:
    """`llamachat-WHAT.db` beside `llamachat.db`, with a number where that is taken."""
    return next(candidate for candidate in _candidates(path, what) if not candidate.exists())


def _candidates(path: Path, what: str) -> Iterator[Path]:
    yield path.with_stem(f"{path.stem}-{what}")
    for number in count(2):
        yield path.with_stem(f"{path.stem}-{what}-{number}")

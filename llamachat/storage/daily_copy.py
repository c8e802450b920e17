"""A copy of the database for each day it was used, the last seven kept; and copies when asked for."""

from __future__ import annotations

import re
import shutil
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, StorageError
from llamachat.core.text import tr
from llamachat.storage.backup import copies_folder, one_copy_at_a_time, unfinished_copies, unused_path, write_copy
from llamachat.storage.database import Database
from llamachat.storage.failures import is_damage, storage_error
from llamachat.storage.opening import IN_MEMORY

KEPT = 7
_SPARE_BYTES = 20_000_000
_DAY = re.compile(r".*-\d{4}-\d\d-\d\d")


def make_daily_copy(db: Database, *, cancel: CancelToken | None = None) -> Path | None:
    """Copy the database unless there is a copy of today (by the clock of `db`); returns where to.

    Takes half a second for 100 MB, and keeps nobody from writing. Of several processes one makes it, and the others
    wait. Raises StorageError and Cancelled.
    """
    if db.read_only or db.path == IN_MEMORY:
        return None
    copy = copies_folder(db.path) / db.path.with_stem(f"{db.path.stem}-{_time(db, '%Y-%m-%d')}").name
    if copy.exists():
        return None
    with one_copy_at_a_time(db.path):
        return None if copy.exists() else _make(db, copy, cancel)


def _make(db: Database, copy: Path, cancel: CancelToken | None) -> Path:
    """Make the copy of today, and throw away what it makes superfluous: first what the clock dated later than today
    while it was wrong.
    """
    _copy(db, copy, cancel)
    by_use = sorted(_daily_copies(db.path), key=lambda daily: daily.name <= copy.name)
    for old in (*by_use[:-KEPT], *unfinished_copies(db.path)):
        with suppress(OSError):  # it takes room, no more; the next day tries again
            old.unlink()
    return copy


def make_copy(db: Database, target: Path | None = None) -> Path:
    """Copy the database to `target`, or beside the daily copies, where it stays. Raises StorageError."""
    if target is not None and target.exists():
        raise StorageError(tr("{path} exists already.").format(path=target), tr("Choose another name."))
    if target is not None:
        return _copy(db, target, None)
    with one_copy_at_a_time(db.path):
        name = f"copy-{_time(db, '%Y%m%d-%H%M%S')}"
        return _copy(db, unused_path(copies_folder(db.path) / db.path.name, name), None)


def _copy(db: Database, target: Path, cancel: CancelToken | None) -> Path:
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_room(db.path, target.parent)
        return write_copy(db.connection, db.path, target, cancel=cancel)
    except sqlite3.Error as error:
        if cancel and cancel.cancelled:
            raise Cancelled from error
        if is_damage(error):
            raise storage_error(error, db.path) from error
        raise _not_made(str(error)) from error
    except OSError as error:
        raise _not_made(error.strerror or str(error)) from error


def _check_room(path: Path, folder: Path) -> None:
    """A copy must not take the room that the history itself needs."""
    if shutil.disk_usage(folder).free < path.stat().st_size + _SPARE_BYTES:
        raise _not_made(tr("there is not enough room on the disk"))


def _not_made(reason: str) -> StorageError:
    return StorageError(
        tr("No copy of the history could be made: {reason}.").format(reason=reason),
        tr("The history itself is as it was. Make some room on the disk, then try again."),
    )


def _time(db: Database, pattern: str) -> str:
    return time.strftime(pattern, time.localtime(db.clock.now()))


def _daily_copies(path: Path) -> list[Path]:
    """The oldest first, by the day in their names."""
    copies = copies_folder(path).glob(f"{path.stem}-*{path.suffix}")
    return sorted(copy for copy in copies if _DAY.fullmatch(copy.stem))

"""Going back to a copy of the database: what it replaces is kept beside it, and at no moment is there no history."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from llamachat.core.errors import StorageError
from llamachat.core.text import tr
from llamachat.storage.backup import unused_path, write_copy
from llamachat.storage.checkup import check_history
from llamachat.storage.failures import is_busy, is_damage, translated
from llamachat.storage.opening import open_to_look
from llamachat.storage.start_lock import alone


def restore(path: Path, copy: Path, *, now: float) -> Path | None:
    """Put `copy`, which stays, in the place of the database at `path`; returns where the replaced file lies now.

    Raises StorageError, and nothing is changed then: a copy that is damaged or no history, a history in use.
    """
    if path.exists() and copy.exists() and path.samefile(copy):
        raise StorageError(tr("{path} is the history itself.").format(path=path), tr("Choose one of its copies."))
    found = check_history(copy)
    if found.damage:
        raise StorageError(tr("The copy {path} is damaged.").format(path=copy), tr("Choose another one."))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with alone(path):
            return _restore(path, copy, now)
    except OSError as error:
        raise StorageError(
            tr("The copy cannot be put in place: {reason}.").format(reason=error.strerror or error),
            tr("Check the disk and the permissions, then try again."),
        ) from error


def _restore(path: Path, copy: Path, now: float) -> Path | None:
    ready = path.with_suffix(".restoring")
    try:
        with translated(copy), closing(open_to_look(copy)) as source:
            write_copy(source, copy, ready)
        ready.chmod(0o600)
        replaced = _set_aside(path, now) if path.exists() else None
        ready.replace(path)
    finally:
        ready.unlink(missing_ok=True)
    return replaced


def _set_aside(path: Path, now: float) -> Path:
    """Give the history a second name; what remains under its own is to be replaced at once."""
    _require_unused(path)
    replaced = unused_path(path, f"replaced-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}")
    for ending in ("-wal", ""):
        with suppress(FileNotFoundError):
            _link(Path(f"{path}{ending}"), Path(f"{replaced}{ending}"))
    for ending in ("-wal", "-shm"):  # they would be taken for the copy's own
        Path(f"{path}{ending}").unlink(missing_ok=True)
    return replaced


def _require_unused(path: Path) -> None:
    """Close the log of a history that nobody has open, which leaves one file; a damaged one stays as it is."""
    address = path.absolute().as_uri()
    with translated(path):
        try:
            # Opened for writing, SQLite would delete the log of what is no database.
            with closing(sqlite3.connect(f"{address}?mode=ro", uri=True)) as connection:
                connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            with closing(sqlite3.connect(path, timeout=0.5, isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = DELETE")
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            if is_busy(error):
                raise StorageError(
                    tr("The history is in use."), tr("Close the windows of the program, then try again.")
                ) from error
            if not is_damage(error):
                raise


def _link(source: Path, target: Path) -> None:
    """A second name for the file; a copy of it where the disk has no such names."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copy2(source, target)

"""What SQLite's errors mean for a person: the one place where they become a StorageError."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from llamachat.core.errors import BugError, StorageError
from llamachat.core.text import tr

# SQLite's primary result codes (the low byte of an extended one); https://sqlite.org/rescode.html
_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_READ_ONLY = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM})
# Extended codes. A full disk has a code of its own; a quota or a limit on the size of files comes as one of these.
_NOT_WRITTEN = frozenset(
    {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE}
    | {sqlite3.SQLITE_IOERR_SHMSIZE}
)


class HistoryDamaged(StorageError):
    """The file is broken, and opening it with a check may rescue it."""


def primary_code(error: sqlite3.Error) -> int:
    """The primary result code, or 0 where Python's module raised the error itself."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    """True where the file itself is broken or is no database."""
    return primary_code(error) in _CORRUPT


def is_busy(error: sqlite3.Error) -> bool:
    """True where another connection held the lock for longer than the busy timeout."""
    return primary_code(error) in _BUSY


def storage_error(error: sqlite3.Error, path: Path) -> StorageError:
    """The sentence and the next step for an error of SQLite at the database at `path`."""
    code = primary_code(error)
    if code in _BUSY:
        return history_busy(path)
    if code == sqlite3.SQLITE_FULL:
        return StorageError(
            tr("The disk is full: the history ({path}) could not be saved.").format(path=path),
            tr("Make some room, then try again."),
        )
    if getattr(error, "sqlite_errorcode", 0) in _NOT_WRITTEN:
        return StorageError(
            tr("The disk did not take what was written: the history ({path}) could not be saved.").format(path=path),
            tr("Make some room, or check your quota and the disk, then try again."),
        )
    if code in _READ_ONLY:
        return StorageError(
            tr("The history ({path}) cannot be written to.").format(path=path),
            tr("Check the permissions of the file and its folder."),
        )
    if code in _CORRUPT:
        return history_damaged(path)
    if code == sqlite3.SQLITE_CONSTRAINT:
        return conversation_gone()
    return StorageError(
        tr("The history ({path}) could not be read or written: {error}.").format(path=path, error=error),
        tr("Check the disk and the permissions of the folder, then try again."),
    )


def conversation_gone() -> StorageError:
    """What is said of a conversation that was deleted meanwhile."""
    return StorageError(tr("This chat no longer exists."), tr("Choose another one, or start a new one."))


def message_gone() -> StorageError:
    """What is said of a message that was deleted meanwhile."""
    return StorageError(tr("This message no longer exists."), tr("Open the chat again."))


def history_busy(path: Path) -> StorageError:
    """The sentence for a writer that waited too long for others."""
    return StorageError(
        tr("Another program is writing to the history ({path}).").format(path=path), tr("Try again in a moment.")
    )


def history_damaged(path: Path) -> HistoryDamaged:
    """The sentence for a broken file."""
    return HistoryDamaged(
        tr("The history ({path}) is damaged.").format(path=path),
        tr("Start the program again: it keeps the damaged file and rescues what can be read."),
    )


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite raises inside the block into a StorageError, and misuse of its module into a BugError."""
    try:
        yield
    except sqlite3.ProgrammingError as error:
        raise BugError(str(error)) from error
    except sqlite3.Error as error:
        raise storage_error(error, path) from error

"""Which answers a living process is writing: as long as it does, it holds the lock of a file beside the history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from llamachat.core.file_lock import try_lock
from llamachat.core.plain_file import open_lock_file
from llamachat.storage.opening import IN_MEMORY


@contextmanager
def writing(database: Path, message_id: int) -> Iterator[None]:
    """Let other processes know that this one writes a message; where no file can be made or locked, they do not."""
    path = _lock_file(database, message_id)
    file = None if database == IN_MEMORY else _locked(path)
    try:
        yield
    finally:
        if file:
            _let_go(file, path)


def without_writer(database: Path, message_ids: Iterable[int]) -> list[int]:
    """Those of the messages that nobody is writing. What a killed process has left of its lock is removed."""
    return [number for number in message_ids if _is_free(_lock_file(database, number))]


def _is_free(path: Path) -> bool:
    if not path.exists():
        return True
    with suppress(OSError):
        file = open_lock_file(path)
        if not try_lock(file):
            file.close()
            return False
        _let_go(file, path)
    return True


def _locked(path: Path) -> IO[str] | None:
    with suppress(OSError):
        file = open_lock_file(path)
        with suppress(OSError):  # some network disks have no locks
            try_lock(file)
        return file
    return None


def _let_go(file: IO[str], path: Path) -> None:
    file.close()
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _lock_file(database: Path, message_id: int) -> Path:
    return Path(f"{database}.writing-{message_id}.lock")

"""One process at a time creates, updates, mends or copies a database; the others wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from llamachat.core.errors import StorageError
from llamachat.core.file_lock import lock
from llamachat.core.plain_file import open_lock_file
from llamachat.core.text import tr


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the file `path` with `.lock` at its end; the lock falls with the process. Raises StorageError."""
    with _opened(Path(f"{path}.lock")) as file:
        with suppress(OSError):  # some network disks have no locks
            lock(file)
        yield


def _opened(path: Path) -> IO[str]:
    try:
        return open_lock_file(path)
    except OSError as error:
        raise StorageError(
            tr("The file {path} cannot be used: {reason}.").format(path=path, reason=error.strerror),
            tr("Remove it and check the permissions of its folder, then start the program again."),
        ) from error

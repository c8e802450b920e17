"""One process at a time creates, updates or mends a database; the others wait."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock file beside the database at `path`; the lock falls with the process."""
    with Path(f"{path}.lock").open("w", encoding="utf-8") as file:
        with suppress(OSError):  # some network disks have no locks
            _lock(file)
        yield

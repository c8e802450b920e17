"""A lock on an open file, between the processes of one person; it falls with the process that holds it."""

from __future__ import annotations

import sys
from typing import IO, Any

if sys.platform == "win32":
    import msvcrt

    def lock(file: IO[Any]) -> None:
        """Wait for the file and lock it until it is closed; raises OSError where there are no locks."""
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

    def try_lock(file: IO[Any]) -> bool:
        """Lock the file until it is closed, if nobody else has; does not wait."""
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def lock(file: IO[Any]) -> None:
        """Wait for the file and lock it until it is closed; raises OSError where there are no locks."""
        fcntl.flock(file, fcntl.LOCK_EX)

    def try_lock(file: IO[Any]) -> bool:
        """Lock the file until it is closed, if nobody else has; does not wait. Raises OSError without locks."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

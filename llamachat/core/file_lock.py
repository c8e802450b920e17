"""A lock on an open file, between the processes of one person; it falls with the process that holds it."""

from __future__ import annotations

import sys
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def lock(file: IO[str]) -> None:
        """Wait for the file and lock it until it is closed; raises OSError where there are no locks."""
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def lock(file: IO[str]) -> None:
        """Wait for the file and lock it until it is closed; raises OSError where there are no locks."""
        fcntl.flock(file, fcntl.LOCK_EX)

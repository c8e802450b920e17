"""Files that are named in settings or stand in shared folders. A pipe in the place of one would be waited for."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO

from llamachat.core.text import tr


def plain_file(name: str | Path) -> Path:
    """The path, with `~` read. Raises OSError where something else than a file stands there."""
    try:
        path = Path(name).expanduser()
    except RuntimeError as error:
        raise OSError(errno.ENOENT, tr("there is no such user")) from error
    if path.exists() and not path.is_file():
        raise _no_file(path)
    return path


def open_lock_file(path: Path) -> IO[str]:
    """Open the file for locking, or make it; never waits. Raises OSError, also where something else stands there."""
    number = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o666)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise _no_file(path)
    return os.fdopen(number, "w", encoding="utf-8")


def _no_file(path: Path) -> OSError:
    return OSError(errno.EINVAL, tr("it is no file"), str(path))

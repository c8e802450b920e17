"""Replacing a file whole: a reader sees the old bytes or the new ones, also after a power cut."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, data: bytes, *, check: Callable[[Path], None] = lambda _: None) -> None:
    """Write `data` beside the file, let `check` look at what was written, rename it over the file.

    A symbolic link stays and the file it points to is replaced. Permissions stay; a new file is for its owner
    alone. What `check` raises leaves the old file as it was. Raises OSError.
    """
    target = Path(os.path.realpath(path))
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    written = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            written.chmod(stat.S_IMODE(target.stat().st_mode))
        check(written)
        written.replace(target)
    except BaseException:
        with suppress(OSError):
            written.unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the renaming last. Windows cannot open a folder and needs none of this."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

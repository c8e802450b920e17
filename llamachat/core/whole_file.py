"""A file that is there as a whole or not at all: written beside its place, and renamed at the end."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

_KEPT_CHARS = 40  # of a name in that of the file beside it: names may have 255 bytes


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Write a text in UTF-8; what is raised inside leaves what was there. Raises OSError.

    What is no file (a pipe, a device) is written to as it is.
    """
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        return
    with whole_path(path) as beside, beside.open("w", encoding="utf-8", newline="\n") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def whole_path(path: Path) -> Iterator[Path]:
    """A file to write that becomes `path` at the end; links and permissions of that stay. Raises OSError."""
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name[:_KEPT_CHARS]}.{secrets.token_hex(8)}.part")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    beside.touch(mode=0o666 if mode is None else 0o600, exist_ok=False)  # less what the person's umask takes away
    try:
        yield beside
        if mode is not None:
            beside.chmod(mode)
        beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise

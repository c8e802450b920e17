"""Whole copies of the database, made while it is in use."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

from llamachat.storage.migrations import LATEST, schema_version


def copy_before_migrating(connection: sqlite3.Connection, path: Path) -> Path | None:
    """Copy a database whose schema is about to change; returns where to, None where there is nothing to keep."""
    version = schema_version(connection)
    if not 0 < version < LATEST:
        return None
    copy = unused_path(path, f"before-update-{version}-to-{LATEST}")
    unfinished = copy.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(unfinished)) as target:
        connection.backup(target)
    shutil.copymode(path, unfinished)
    return unfinished.rename(copy)


def copies_before_migrating(path: Path) -> list[Path]:
    """The copies made so far, the newest last."""
    return sorted(
        path.parent.glob(f"{path.stem}-before-update-*{path.suffix}"), key=lambda copy: copy.stat().st_mtime
    )


def unused_path(path: Path, what: str) -> Path:
    """`llamachat-WHAT.db` beside `llamachat.db`, with a number where that is taken."""
    return next(candidate for candidate in _candidates(path, what) if not candidate.exists())


def _candidates(path: Path, what: str) -> Iterator[Path]:
    yield path.with_stem(f"{path.stem}-{what}")
    for number in count(2):
        yield path.with_stem(f"{path.stem}-{what}-{number}")

"""What becomes of the file with the chats, for pictures of what the window then says."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing

from llamachat.config.paths import Paths
from llamachat.storage.daily_copy import make_daily_copy
from llamachat.storage.database import Database
from llamachat.storage.migrations import LATEST
from tests.gallery.old_chats import make_history


def damaged(paths: Paths) -> None:
    """An index that cannot be read, beside a copy of the day before."""
    make_history(paths)
    with Database.open(paths.database) as db:
        make_daily_copy(db)
    with closing(sqlite3.connect(paths.database)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'messages_created'").fetchone()
    content = bytearray(paths.database.read_bytes())
    content[(root - 1) * 4096 : (root - 1) * 4096 + 200] = b"\xa5" * 200
    paths.database.write_bytes(content)


def newer(paths: Paths) -> None:
    """Written by a later version of the program."""
    make_history(paths)
    with closing(sqlite3.connect(paths.database)) as connection:
        connection.execute(f"PRAGMA user_version = {LATEST + 1}")


FILE_STATES: Mapping[str, Callable[[Paths], None]] = {"file-damaged": damaged, "file-newer": newer}

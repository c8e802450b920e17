"""Opens a copy of a database once for each statement of it, and kills that process just before the statement.

`python -m tests.fakes.killed_opening FILE FOLDER` leaves in FOLDER a folder 0, 1, 2 ... for each kill, with the file
and what the opening had put beside it. The last one is of a process that was not killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from itertools import count
from pathlib import Path

from llamachat.storage.database import Database


def open_and_die(path: Path, statements: int) -> None:
    """Open the database as the program does, up to a statement."""
    left = statements

    def step(_: str) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    class Watched(sqlite3.Connection):
        """Tells of each statement before it runs, those of triggers too."""

        def __init__(self, *given: object, **named: object) -> None:
            super().__init__(*given, **named)  # type: ignore[arg-type]  # handed on as they came
            self.set_trace_callback(step)

    connect = sqlite3.connect
    sqlite3.connect = lambda *given, **named: connect(*given, factory=Watched, **named)  # type: ignore[assignment]  # one signature for all
    Database.open(path).close()


def main(source: Path, folder: Path) -> None:
    """One process after the other, until one lives."""
    for statements in count():
        path = folder / str(statements) / source.name
        path.parent.mkdir()
        shutil.copyfile(source, path)
        child = os.fork()
        if not child:
            open_and_die(path, statements)
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""Which file a path meant when this process opened it. A file that was deleted or replaced since is written in vain.

SQLite does not notice: it goes on with a file that has no name any more, and a new connection would make a new one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from llamachat.core.errors import StorageError
from llamachat.core.text import tr

_Identity = tuple[int, int]


class HistoryGone(StorageError):
    """The file was deleted, moved or replaced while it was open."""


@dataclass(slots=True)
class _Entry:
    identity: _Identity | None
    connections: int = 0


class OpenFiles:
    """The files of all connections of a process, counted. For all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[Path, _Entry] = {}

    def add(self, path: Path) -> None:
        """A connection has been opened."""
        with self._lock:
            self._entries.setdefault(path, _Entry(_identity(path))).connections += 1

    def remove(self, path: Path) -> None:
        """A connection has been closed; after the last one the path may mean another file."""
        with self._lock:
            entry = self._entries[path]
            entry.connections -= 1
            if not entry.connections:
                del self._entries[path]

    def check(self, path: Path, *, on_network_disk: Callable[[Path], bool]) -> None:
        """Raises HistoryGone where connections are open whose file is not at the path any more.

        Network disks may number a file anew; there only a file that is missing counts.
        """
        entry = self._entries.get(path)
        now = _identity(path)
        if entry is None or entry.identity == now:
            return
        if now is None:
            raise _gone(tr("The history ({path}) was deleted or moved while the program runs."), path)
        if not on_network_disk(path):
            raise _gone(tr("The history ({path}) was replaced by another file while the program runs."), path)


OPEN_FILES = OpenFiles()


def _identity(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _gone(sentence: str, path: Path) -> HistoryGone:
    return HistoryGone(
        f"{sentence.format(path=path)} {tr('Nothing can be saved.')}",
        tr("Put the file back; or copy what you want to keep of the open chats, and start the program again."),
    )

"""Threads of this process that want to write to the same file: who came first goes first.

SQLite lets a writer look for its turn ever more seldom, at last every tenth of a second, and whoever looks at the
right moment is next: among a dozen of them one can miss its turn for seconds. Other processes still have to be lucky.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from llamachat.storage.failures import history_busy


class WriteQueue:
    """The threads that wait, by their file. For all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Path, deque[threading.Event]] = {}

    @contextmanager
    def turn(self, path: Path, limit_s: float) -> Iterator[None]:
        """Wait until all who came before are done; raises StorageError when that takes longer."""
        mine = threading.Event()
        with self._lock:
            queue = self._waiting.setdefault(path, deque())
            queue.append(mine)
            if queue[0] is mine:
                mine.set()
        try:
            if not mine.wait(limit_s):
                raise history_busy(path)
            yield
        finally:
            with self._lock:
                queue.remove(mine)
                if queue:
                    queue[0].set()
                else:
                    del self._waiting[path]


WRITE_QUEUE = WriteQueue()

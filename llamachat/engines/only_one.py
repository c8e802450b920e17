"""A lock between processes, so that of several that want the same made one makes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.file_lock import try_lock
from llamachat.core.plain_file import open_lock_file

_TICK_S = 0.2


@contextmanager
def only_one(lock: Path, cancel: CancelToken) -> Iterator[None]:
    """Hold the lock; the system lets go of it when its holder dies. Waiting can be cancelled: raises Cancelled."""
    with open_lock_file(lock) as file:
        while not try_lock(file):
            if cancel.wait(_TICK_S):
                cancel.raise_if_cancelled()
        yield

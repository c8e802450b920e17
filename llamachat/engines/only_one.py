"""Locks that are waited for until Stop: between processes that want the same made, and between threads."""

from __future__ import annotations

import threading
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


@contextmanager
def one_thread(lock: threading.Lock, cancel: CancelToken) -> Iterator[None]:
    """Hold the lock. Raises Cancelled while another thread is waited for."""
    while not lock.acquire(timeout=_TICK_S):
        cancel.raise_if_cancelled()
    try:
        yield
    finally:
        lock.release()

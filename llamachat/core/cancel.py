"""Stop, from any thread: a token that wakes whatever the working thread is blocked in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llamachat.core.errors import Cancelled


class CancelToken:
    """Set once, by any thread. Callbacks run in the thread that cancels and must be short and not raise."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []
        self._program_ends = False

    @property
    def cancelled(self) -> bool:
        """True once `cancel` was called."""
        return self._event.is_set()

    @property
    def program_ends(self) -> bool:
        """True where it was set because the program ends: nobody wanted to stop just this."""
        return self._program_ends

    def cancel(self, *, program_ends: bool = False) -> None:
        """Set the token and run what stands registered; a second call does nothing."""
        with self._lock:
            if self._event.is_set():
                return
            self._program_ends = program_ends
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    @contextmanager
    def on_cancel(self, callback: Callable[[], object]) -> Iterator[None]:
        """Have `callback` run on `cancel` while the block lasts; at once if that has happened already."""
        with self._lock:
            pending = not self._event.is_set()
            if pending:
                self._callbacks.append(callback)
        if not pending:
            callback()
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

    def wait(self, timeout_s: float) -> bool:
        """Sleep up to `timeout_s` seconds; True as soon as the token is set."""
        return self._event.wait(timeout_s)

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled once the token is set."""
        if self._event.is_set():
            raise Cancelled

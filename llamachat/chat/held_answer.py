"""An answer that has begun while it is still open whether it will be read."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, Delta
from llamachat.core.errors import Cancelled
from llamachat.core.seams import Completer


@contextmanager
def hung_up(deltas: Iterator[Delta]) -> Iterator[Iterator[Delta]]:
    """Hang up at the end of the block, however it ends."""
    try:
        yield deltas
    finally:
        if isinstance(deltas, Generator):
            deltas.close()


class HeldAnswer:
    """Reads an answer in a thread of its own. Either `deltas` or `drop` is called, in the thread that made it."""

    def __init__(self, completer: Completer, request: CompletionRequest, cancel: CancelToken) -> None:
        self._cancel, self._own = cancel, CancelToken()
        self._came: queue.SimpleQueue[Delta | BaseException | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, args=(completer, request), name="held answer")
        self._thread.start()

    def deltas(self) -> Iterator[Delta]:
        """What came so far and what still comes, as `Completer.stream` gives it; hangs up when closed."""
        try:
            with self._cancel.on_cancel(self._own.cancel):
                while (piece := self._came.get()) is not None:
                    if isinstance(piece, BaseException):
                        raise piece
                    yield piece
        finally:
            self.drop()

    def drop(self) -> None:
        """Hang up, so that the server stops; wait until that has happened."""
        self._own.cancel()
        self._thread.join()

    def _read(self, completer: Completer, request: CompletionRequest) -> None:
        try:
            with self._cancel.on_cancel(self._own.cancel), hung_up(completer.stream(request, self._own)) as deltas:
                for delta in deltas:
                    self._came.put(delta)
            self._came.put(None)
        except BaseException as error:  # noqa: BLE001 - raised where the answer is read
            self._came.put(Cancelled() if isinstance(error, Cancelled) else error)

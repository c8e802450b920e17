"""Work that may block where nothing can wake it (a look-up, a connect), with a deadline and with Stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from typing import TypeVar

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled

T = TypeVar("T")


def in_thread(work: Callable[[], T], timeout_s: float, *, cancel: CancelToken, name: str) -> T:
    """Run `work` in a thread; raises TimeoutError at the deadline, Cancelled at once on Stop.

    Neither a look-up nor a connect can be woken. Then the thread is left behind and ends by their own limits.
    """
    future: Future[T] = Future()

    def run() -> None:
        with suppress(InvalidStateError):  # nobody waits any more
            try:
                future.set_result(work())
            except Exception as error:  # noqa: BLE001  # the outermost frame of the thread: raised where it is awaited
                future.set_exception(error)

    def give_up() -> None:
        future.cancel()

    with cancel.on_cancel(give_up):
        threading.Thread(target=run, name=name, daemon=True).start()
        try:
            return future.result(timeout_s)
        except CancelledError:
            raise Cancelled from None

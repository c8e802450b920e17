"""Ctrl-C while a turn runs."""

from __future__ import annotations

import signal
import threading

from llamachat.cli.ask import interrupt_stops
from llamachat.core.cancel import CancelToken


def test_an_interrupt_sets_the_token_from_another_thread() -> None:
    """The main thread may hold the token's lock when the signal comes: a handler that waits for it would hang."""
    cancel, called = CancelToken(), threading.Event()
    callers: list[threading.Thread] = []

    def note() -> None:
        callers.append(threading.current_thread())
        called.set()

    before = signal.getsignal(signal.SIGINT)
    with interrupt_stops(cancel), cancel.on_cancel(note):
        signal.raise_signal(signal.SIGINT)
        assert called.wait(60)
    assert threading.main_thread() not in callers
    assert cancel.cancelled
    assert signal.getsignal(signal.SIGINT) is before

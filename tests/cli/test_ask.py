"""Ctrl-C and its like while a turn runs."""

from __future__ import annotations

import signal
import threading

import pytest

from llamachat.cli.ask import interrupt_stops
from llamachat.core.cancel import CancelToken


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_sets_the_token_from_another_thread(number: signal.Signals) -> None:
    """The main thread may hold the token's lock when the signal comes: a handler that waits for it would hang."""
    cancel, called = CancelToken(), threading.Event()
    callers: list[threading.Thread] = []

    def note() -> None:
        callers.append(threading.current_thread())
        called.set()

    before = signal.getsignal(number)
    with interrupt_stops(cancel), cancel.on_cancel(note):
        signal.raise_signal(number)
        assert called.wait(60)
    assert threading.main_thread() not in callers
    assert cancel.cancelled
    assert signal.getsignal(number) is before


def test_a_signal_that_the_caller_had_ignored_stays_ignored() -> None:
    """`nohup llamachat ask` goes on when the terminal closes."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupt_stops(CancelToken()):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)

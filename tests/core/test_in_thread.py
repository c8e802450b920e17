"""Work in a thread: its result, its error, its end by time and by Stop; and connections that are hung up."""

from __future__ import annotations

import socket
import threading

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled
from llamachat.core.in_thread import in_thread
from llamachat.core.line import Line


def test_the_result_and_the_error_come_through() -> None:
    assert in_thread(lambda: 5, 20, cancel=CancelToken(), name="t") == 5
    with pytest.raises(ZeroDivisionError):
        in_thread(lambda: 1 // 0, 20, cancel=CancelToken(), name="t")


def test_time_is_up() -> None:
    release = threading.Event()
    with pytest.raises(TimeoutError):
        in_thread(release.wait, 0.01, cancel=CancelToken(), name="t")
    release.set()


def test_stop_does_not_wait_for_the_work() -> None:
    cancel, release = CancelToken(), threading.Event()

    def work() -> None:
        cancel.cancel()
        release.wait(20)

    with pytest.raises(Cancelled):
        in_thread(work, 20, cancel=cancel, name="t")
    release.set()


@pytest.mark.parametrize("before", [True, False])
def test_hanging_up_ends_connections_also_those_that_come_later(before: bool) -> None:
    line, (ours, theirs) = Line(), socket.socketpair()
    with ours, theirs:
        theirs.settimeout(20)
        if before:
            line.hang_up()
        line.hold(ours)
        line.hang_up()
        line.hang_up()
        assert theirs.recv(1) == b""

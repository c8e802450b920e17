"""The Stop token: callbacks run once, in time, and never after their block."""

from __future__ import annotations

import threading

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled


def test_a_callback_runs_once_when_cancelled() -> None:
    token, calls = CancelToken(), list[str]()
    with token.on_cancel(lambda: calls.append("stop")):
        token.cancel()
        token.cancel()
    assert calls == ["stop"]


def test_a_callback_is_forgotten_after_its_block() -> None:
    token, calls = CancelToken(), list[str]()
    with token.on_cancel(lambda: calls.append("stop")):
        pass
    token.cancel()
    assert calls == []


def test_a_late_callback_runs_at_once() -> None:
    token, calls = CancelToken(), list[str]()
    token.cancel()
    with token.on_cancel(lambda: calls.append("stop")):
        assert calls == ["stop"]


def test_the_same_callback_may_stand_in_two_blocks() -> None:
    token, calls = CancelToken(), list[int]()

    def note() -> None:
        calls.append(1)

    with token.on_cancel(note):
        with token.on_cancel(note):
            pass
        token.cancel()
    assert calls == [1]


def test_wait_ends_when_another_thread_cancels() -> None:
    token = CancelToken()
    assert token.wait(0) is False
    thread = threading.Thread(target=token.cancel)
    thread.start()
    assert token.wait(60) is True
    thread.join()


def test_raise_if_cancelled() -> None:
    token = CancelToken()
    token.raise_if_cancelled()
    token.cancel()
    with pytest.raises(Cancelled):
        token.raise_if_cancelled()

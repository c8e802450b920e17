"""Exceptions that nothing caught are logged and told, and the program runs on. For signals see `tests/end2end`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from llamachat.core.errors import UserFacingError
from llamachat.ui.process_events import report_exceptions


@pytest.fixture
def told(qtbot: QtBot, owner: QObject) -> Iterator[list[str]]:
    """What is told while exceptions are reported."""
    before, threads_before = sys.excepthook, threading.excepthook
    sentences: list[str] = []

    def tell(error: UserFacingError) -> None:
        sentences.append(error.sentence)

    report_exceptions(tell, owner)
    yield sentences
    sys.excepthook, threading.excepthook = before, threads_before


def fail() -> None:
    """Go wrong."""
    raise ZeroDivisionError


@pytest.mark.qt_no_exception_capture
def test_in_a_slot(qtbot: QtBot, told: list[str], caplog: pytest.LogCaptureFixture) -> None:
    QTimer.singleShot(0, fail)
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["Something went wrong inside the program."]
    assert "ZeroDivisionError" in caplog.text


def test_in_a_thread(qtbot: QtBot, told: list[str], caplog: pytest.LogCaptureFixture) -> None:
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(told))
    assert "ZeroDivisionError" in caplog.text

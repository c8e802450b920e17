"""What reaches the process from outside the window: signals to end, and exceptions that nothing caught."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QObject, QSocketNotifier, Signal
from PySide6.QtWidgets import QWidget

from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr

log = logging.getLogger(__name__)


def end_on_signals(window: QWidget) -> None:
    """Close the window on SIGINT, SIGTERM and SIGHUP.

    Python runs its handlers between lines of Python only, and the event loop is none: a pipe wakes it.
    """
    reader, writer = os.pipe()
    for pipe_end in (reader, writer):
        os.set_blocking(pipe_end, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
        if number := getattr(signal, name, None):
            signal.signal(number, lambda *_: None)
    notifier = QSocketNotifier(reader, QSocketNotifier.Type.Read, window)

    def end() -> None:
        if os.read(reader, 64):
            window.close()

    notifier.activated.connect(end)


class _Reporter(QObject):
    """Carries a failure into the GUI thread, wherever it happened."""

    happened = Signal()

    def __init__(self, tell: Callable[[UserFacingError], None]) -> None:
        super().__init__()
        self._tell = tell
        self.happened.connect(self._run)

    def _run(self) -> None:
        self._tell(_sentence())


def report_exceptions(tell: Callable[[UserFacingError], None]) -> None:
    """Log every exception that nothing caught, and tell the person in a sentence; the program runs on."""
    reporter = _Reporter(tell)

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.error("an exception was not caught", exc_info=(kind, error, trace))
        reporter.happened.emit()

    def thread_hook(details: threading.ExceptHookArgs) -> None:
        hook(details.exc_type, details.exc_value or details.exc_type(), details.exc_traceback)

    sys.excepthook = hook
    threading.excepthook = thread_hook


def _sentence() -> UserFacingError:
    return UserFacingError(
        tr("Something went wrong inside the program."), tr("What it was stands in the terminal it was started from.")
    )

"""What reaches the process from outside the window: signals to end, and exceptions that nothing caught."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr

log = logging.getLogger(__name__)

POLL_MS = 200


def end_on_signals(end: Callable[[], object], window: QWidget) -> None:
    """Call `end` on SIGINT, SIGTERM and SIGHUP while `window` lives."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):  # Windows has no SIGHUP
            signal.signal(number, lambda *_: QTimer.singleShot(0, end))
    _let_handlers_run(window)


def _let_handlers_run(window: QWidget) -> None:
    """Python runs its handlers between lines of Python only, and the event loop is none: something must wake it."""
    if sys.platform == "win32":  # a pipe cannot be watched there
        timer = QTimer(window)
        timer.timeout.connect(lambda: None)
        timer.start(POLL_MS)
        return
    reader, writer = os.pipe()
    for pipe_end in (reader, writer):
        os.set_blocking(pipe_end, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    notifier = QSocketNotifier(reader, QSocketNotifier.Type.Read, window)
    notifier.activated.connect(lambda: os.read(reader, 64))


class _Reporter(QObject):
    """Carries a failure into the GUI thread, wherever it happened."""

    happened = Signal()

    def __init__(self, tell: Callable[[UserFacingError], None], parent: QObject) -> None:
        super().__init__(parent)
        self._tell = tell
        self.happened.connect(self._run)

    def _run(self) -> None:
        self._tell(_sentence())


def report_exceptions(tell: Callable[[UserFacingError], None], parent: QObject) -> None:
    """Log every exception that nothing caught, and tell the person in a sentence while `parent` lives."""
    reporter = _Reporter(tell, parent)

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.error("an exception was not caught", exc_info=(kind, error, trace))
        if isValid(reporter):
            reporter.happened.emit()

    def thread_hook(details: threading.ExceptHookArgs) -> None:
        hook(details.exc_type, details.exc_value or details.exc_type(), details.exc_traceback)

    sys.excepthook = hook
    threading.excepthook = thread_hook


def _sentence() -> UserFacingError:
    return UserFacingError(
        tr("Something went wrong inside the program."), tr("What it was stands in the terminal it was started from.")
    )

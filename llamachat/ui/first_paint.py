"""What waits until the window is painted: the picture comes sooner without it, and nobody misses it before."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from llamachat.render.code import find_lexer

# Their rules take 10 to 40 ms each to compile, which would be seen in the middle of an answer.
_LANGUAGES = ("python", "bash", "javascript", "cpp", "json", "css", "html", "sql")
_PAUSE_MS = 400


class FirstPaint(QObject):
    """Tells once that a window has been painted."""

    done = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wait for the first painting; the parts of the window are painted right after it."""
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self, self.done.emit)
        return False


class WarmUp(QObject):
    """Gets the colours of code ready, one language at a time with pauses between."""

    def __init__(self, parent: QObject, *, pause_ms: int = _PAUSE_MS) -> None:
        super().__init__(parent)
        self._left: Iterator[str] = iter(_LANGUAGES)
        self._timer = QTimer(self)
        self._timer.setInterval(pause_ms)
        self._timer.timeout.connect(self._next)

    def start(self) -> None:
        """Begin after a pause."""
        self._timer.start()

    def _next(self) -> None:
        if language := next(self._left, None):
            find_lexer(language)
        else:
            self._timer.stop()

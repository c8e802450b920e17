"""A job in a lane that takes a while: what it does, how far it is, and a button that stops it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QElapsedTimer
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, UserFacingError
from llamachat.core.text import tr
from llamachat.ui.labels import WrapLabel
from llamachat.ui.tasks import Lane

T = TypeVar("T")
Tell = Callable[[int, int], None]
"""Called in the job's thread with what is done and all there is (0: not known); raises Cancelled to stop."""

_STEPS = 1000
_SHOWN_EVERY_MS = 40


class ProgressPanel(QWidget):
    """Runs one job at a time. What it hands back is handed back in the GUI thread."""

    def __init__(self, lane: Lane[CancelToken], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lane = lane
        self._cancel: CancelToken | None = None
        self.label = WrapLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.stop = QPushButton(tr("Cancel"))
        self.stop.setAutoDefault(False)
        self.stop.clicked.connect(self.cancel)
        row = QHBoxLayout()
        row.addWidget(self.bar, 1)
        row.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.label)
        column.addLayout(row)

    @property
    def running(self) -> bool:
        """True from `run` until one of its callbacks is called."""
        return self._cancel is not None

    def run(
        self,
        text: str,
        work: Callable[[Tell], T],
        *,
        done: Callable[[T], object],
        failed: Callable[[UserFacingError], object],
        stopped: Callable[[], object],
    ) -> None:
        """Run `work` in the lane; then exactly one of the three is called, unless the window has closed."""
        cancel = self._cancel = CancelToken()
        self.label.setText(text)
        self.bar.setAccessibleName(text)
        self.bar.setRange(0, 0)
        self.stop.setEnabled(True)
        tell = self._teller(cancel)

        def job(closing: CancelToken) -> Callable[[], object]:
            with closing.on_cancel(cancel.cancel):
                try:
                    result = work(tell)
                except Cancelled:
                    return stopped
            return lambda: done(result)

        self._lane.read(job, self._end, lambda error: self._end(lambda: failed(error)))

    def cancel(self) -> None:
        """Stop the job; it takes a moment."""
        if self._cancel:
            self._cancel.cancel()
            self.stop.setEnabled(False)
            self.bar.setRange(0, 0)

    def _teller(self, cancel: CancelToken) -> Tell:
        shown = QElapsedTimer()

        def tell(done: int, total: int) -> None:
            cancel.raise_if_cancelled()
            if not shown.isValid() or shown.elapsed() >= _SHOWN_EVERY_MS:
                shown.start()
                self._lane.post(lambda: self._show(cancel, done, total))

        return tell

    def _show(self, cancel: CancelToken, done: int, total: int) -> None:
        if self._cancel is cancel and not cancel.cancelled:
            self.bar.setRange(0, _STEPS if total else 0)
            self.bar.setValue(min(_STEPS, done * _STEPS // total) if total else 0)

    def _end(self, then: Callable[[], object]) -> None:
        self._cancel = None
        then()

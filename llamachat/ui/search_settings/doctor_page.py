"""The page of the search doctor: goes the way of a search step by step and says where it ends, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from llamachat.core.cancel import CancelToken
from llamachat.core.check_step import CheckStep
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.ui.labels import WrapLabel
from llamachat.ui.step_list import StepList
from llamachat.ui.tasks import Lane


class DoctorPage(QWidget):
    """Runs in its lane; each step is shown as it comes."""

    ended = Signal()

    def __init__(self, examine: Callable[[CancelToken], Iterator[CheckStep]], lane: Lane[CancelToken]) -> None:
        super().__init__()
        self._examine, self._lane = examine, lane
        self._cancel: CancelToken | None = None
        text = tr("One harmless search goes out, by the settings that are in force. None of your words are in it.")
        self.start = QPushButton(tr("Look for what is wrong"))
        self.stop = QPushButton(tr("Stop"))
        self.steps = StepList()
        self.state = WrapLabel()
        self.state.setObjectName("lesser")
        for button in (self.start, self.stop):
            button.setAutoDefault(False)
        self.start.clicked.connect(self.run)
        self.stop.clicked.connect(self.halt)
        row = QHBoxLayout()
        row.addWidget(self.start)
        row.addWidget(self.stop)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        column.addWidget(WrapLabel(text))
        column.addLayout(row)
        column.addWidget(self._scrolled(), 1)
        self.stop.hide()

    def _scrolled(self) -> QScrollArea:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.steps)
        column.addWidget(self.state)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        return area

    @property
    def running(self) -> bool:
        """Whether steps are still to come."""
        return self._cancel is not None

    def run(self) -> None:
        """Begin anew, unless it runs."""
        if self._cancel is not None:
            return
        self._cancel = cancel = CancelToken()
        self.steps.clear()
        self._show(tr("Looking…"))

        def look(lane_ends: CancelToken) -> None:
            with lane_ends.on_cancel(cancel.cancel):
                for step in self._examine(cancel):
                    self._tell(step, cancel)

        self._lane.read(look, lambda _: self._end(cancel), lambda error: self._fail(error, cancel))

    def halt(self) -> None:
        """Stop what runs."""
        if self._cancel is not None:
            self._cancel.cancel()
            self._cancel = None
            self._show(tr("Stopped."))

    def _tell(self, step: CheckStep, cancel: CancelToken) -> None:
        """From the lane's thread."""
        self._lane.post(lambda: self._add(step, cancel))

    def _add(self, step: CheckStep, cancel: CancelToken) -> None:
        """Show it, unless it comes after Stop."""
        if cancel is self._cancel:
            self.steps.add(step)

    def _end(self, cancel: CancelToken) -> None:
        if cancel is self._cancel:
            self._cancel = None
            good = all(step.ok for step in self.steps.steps)
            self._show(tr("All is well.") if good else tr("Mend what has a cross, then look again."))
            self.ended.emit()

    def _fail(self, error: UserFacingError, cancel: CancelToken) -> None:
        if cancel is self._cancel:
            self._cancel = None
            self._show(str(error))

    def _show(self, text: str) -> None:
        self.state.setText(text)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
        self.start.setEnabled(not self.running)
        self.stop.setVisible(self.running)

"""The questions that wait in the chat that is shown, above the composer, in their order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from llamachat.core.text import tr
from llamachat.storage.queued import Queued
from llamachat.ui.icons import IconButton
from llamachat.ui.labels import ElidedLabel, tooltip

_ROWS_SHOWN = 4
_SHOWN_CHARS, _TIP_CHARS, _SPOKEN_CHARS = 300, 1000, 80


class QueueRow(QFrame):
    """One question on one line."""

    def __init__(self, queued: Queued, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queued")
        self.queued = queued
        self.label = ElidedLabel()
        self.label.show_text(_cut(queued.text, _SHOWN_CHARS))
        self.label.setToolTip(tooltip(_cut(queued.text, _TIP_CHARS)))
        self._spoken = _cut(" ".join(queued.text.split()), _SPOKEN_CHARS)
        self.edit, self.send, self.discard = IconButton("edit", ""), IconButton("send", ""), IconButton("close", "")
        self.edit.set_name(
            tr("Take back: {text}").format(text=self._spoken), tr("Take it back into the message field")
        )
        self.discard.set_name(tr("Discard: {text}").format(text=self._spoken), tr("Discard it"))
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 2, 4, 2)
        row.setSpacing(2)
        row.addWidget(self.label, 1)
        row.addWidget(self.edit)
        row.addWidget(self.send)
        row.addWidget(self.discard)

    def set_running(self, *, running: bool) -> None:
        """running: an answer is written, which sending this one would stop."""
        name = tr("Send now: {text}") if running else tr("Send: {text}")
        self.send.set_name(name.format(text=self._spoken), _send_tip(now=running))


class QueueList(QFrame):
    """Hidden while nothing waits. More than a few questions scroll."""

    send_requested = Signal(int)
    take_back_requested = Signal(int)
    discard_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queue")
        self.setAccessibleName(tr("Messages that wait"))
        self.heading = ElidedLabel()
        self.heading.setObjectName("lesser")
        self.send = IconButton("send", tr("Send"))
        self.send.clicked.connect(lambda: self.send_requested.emit(self.rows[0].queued.id))
        top = QHBoxLayout()
        top.setContentsMargins(0, 0, 4, 0)
        top.addWidget(self.heading, 1)
        top.addWidget(self.send)
        self._rows = QWidget()
        self._column = QVBoxLayout(self._rows)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._area = QScrollArea()
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(self._rows)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 2, 10, 6)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self._area)
        self.rows: list[QueueRow] = []  # the next one first
        self.hide()

    def show_queue(self, queued: Sequence[Queued], *, running: bool, why_held: str = "") -> None:
        """Show what waits. running: an answer is written; why_held: why nothing of it is asked by itself."""
        heading = why_held or tr("Asked when the answer has ended")
        if heading != self.heading.text():
            self.heading.show_text(heading)
            if queued and why_held:
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, why_held))
        if list(queued) != [row.queued for row in self.rows]:
            self._fill(queued)
        self.send.setText(tr("Send now") if running else tr("Send"))
        self.send.set_name(self.send.text(), _send_tip(now=running))
        self.send.updateGeometry()
        for row in self.rows:
            row.set_running(running=running)
        self.setVisible(bool(queued))

    def _fill(self, queue: Sequence[Queued]) -> None:
        """Rows that stay keep the keyboard."""
        before = {row.queued: row for row in self.rows}
        self.rows = [before.pop(queued) if queued in before else self._row(queued) for queued in queue]
        for row in before.values():
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for place, row in enumerate(self.rows):
            self._column.insertWidget(place, row)
        count = min(len(queue), _ROWS_SHOWN)
        height = max((row.sizeHint().height() for row in self.rows), default=0)
        self._area.setFixedHeight(count * height + max(count - 1, 0) * self._column.spacing())

    def _row(self, queued: Queued) -> QueueRow:
        row = QueueRow(queued)
        row.send.clicked.connect(lambda: self.send_requested.emit(queued.id))
        row.edit.clicked.connect(lambda: self.take_back_requested.emit(queued.id))
        row.discard.clicked.connect(lambda: self.discard_requested.emit(queued.id))
        return row


def _send_tip(*, now: bool) -> str:
    return tr("Stop the answer that is being written, and send the message now") if now else tr("Send the message")


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"

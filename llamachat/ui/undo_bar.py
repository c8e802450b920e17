"""The bar that takes back what has just been done with chats."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from llamachat.core.text import tr
from llamachat.ui.labels import ElidedLabel

UNDO_MS = 10_000


class UndoBar(QFrame):
    """Says what was done and takes it back, for a while."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("undo")
        self._text = ElidedLabel()
        self._undo: Callable[[], None] = lambda: None
        self.button = QPushButton(tr("Undo"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.addWidget(self._text)
        row.addWidget(self.button)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self.button.clicked.connect(self._press)
        self.hide()

    def offer(self, text: str, undo: Callable[[], None]) -> None:
        """Show the bar; the offer before it is gone."""
        self._text.show_text(text)
        self._undo = undo
        self.show()
        self._timer.start(UNDO_MS)

    def _press(self) -> None:
        self._timer.stop()
        self.hide()
        self._undo()

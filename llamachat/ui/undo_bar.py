"""The bar that takes back what has just been done with chats."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from llamachat.core.text import tr, trn
from llamachat.ui.labels import ElidedLabel

UNDO_MS = 10_000


class UndoBar(QFrame):
    """Says what was done last and takes it back, then what was done before it, for a while."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("undo")
        self._text = ElidedLabel()
        self._before = QLabel()
        self._offers: list[tuple[str, Callable[[], None]]] = []  # the latest at the end
        self.button = QPushButton(tr("Undo"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.addWidget(self._text, 1)
        row.addWidget(self._before)
        row.addWidget(self.button)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.withdraw)
        self.button.clicked.connect(self._press)
        self.hide()

    @property
    def text(self) -> str:
        """What was done last, and how much before it."""
        return " ".join(filter(None, (self._text.text(), self._before.text())))

    def offer(self, text: str, undo: Callable[[], None]) -> None:
        """Show the bar; what was offered before comes back once this is undone."""
        self._offers.append((text, undo))
        self._show_latest()

    def withdraw(self) -> None:
        """Offer nothing any more."""
        self._offers.clear()
        self._show_latest()

    def _show_latest(self) -> None:
        self.setVisible(bool(self._offers))
        self._timer.stop()
        if self._offers:
            before = len(self._offers) - 1
            self._text.show_text(self._offers[-1][0])
            self._before.setText(tr("(+{count})").format(count=before) if before else "")
            more = trn("One more can be undone after it", "{count} more can be undone after it", before)
            self._before.setToolTip(more)
            self._before.setAccessibleName(more)
            self._before.setVisible(bool(before))
            self._timer.start(UNDO_MS)

    def _press(self) -> None:
        _, undo = self._offers.pop()
        self._show_latest()
        undo()

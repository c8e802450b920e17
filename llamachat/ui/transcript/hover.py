"""Where the pointer is over a view, told now and then and not at every step of it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QTextEdit

_EVERY_MS = 40


class Hover(QObject):
    """Looks again also when the text has moved under a pointer that rests."""

    came = Signal(QPoint)  # in the viewport
    left = Signal()

    def __init__(self, view: QTextEdit) -> None:
        super().__init__(view)
        self._at = QPoint()
        self._inside = False
        self._soon = QTimer(self, singleShot=True, interval=_EVERY_MS)
        self._soon.timeout.connect(self._tell)
        view.viewport().installEventFilter(self)
        view.verticalScrollBar().valueChanged.connect(self._look)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the pointer while no button is held."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            if event.buttons() == Qt.MouseButton.NoButton:
                self._at, self._inside = event.position().toPoint(), True
                self._look()
        elif event.type() == QEvent.Type.Leave:
            self._inside = False
            self._soon.stop()
            self.left.emit()
        return super().eventFilter(watched, event)

    def _look(self) -> None:
        if self._inside and not self._soon.isActive():
            self._soon.start()

    def _tell(self) -> None:
        self.came.emit(self._at)

"""Drags something over a widget and lets it go, as a desktop does."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget


def drop(widget: QWidget, *urls: QUrl, text: str = "") -> tuple[bool, bool]:
    """Whether the drag was taken, and what was let go."""
    data = QMimeData()
    if urls:
        data.setUrls(list(urls))
    if text:
        data.setText(text)
    left, none, copy = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    over = QDragEnterEvent(QPoint(5, 5), copy, data, left, none)
    let_go = QDropEvent(QPointF(5, 5), copy, data, left, none)
    for event in (over, let_go):
        event.ignore()
        QApplication.sendEvent(widget, event)
    return over.isAccepted(), let_go.isAccepted()

"""Puts a dialog over the middle of its window, with its frame on the screen."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QDialog


def put_over_window(dialog: QDialog, size: QSize) -> None:
    """Give it this size as far as the screen has room; the frame is taken to be as wide as that of the window."""
    parent = dialog.parentWidget()
    around = parent.window().frameGeometry() if parent else dialog.screen().availableGeometry()
    frame = around.size() - parent.window().size() if parent else QSize(0, 0)
    place = placed(size, frame, around=around, room=dialog.screen().availableGeometry())
    dialog.resize(place.size() - frame)
    dialog.move(place.topLeft())


def placed(size: QSize, frame: QSize, *, around: QRect, room: QRect) -> QRect:
    """The place of a window with its frame in the middle of `around`, and inside `room`."""
    whole = (size + frame).boundedTo(room.size())
    place = QRect(QPoint(0, 0), whole)
    place.moveCenter(around.center())
    left = min(max(place.left(), room.left()), room.left() + room.width() - whole.width())
    top = min(max(place.top(), room.top()), room.top() + room.height() - whole.height())
    return QRect(QPoint(left, top), whole)

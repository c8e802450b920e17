"""The ground under a row of a list: none, under the pointer, chosen, or with the keyboard on it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

CHOSEN_OPACITY = 0.55


def paint_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
    """Fill a rounded rectangle where the row is chosen or under the pointer; draw it where only the keyboard is."""
    palette, ground = QPalette(option.palette), QRectF(QRect(option.rect).adjusted(4, 1, -4, -1))
    if option.state & QStyle.StateFlag.State_Selected:
        colour = palette.color(QPalette.ColorRole.Highlight)
        colour.setAlphaF(CHOSEN_OPACITY)
    elif option.state & QStyle.StateFlag.State_MouseOver:
        colour = palette.color(QPalette.ColorRole.Midlight)
    elif option.state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(palette.color(QPalette.ColorRole.Accent))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(ground.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        return
    else:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(ground, 6, 6)

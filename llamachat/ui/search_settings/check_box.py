"""A check box whose frame can be seen in the dark: the style's own is as dark as what it stands on."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QStyle, QStyleOptionButton

from llamachat.ui.icons import draw_icon


class CheckBox(QCheckBox):
    """Drawn here; its size and where it can be clicked are the style's. A text that does not fit is elided."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """No text asks for room."""
        return QSize(self.sizeHint().height() * 4, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """A frame, filled and with a check where it is on; the text; the ring of the keyboard."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette, style = self.palette(), self.style()
        indicator = style.subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
        box = QRectF(indicator).adjusted(0.5, 0.5, -0.5, -0.5)
        on = self.isChecked()
        painter.setPen(palette.color(QPalette.ColorRole.Accent if on else QPalette.ColorRole.PlaceholderText))
        painter.setBrush(palette.color(QPalette.ColorRole.Accent if on else QPalette.ColorRole.Base))
        painter.drawRoundedRect(box, 3, 3)
        if on:
            draw_icon(painter, "check", box, palette.color(QPalette.ColorRole.BrightText))
        words = style.subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self)
        painter.setPen(palette.color(QPalette.ColorRole.WindowText))
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        if self.hasFocus() and bool(option.state & QStyle.StateFlag.State_KeyboardFocusChange):
            painter.setPen(palette.color(QPalette.ColorRole.Accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)

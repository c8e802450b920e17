"""Labels that never widen the window: one elides its line, one breaks its lines anywhere if it must."""

from __future__ import annotations

import html

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from llamachat.core.text import tr

SHORT_TIP = 80  # characters
OVERHANG_PX = 2  # letters may reach beyond the room they are said to need


def title_text(title: str) -> str:
    """The title of a chat on one line, or what stands in its place."""
    return " ".join(title.split()) or tr("New chat")


def tooltip(text: str) -> str:
    """A tooltip that shows the text as it is: Qt would take text that looks like HTML for HTML.

    Qt breaks HTML into short lines; a text that is short stays on one.
    """
    short = len(text) <= SHORT_TIP and "\n" not in text
    style = ' style="white-space:pre"' if short else ""
    return f"<p{style}>{html.escape(text)}</p>" if text else ""


class ElidedLabel(QLabel):
    """One line of plain text; what does not fit is elided, and the tooltip has it all."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_text(self, text: str) -> None:
        """Show another text, made one line."""
        line = " ".join(text.split())
        if line != self.text():
            self.setText(line)
            self.setToolTip(tooltip(line))

    def minimumSizeHint(self) -> QSize:
        """No text asks for room."""
        return QSize(0, self.fontMetrics().height())

    def sizeHint(self) -> QSize:
        """The width of the text, which the layout need not give."""
        width = self.fontMetrics().horizontalAdvance(self.text()) + 1  # Qt rounds it down
        return QSize(width + 2 * OVERHANG_PX, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what fits."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        room = self.rect().adjusted(OVERHANG_PX, 0, -OVERHANG_PX, 0)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, self.alignment(), text)


class WrapLabel(QLabel):
    """Plain text of any number of lines, broken inside a word where the word is wider than the label."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        """The width decides the height."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of the broken lines."""
        margins = self.contentsMargins()
        layouts = self._layouts(width - margins.left() - margins.right())
        return round(sum(layout.boundingRect().height() for layout in layouts)) + margins.top() + margins.bottom()

    def minimumSizeHint(self) -> QSize:
        """No word asks for room."""
        return QSize(40, self.fontMetrics().lineSpacing())

    def sizeHint(self) -> QSize:
        """A comfortable line, as wide as the layout gives at most."""
        width = min(self.fontMetrics().horizontalAdvance(self.text()) + 2, 60 * self.fontMetrics().averageCharWidth())
        return QSize(width, self.heightForWidth(max(width, 1)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        place = QPointF(self.contentsRect().topLeft())
        for layout in self._layouts(self.contentsRect().width()):
            layout.draw(painter, place)
            place.setY(place.y() + layout.boundingRect().height())

    def _layouts(self, width: int) -> list[QTextLayout]:
        return [self._layout_of(line, width) for line in self.text().split("\n")]

    def _layout_of(self, text: str, width: int) -> QTextLayout:
        layout = QTextLayout(text or " ", self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        top = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, top))
            top += line.height()
        layout.endLayout()
        return layout

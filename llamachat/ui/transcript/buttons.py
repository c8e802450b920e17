"""Links that are painted as buttons: where they lie, and what is painted under their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QTextBlock, QTextLine

from llamachat.ui.theme import Theme

_ABOVE_PX, _BELOW_PX = 1, 4
_RADIUS = 7.0


@dataclass(frozen=True, slots=True)
class Pointed:
    """The links, by their addresses, that are under the pointer and have the keyboard; "" for none."""

    hovered: str = ""
    focused: str = ""


def paint_buttons(painter: QPainter, theme: Theme, block: QTextBlock, pointed: Pointed) -> None:
    """Paint those of a block, in the coordinates of its document."""
    for href, place in buttons_of(block):
        hovered, focused = href == pointed.hovered, href == pointed.focused
        painter.setBrush(QColor(theme.hover if hovered else theme.raised))
        painter.setPen(QPen(QColor(theme.focus), 2) if focused else QPen(QColor(theme.border), 1))
        crisp = QRectF(place.toRect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(crisp, _RADIUS, _RADIUS)


def buttons_of(block: QTextBlock) -> Iterator[tuple[str, QRectF]]:
    """The address of each and its place in the document."""
    corner = block.document().documentLayout().blockBoundingRect(block).topLeft()
    for href, start, end in _links(block):
        line = block.layout().lineForTextPosition(start)
        if line.isValid():
            upper = QPointF(_x_of(line, start), line.y() - _ABOVE_PX)
            place = QRectF(upper, QPointF(_x_of(line, end), line.y() + line.height() + _BELOW_PX))
            yield href, place.translated(corner)


def _x_of(line: QTextLine, position: int) -> float:
    found = cast("tuple[float, int]", line.cursorToX(position))  # with where the cursor really is
    return found[0]


def _links(block: QTextBlock) -> Iterator[tuple[str, int, int]]:
    """The address of each link and where its text begins and ends; what has one address in a row is one link."""
    href, start, end = "", 0, 0
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        here = fragment.position() - block.position()
        if (found := fragment.charFormat().anchorHref()) != href:
            if href:
                yield href, start, end
            href, start = found, here
        end = here + fragment.length()
        iterator += 1
    if href:
        yield href, start, end

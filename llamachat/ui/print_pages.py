"""Messages onto pages: where pages end, and painting them with cards, boxes and a line at their feet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
    QPagedPaintDevice,
    QPainter,
    QTextDocument,
)

from llamachat.core.messages import Role
from llamachat.render.block_kinds import BlockKind, kind_of
from llamachat.ui.print_message import TEXT_PX, PrintedMessage, blocks_of
from llamachat.ui.theme import LIGHT, qt_palette
from llamachat.ui.transcript.buttons import Pointed
from llamachat.ui.transcript.painting import CARD_PADDING_PX, UnderPainter

WIDTH_PX = 700  # of the page between its margins, in the units that everything is laid out in
_TITLE_PX = 22
_FOOT_PX = 34  # the line at the foot of a page, and what is free above it
_ABOVE_PX = 6  # kept free above what a page goes on with
_CARD_ABOVE_PX, _CARD_BELOW_PX, _BELOW_CODE_PX = 8, 12, 16


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a message on a page: from `top` to `bottom` of its document, `y` pixels below the page's top."""

    page: int
    y: float
    message: PrintedMessage
    top: float
    bottom: float


class Flow:
    """Places messages one below the other. page_px: how high a page is, without its foot."""

    def __init__(self, page_px: float, *, y: float = 0.0) -> None:
        """y: where the first page is free."""
        self._page_px, self.page, self._y = page_px, 0, y

    def place(self, message: PrintedMessage) -> Iterator[Slice]:
        """Yield the parts of the next message, one on each of its pages. No line is cut that fits a page."""
        height, scale, top = message.height, message.scale, 0.0
        while top < height:
            if self._y == 0 and top == 0 and message.strips:
                top = max(0.0, message.strips[0][0] - _CARD_ABOVE_PX - _ABOVE_PX)  # a page needs no room above it
            room = (self._page_px - self._y) / scale
            if height - top <= room:
                yield Slice(self.page, self._y, message, top, height)
                self._y += (height - top) * scale
                return
            cut, goes_on = _cut(message, top, room)
            if cut is None and self._y == 0:
                cut = goes_on = top + room
            if cut is not None:
                yield Slice(self.page, self._y, message, top, cut)
                top = goes_on
            self._next_page()

    def _next_page(self) -> None:
        self.page += 1
        self._y = 0.0


def _cut(message: PrintedMessage, top: float, room: float) -> tuple[float | None, float]:
    """Where a page that begins at `top` ends, and where the next one goes on; None where not even a line fits."""
    below = [strip for strip in message.strips if strip[1] > top]
    fitting = sum(end <= top + room for _, end in below)
    if fitting == len(below):  # what is left is the room below the message
        return min(top + room, message.height), message.height
    if not fitting:
        return None, top
    cut = below[fitting - 1][1]
    return cut, max(below[fitting][0] - _ABOVE_PX, cut)


PageRange = tuple[int, int]


def count_wanted(pages: int, wanted: PageRange | None) -> int:
    """How many pages are printed of those that there are."""
    return pages if wanted is None else max(0, min(pages, wanted[1]) - wanted[0] + 1)


class PagePainter:
    """Paints slices on a device, page after page."""

    def __init__(
        self,
        device: QPagedPaintDevice,
        painter: QPainter,
        *,
        title: str,
        font: QFont,
        pages: PageRange | None = None,
    ) -> None:
        """title: stands at the top of the first page and, beside its number, at the foot of each.

        pages: the first and the last that are painted, counted from 1; the others are left out.
        """
        area = device.pageLayout().paintRectPixels(painter.device().logicalDpiX())
        self._device, self._painter, self._title = device, painter, title
        self._scale = area.width() / WIDTH_PX
        self._height = area.height() / self._scale
        self._font = QFont(font)
        self._pages = pages
        self.page = 0

    @property
    def _is_wanted(self) -> bool:
        return self._pages is None or self._pages[0] <= self.page + 1 <= self._pages[1]

    def begin(self) -> Flow:
        """Paint the title; gives the flow for the messages below it."""
        document = QTextDocument()
        document.setDocumentMargin(0)
        box = QRectF(0, 0, WIDTH_PX - 2 * CARD_PADDING_PX, _TITLE_PX * 4)
        with self._scaled(_TITLE_PX, LIGHT.text):
            document.setDefaultFont(self._painter.font())
            document.setTextWidth(box.width())
            document.setPlainText(self._title)
            self._painter.translate(CARD_PADDING_PX, 0)
            if self._is_wanted:
                _draw(self._painter, document, box)
        return Flow(self._height - _FOOT_PX, y=min(document.size().height(), box.height()) + _ABOVE_PX)

    @contextmanager
    def _scaled(self, size_px: float, colour: str) -> Iterator[None]:
        """Paint inside in the units of the layout, with letters of this size and colour."""
        self._painter.save()
        self._painter.scale(self._scale, self._scale)
        font = QFont(self._font)
        font.setPixelSize(round(size_px))
        self._painter.setFont(font)
        self._painter.setPen(QColor(colour))
        yield
        self._painter.restore()

    def paint(self, part: Slice) -> None:
        """Paint a slice; begins its page where that is a new one."""
        while self.page < part.page:
            self.finish()
            self.page += 1
            if self._is_wanted and self.page + 1 != (self._pages or (1, 1))[0]:
                self._device.newPage()
        if not self._is_wanted:
            return
        self._painter.save()
        self._painter.scale(self._scale, self._scale)
        self._painter.translate(0, part.y)
        self._painter.scale(part.message.scale, part.message.scale)
        self._painter.translate(0, -part.top)
        sight = QRectF(0, part.top, part.message.document.size().width(), part.bottom - part.top)
        self._painter.setClipRect(sight)
        _paint_part(self._painter, part.message, sight)
        self._painter.restore()

    def finish(self) -> None:
        """Paint the foot of the page that was painted last."""
        if not self._is_wanted:
            return
        with self._scaled(TEXT_PX * 0.8, LIGHT.muted):
            number, metrics = str(self.page + 1), QFontMetricsF(self._painter.font())
            width = WIDTH_PX - 2 * CARD_PADDING_PX
            line = QRectF(CARD_PADDING_PX, self._height - metrics.height(), width, metrics.height())
            room = width - metrics.horizontalAdvance(number) - 2 * CARD_PADDING_PX
            foot = metrics.elidedText(self._title, Qt.TextElideMode.ElideRight, room)
            self._painter.drawText(line, Qt.AlignmentFlag.AlignLeft, foot)
            self._painter.drawText(line, Qt.AlignmentFlag.AlignRight, number)


def _paint_part(painter: QPainter, message: PrintedMessage, sight: QRectF) -> None:
    under = UnderPainter(painter, LIGHT)
    if message.message.role is Role.USER:
        under.paint_card(_card(message))
    under.paint_blocks(message.document, sight, Pointed())
    _draw(painter, message.document, sight)


def _draw(painter: QPainter, document: QTextDocument, sight: QRectF) -> None:
    """Draw the text, in the colours of paper whatever the window has."""
    context = QAbstractTextDocumentLayout.PaintContext()
    context.clip = sight
    context.palette = qt_palette(LIGHT)
    document.documentLayout().draw(painter, context)


def _card(message: PrintedMessage) -> QRectF:
    blocks = list(blocks_of(message.document))
    rect_of = message.document.documentLayout().blockBoundingRect
    below = _BELOW_CODE_PX if kind_of(blocks[-1].userState()) is BlockKind.CODE_END else _CARD_BELOW_PX
    upper = QPointF(0, rect_of(blocks[0]).top() - _CARD_ABOVE_PX)
    return QRectF(upper, QPointF(WIDTH_PX, rect_of(blocks[-1]).bottom() + below))

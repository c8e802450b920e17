"""The page the text stands on: a column that is comfortable to read, and what is painted under it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QTextEdit

from llamachat.core.messages import Role
from llamachat.render.block_kinds import BlockKind, kind_of
from llamachat.ui.theme import Theme
from llamachat.ui.transcript.buttons import Pointed
from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.entry import Entry
from llamachat.ui.transcript.painting import CARD_PADDING_PX, UnderPainter
from llamachat.ui.transcript.sight import block_at

_SIDE_PX = 28
_TOP_PX = -14  # takes back some of what every message keeps free above it
_CARD_GAP_PX = 8  # between the frame of a card and its text, above
_BELOW_CARD_PX = 12  # and below
_BELOW_CODE_PX = 16


def fit_page(view: QTextEdit, transcript: TranscriptDocument, column_px: int) -> None:
    """Set the margins for the width of the view, around a column that is at most so wide."""
    width = view.viewport().width()
    side = max((width - column_px) // 2, _SIDE_PX)
    root = view.document().rootFrame()
    page = root.frameFormat()
    if page.leftMargin() != side:
        page.setLeftMargin(side)
        page.setRightMargin(side)
        page.setTopMargin(_TOP_PX)
        page.setBottomMargin(_SIDE_PX)
        root.setFrameFormat(page)
    transcript.set_column(width - 2 * side)


def paint_page(
    view: QTextEdit,
    transcript: TranscriptDocument,
    theme: Theme,
    event: QPaintEvent,
    *,
    ringed: Entry | None,
    pointed: Pointed,
) -> None:
    """Paint what lies under the text where the event wants it: cards, boxes, bars, and a ring around a message."""
    aside, scrolled = view.horizontalScrollBar().value(), view.verticalScrollBar().value()
    sight = QRectF(event.rect()).translated(aside, scrolled)
    painter = QPainter(view.viewport())
    painter.translate(-aside, -scrolled)
    under = UnderPainter(painter, theme)
    ring: QRectF | None = None
    for entry, place in _places(view, transcript, sight):
        if entry.message.role is Role.USER:
            under.paint_card(place)
        if entry is ringed:
            ring = place
    under.paint_blocks(view.document(), sight, pointed)
    if ring:
        under.paint_ring(ring)
    painter.end()


def _places(view: QTextEdit, transcript: TranscriptDocument, sight: QRectF) -> Iterator[tuple[Entry, QRectF]]:
    """The messages that reach into sight, and the room of a card around each; only these are looked at."""
    document = view.document()
    layout, page = document.documentLayout(), document.rootFrame().frameFormat()
    left = page.leftMargin() - CARD_PADDING_PX
    right = document.textWidth() - page.rightMargin() + CARD_PADDING_PX
    above, below = sight.top() - _BELOW_CODE_PX, sight.bottom() + _CARD_GAP_PX
    for entry, first in transcript.spans_between(*(block_at(document, y).blockNumber() for y in (above, below))):
        head, last = (document.findBlockByNumber(number) for number in (first, first + entry.total - 1))
        foot_px = _BELOW_CODE_PX if kind_of(last.userState()) is BlockKind.CODE_END else _BELOW_CARD_PX
        upper = QPointF(left, layout.blockBoundingRect(head).top() - _CARD_GAP_PX)
        yield entry, QRectF(upper, QPointF(right, layout.blockBoundingRect(last).bottom() + foot_px))

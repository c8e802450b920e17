"""The page the text stands on: a column that is comfortable to read, and what is painted under it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QTextEdit

from llamachat.core.messages import Role
from llamachat.render.block_kinds import BlockKind, kind_of
from llamachat.ui.theme import Theme
from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.painting import CARD_PADDING_PX, UnderPainter

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
    if page.leftMargin() == side:
        return
    page.setLeftMargin(side)
    page.setRightMargin(side)
    page.setTopMargin(_TOP_PX)
    page.setBottomMargin(_SIDE_PX)
    root.setFrameFormat(page)
    transcript.set_column(width - 2 * side)


def paint_page(view: QTextEdit, transcript: TranscriptDocument, theme: Theme, event: QPaintEvent) -> None:
    """Paint cards, boxes and bars where the event wants them; the text comes over them."""
    aside, scrolled = view.horizontalScrollBar().value(), view.verticalScrollBar().value()
    sight = QRectF(event.rect()).translated(aside, scrolled)
    painter = QPainter(view.viewport())
    painter.translate(-aside, -scrolled)
    under = UnderPainter(painter, theme)
    for card in _cards(view, transcript, sight):
        under.paint_card(card)
    under.paint_blocks(view.document(), sight)
    painter.end()


def _cards(view: QTextEdit, transcript: TranscriptDocument, sight: QRectF) -> Iterator[QRectF]:
    document = view.document()
    layout, page = document.documentLayout(), document.rootFrame().frameFormat()
    left = page.leftMargin() - CARD_PADDING_PX
    right = document.textWidth() - page.rightMargin() + CARD_PADDING_PX
    for entry, first in transcript.spans():
        if entry.message.role is not Role.USER:
            continue
        top = layout.blockBoundingRect(document.findBlockByNumber(first)).top() - _CARD_GAP_PX
        if top > sight.bottom():
            return
        last = document.findBlockByNumber(first + entry.total - 1)
        ends_in_code = kind_of(last.userState()) is BlockKind.CODE_END
        bottom = layout.blockBoundingRect(last).bottom() + (_BELOW_CODE_PX if ends_in_code else _BELOW_CARD_PX)
        if bottom >= sight.top():
            yield QRectF(QPointF(left, top), QPointF(right, bottom))

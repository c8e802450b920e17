"""What is painted under the text: cards, boxes, buttons, bars beside quotes and details, rules.

Qt's rich text has none of these. Blocks say what they are (`render/block_kinds.py`); only those in sight are painted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTextBlock, QTextCursor, QTextDocument

from llamachat.render.block_kinds import (
    CODE_PADDING_PX,
    FILLER,
    QUOTE_INDENT_PX,
    BlockKind,
    Tone,
    kind_of,
    quote_depth_of,
    tone_of,
)
from llamachat.ui.theme import Theme
from llamachat.ui.transcript.buttons import Pointed, paint_buttons
from llamachat.ui.transcript.sight import block_at

CARD_PADDING_PX = 16
_BELOW_BUTTONS_PX = 6
_RADIUS = 10.0
_BAR = 3.0
_BOXES = {
    BlockKind.CODE_HEAD: "code",
    BlockKind.CODE: "code",
    BlockKind.CODE_END: "code",
    BlockKind.ERROR: "error",
    BlockKind.ENDING: "ending",
    BlockKind.DETAIL: "detail",
}


@dataclass(frozen=True, slots=True)
class _Line:
    """A block in sight."""

    block: QTextBlock
    kind: BlockKind
    depth: int
    tone: Tone
    rect: QRectF  # of its text column, in the document
    mirrored: bool  # in a quote whose bar is at the right


@dataclass(slots=True)
class _Run:
    """Blocks in a row that share a box."""

    name: str
    left: float
    top: float
    right: float
    bottom: float


class UnderPainter:
    """Paints what lies under the part of a document that is in sight."""

    def __init__(self, painter: QPainter, theme: Theme) -> None:
        self._painter = painter
        self._theme = theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def paint_card(self, rect: QRectF) -> None:
        """The card of a message."""
        self._box(rect, self._theme.card, None)

    def paint_ring(self, rect: QRectF) -> None:
        """What has the keyboard."""
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.setPen(QPen(QColor(self._theme.focus), 2))
        self._painter.drawRoundedRect(rect, _RADIUS, _RADIUS)

    def paint_blocks(self, document: QTextDocument, sight: QRectF, pointed: Pointed) -> None:
        """Everything that follows from the kinds of the blocks in sight."""
        lines = list(_lines_in_sight(document, sight))
        for run in _runs(lines):
            self._paint_run(run)
        for depth in range(1, max((line.depth for line in lines), default=0) + 1):
            for bar, tone in _quote_bars(lines, depth):
                self._bar(bar, tone)
        for line in lines:
            if line.kind is BlockKind.RULE:
                self._rule(line.rect)
            elif line.kind is BlockKind.BUTTONS:
                paint_buttons(self._painter, self._theme, line.block, pointed)

    def _paint_run(self, run: _Run) -> None:
        theme = self._theme
        if run.name == "code":
            left, right = run.left - CODE_PADDING_PX, run.right + CODE_PADDING_PX
            rect = QRectF(QPointF(left, run.top), QPointF(right, run.bottom))
            self._box(rect, theme.code, theme.code_border)
        elif run.name in ("error", "ending"):
            rect = QRectF(QPointF(run.left - 14, run.top - 8), QPointF(run.right + 14, run.bottom + 8))
            failed = run.name == "error"
            back, border = (theme.error_back, theme.error_border) if failed else (theme.window, theme.border)
            self._box(rect, back, border)
        else:
            self._bar(QRectF(run.left - 12, run.top, _BAR, run.bottom - run.top))

    def _box(self, rect: QRectF, fill: str, border: str | None) -> None:
        self._painter.setBrush(QColor(fill))
        self._painter.setPen(QPen(QColor(border), 1) if border else Qt.PenStyle.NoPen)
        crisp = QRectF(rect.toRect()).adjusted(0.5, 0.5, -0.5, -0.5)
        self._painter.drawRoundedRect(crisp, _RADIUS, _RADIUS)

    def _bar(self, rect: QRectF, tone: Tone = Tone.NONE) -> None:
        self._painter.setBrush(QColor(self._theme.of_tone(tone)))
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.drawRoundedRect(rect, 1.5, 1.5)

    def _rule(self, rect: QRectF) -> None:
        line = QRectF(rect.left(), round(rect.center().y()), rect.width(), 1)
        self._painter.fillRect(line, QColor(self._theme.border))


def _lines_in_sight(document: QTextDocument, sight: QRectF) -> Iterator[_Line]:
    """The blocks in sight, with one more above and below so that boxes reach beyond the edges.

    The cells of a table say nothing about themselves: they stand as deep in quotes as the gap above the table.
    """
    layout, page = document.documentLayout(), _Page(document)
    block = _block_above(block_at(document, sight.top()))
    gap: _Line | None = None
    while block.isValid():
        rect = layout.blockBoundingRect(block)
        if gap and block.userState() < 0 and (block.text() == FILLER or QTextCursor(block).currentTable()):
            beside = QRectF(gap.rect.left(), rect.top(), 0, rect.height())
            line = _Line(block, BlockKind.PLAIN, gap.depth, gap.tone, beside, mirrored=False)
        else:
            line = page.line(block, rect)
            gap = line if line.kind in (BlockKind.SPACER, BlockKind.SEAM) else None
        yield line
        if rect.top() > sight.bottom():
            return
        block = block.next()


def _block_above(block: QTextBlock) -> QTextBlock:
    table = QTextCursor(block).currentTable()
    above = table.firstCursorPosition().block().previous() if table else block.previous()
    return above if above.isValid() else block


class _Page:
    """Where the columns of text in a document begin and end."""

    def __init__(self, document: QTextDocument) -> None:
        frame = document.rootFrame().frameFormat()
        self._left, self._right = frame.leftMargin(), document.textWidth() - frame.rightMargin()
        self._indent = document.indentWidth()

    def line(self, block: QTextBlock, rect: QRectF) -> _Line:
        """A block with the column its text stands in: from its indent to the right margin of the page."""
        layout, state = block.blockFormat(), block.userState()
        indent, left, right = layout.indent() * self._indent, layout.leftMargin(), layout.rightMargin()
        mirrored = right > left  # in a quote of text that runs from right to left
        left += self._left + (0 if mirrored else indent)
        right = self._right - right - (indent if mirrored else 0)
        if layout.nonBreakableLines():  # a line of code may be longer than the column is wide
            right = max(right, left + block.layout().lineAt(0).naturalTextWidth())
        column = QRectF(QPointF(left, rect.top()), QPointF(right, rect.bottom()))
        return _Line(block, kind_of(state), quote_depth_of(state), tone_of(state), column, mirrored)


def _runs(lines: list[_Line]) -> Iterator[_Run]:
    run: _Run | None = None
    for line in lines:
        name = run.name if run and line.kind is BlockKind.BUTTONS else _BOXES.get(line.kind)
        starts = line.kind is BlockKind.CODE_HEAD
        if run and (name != run.name or starts):
            yield run
            run = None
        if name and run:
            run.bottom = line.rect.bottom() + (_BELOW_BUTTONS_PX if line.kind is BlockKind.BUTTONS else 0)
            run.left = min(run.left, line.rect.left())
            run.right = max(run.right, line.rect.right())
        elif name:
            run = _Run(name, line.rect.left(), line.rect.top(), line.rect.right(), line.rect.bottom())
    if run:
        yield run


def _quote_bars(lines: list[_Line], depth: int) -> Iterator[tuple[QRectF, Tone]]:
    """The bars of one level of quotes, and their tones; blocks in a row that are at least so deep share one.

    An alert, another tone and a block further out begin another quote; one further in is a list inside the quote.
    """
    bar: QRectF | None = None
    begun: tuple[bool, Tone] = (False, Tone.NONE)
    for line in lines:
        left, look = _bar_left(line, depth), (line.mirrored, line.tone if depth == 1 else Tone.NONE)
        begins = look != begun or (line.kind is BlockKind.ALERT and line.depth == depth)
        if bar and (begins or line.depth < depth or (left > bar.left() if line.mirrored else left < bar.left())):
            yield bar, begun[1]
            bar = None
        if line.depth >= depth and bar:
            bar.setBottom(line.rect.bottom())
        elif line.depth >= depth:
            bar, begun = QRectF(left, line.rect.top(), _BAR, line.rect.height()), look
    if bar:
        yield bar, begun[1]


def _bar_left(line: _Line, depth: int) -> float:
    """Where the bar of a level begins, beside a block."""
    away = (line.depth - depth + 1) * QUOTE_INDENT_PX
    return line.rect.right() + away - _BAR if line.mirrored else line.rect.left() - away

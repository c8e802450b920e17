"""The results of a search of the history as a list: chats with their titles, and the text around each hit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QObject, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPalette, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from llamachat.core.conversation import SearchHit
from llamachat.core.text import tr
from llamachat.ui.conversation_model import ROW_ROLE, Index
from llamachat.ui.hit_model import HitKind, HitModel, HitRow, about, line_of, pieces_of, row_text, title_of_hit
from llamachat.ui.hit_text import begun_later, ended_before
from llamachat.ui.row_ground import paint_ground
from llamachat.ui.theme import LIGHT

SNIPPET_LINES = 2
PADDING = 5
_INDENT = 12
_HIT_INDENT = 22
_SMALL = 0.88


class HitDelegate(QStyledItemDelegate):
    """Paints a chat as a line, and a message as a line of who and when and two of text."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.match_colour = QColor(LIGHT.match)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Follows the font, and the width of the list: a text that fits on one line takes one."""
        row: HitRow = index.data(ROW_ROLE)
        lines = 1
        if row.kind is HitKind.MESSAGE:
            fits = option.fontMetrics.horizontalAdvance(line_of(row.hit)) <= self._room() - _HIT_INDENT - _INDENT
            lines += 1 if fits else SNIPPET_LINES
        above = 2 * PADDING if row.kind is HitKind.CHAT and index.row() else PADDING
        return QSize(0, option.fontMetrics.lineSpacing() * lines + PADDING + above)

    def _room(self) -> int:
        view = self.parent()
        return view.viewport().width() if isinstance(view, QListView) else 0

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        row: HitRow = index.data(ROW_ROLE)
        palette, rect = QPalette(option.palette), QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, option)
        left = _INDENT if row.kind is HitKind.CHAT else _HIT_INDENT
        box = rect.adjusted(left, PADDING, -_INDENT, -PADDING)
        if row.kind is HitKind.CHAT:
            self._paint_chat(painter, box, palette, hit=row.hit)
        elif row.kind is HitKind.MESSAGE:
            _paint_small(painter, box, palette, about(row.hit))
            box.setTop(box.top() + painter.fontMetrics().lineSpacing())
            self._paint_pieces(painter, box, palette, hit=row.hit, lines=SNIPPET_LINES)
        else:
            painter.setPen(palette.color(QPalette.ColorRole.Link))
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, row_text(row))
        painter.restore()

    def _paint_chat(self, painter: QPainter, box: QRect, palette: QPalette, *, hit: SearchHit) -> None:
        box.setTop(box.bottom() - painter.fontMetrics().lineSpacing())
        if hit.archived:
            word = tr("archived")
            _paint_small(painter, box, palette, word, right=True)
            box.setRight(box.right() - painter.fontMetrics().horizontalAdvance(word) - 8)
        font = painter.font()
        font.setBold(True)
        painter.setFont(font)
        if len(hit.snippet) > 1:
            self._paint_pieces(painter, box, palette, hit=hit, lines=1)
            return
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        title = painter.fontMetrics().elidedText(title_of_hit(hit), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, title)

    def _paint_pieces(self, painter: QPainter, box: QRect, palette: QPalette, *, hit: SearchHit, lines: int) -> None:
        lay_out = partial(_laid_out, painter=painter, width=box.width(), lines=lines)
        pieces = begun_later(pieces_of(hit), lambda text: _shows(lay_out(text), text))
        text, formats = "".join(pieces), self._formats(pieces, palette)
        layout = lay_out(text, formats=formats)
        if not _shows(layout, text):
            last = layout.lineAt(layout.lineCount() - 1)
            start = len(text.encode("utf-16-le")[: 2 * last.textStart()].decode("utf-16-le"))
            rest = painter.fontMetrics().elidedText(text[start:], Qt.TextElideMode.ElideRight, box.width())
            layout = lay_out(ended_before(pieces, start + len(rest) - 1), formats=formats)
        painter.setClipRect(box)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        layout.draw(painter, QPointF(box.topLeft()))

    def _formats(self, pieces: Sequence[str], palette: QPalette) -> list[QTextLayout.FormatRange]:
        marked = QTextCharFormat()
        marked.setBackground(self.match_colour)
        marked.setForeground(palette.color(QPalette.ColorRole.Text))
        ranges, start = [], 0
        for number, piece in enumerate(pieces):
            length = _units(piece)
            if number % 2 and length:
                mark = QTextLayout.FormatRange()
                mark.start, mark.length, mark.format = start, length, marked
                ranges.append(mark)
            start += length
        return ranges


def _laid_out(
    text: str, *, painter: QPainter, width: int, lines: int, formats: Sequence[QTextLayout.FormatRange] = ()
) -> QTextLayout:
    layout = QTextLayout(text, painter.font())
    layout.setTextOption(QTextOption())
    layout.setFormats(formats)
    layout.beginLayout()
    for number in range(lines):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        line.setPosition(QPointF(0, number * painter.fontMetrics().lineSpacing()))
    layout.endLayout()
    return layout


def _shows(layout: QTextLayout, text: str) -> bool:
    """Whether all of the text has room."""
    lines = [layout.lineAt(number) for number in range(layout.lineCount())]
    shown = sum(line.textLength() for line in lines) >= _units(text)
    return shown and all(line.naturalTextWidth() <= line.width() for line in lines)


def _units(text: str) -> int:
    """How long Qt takes a text for: it counts in UTF-16."""
    return len(text.encode("utf-16-le")) // 2


def _paint_small(painter: QPainter, box: QRect, palette: QPalette, text: str, *, right: bool = False) -> None:
    painter.save()
    font = painter.font()
    font.setPointSizeF(font.pointSizeF() * _SMALL)
    painter.setFont(font)
    painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, box.width())
    painter.drawText(box, side | Qt.AlignmentFlag.AlignTop, text)
    painter.restore()


class HitList(QListView):
    """The hits as a list: Enter or a click opens one, or shows all that was found in a chat."""

    chosen = Signal(object)  # SearchHit
    left = Signal()  # the user goes back up, into the search field

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = HitModel(self)
        self.setModel(self.rows)
        self.painter = HitDelegate(self)
        self.setItemDelegate(self.painter)
        self.setAccessibleName(tr("Search results"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._choose)
        self._place: tuple[HitRow | None, int, HitRow | None] = (None, 0, None)
        self.rows.modelAboutToBeReset.connect(self._keep_place)
        self.rows.modelReset.connect(self._take_place)

    def choose_first(self) -> None:
        """Open the hit that is selected, or the best one."""
        current = self.currentIndex()
        index = current if current.isValid() else self.rows.index(self.rows.best_row())
        if index.isValid():
            self.setCurrentIndex(index)
            self._choose(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens; Up on the first row goes back to the field."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._choose(self.currentIndex())
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _choose(self, index: QModelIndex) -> None:
        row = self.rows.rows[index.row()]
        if row.kind is HitKind.MORE:
            self.rows.open_chat(row.hit.conversation_id)
            self.setCurrentIndex(self.rows.index(index.row()))
        else:
            self.chosen.emit(row.hit)

    def _keep_place(self) -> None:
        """Before the rows are made anew: which one is at the top and how far, and which one is chosen."""
        top, current = self.indexAt(QPoint(1, 1)), self.currentIndex()
        rows = self.rows.rows
        self._place = (
            rows[top.row()] if top.isValid() and self.verticalScrollBar().value() else None,
            self.visualRect(top).top(),
            rows[current.row()] if current.isValid() else None,
        )

    def _take_place(self) -> None:
        top, offset, current = self._place
        if current and (row := self._row_of(current)) >= 0:
            self.setCurrentIndex(self.rows.index(row))
        if top and (row := self._row_of(top)) >= 0:
            self.doItemsLayout()
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(self.rows.index(row)).top() - offset)

    def _row_of(self, row: HitRow) -> int:
        return self.rows.row_of(row.hit.conversation_id, row.hit.message_id if row.kind is HitKind.MESSAGE else None)

"""What a search of the history found: title, day and the text around the hit, with the hit marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPointF, QRect, QSize, Qt, Signal
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
from llamachat.ui.row_ground import paint_ground
from llamachat.ui.theme import LIGHT

SNIPPET_LINES = 2
PADDING = 6
_ENDS = " .!?…"  # what a title may leave out


class HitModel(QAbstractListModel):
    """Hits, best first. A chat's title and the question it was made from are one hit, which leads to the question."""

    more_wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.hits: list[SearchHit] = []
        self.found = 0  # how many the store has given, with those that were joined
        self._has_more = False

    def set_hits(self, hits: Sequence[SearchHit], *, has_more: bool) -> None:
        """Show these instead."""
        self.beginResetModel()
        self.hits, self._has_more, self.found = [], has_more, len(hits)
        self.hits = self._joined(hits)
        self.endResetModel()

    def add_hits(self, hits: Sequence[SearchHit], *, has_more: bool) -> None:
        """Show these below."""
        self._has_more = has_more
        self.found += len(hits)
        joined = self._joined(hits)
        if more := joined[len(self.hits) :]:
            self.beginInsertRows(QModelIndex(), len(self.hits), len(joined) - 1)
            self.hits.extend(more)
            self.endInsertRows()
        self.hits[:] = joined

    def _joined(self, hits: Sequence[SearchHit]) -> list[SearchHit]:
        """The hits so far and these, a message that says what a title hit shows put in the place of that hit."""
        joined = list(self.hits)
        titles = {hit.conversation_id: at for at, hit in enumerate(joined) if hit.message_id is None}
        for hit in hits:
            at = titles.get(hit.conversation_id)
            if at is not None and hit.message_id is not None and _says_title(hit):
                joined[at] = replace(joined[at], message_id=hit.message_id)
                continue
            if hit.message_id is None:
                titles[hit.conversation_id] = len(joined)
            joined.append(hit)
        return joined

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default, never changed
        """How many hits are shown."""
        return 0 if parent.isValid() else len(self.hits)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A hit as text, for screen readers and searching by letters; whole for the delegate."""
        hit = self.hits[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{_title(hit)}: {_line(hit)}"
        return hit if role == ROW_ROLE else None

    def canFetchMore(self, parent: Index) -> bool:
        """True while there may be more."""
        return self._has_more and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:
        """Ask the owner for the next page, once."""
        if self.canFetchMore(parent):
            self._has_more = False
            self.more_wanted.emit()


class HitDelegate(QStyledItemDelegate):
    """Paints a hit: one line of title and day, two of text."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.match_colour = QColor(LIGHT.match)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Follows the font."""
        return QSize(0, option.fontMetrics.lineSpacing() * (1 + SNIPPET_LINES) + 3 * PADDING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one hit."""
        hit: SearchHit = index.data(ROW_ROLE)
        palette, rect = QPalette(option.palette), QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, option)
        box = rect.adjusted(12, PADDING, -12, -PADDING)
        self._paint_head(painter, box, palette, hit=hit)
        box.setTop(box.top() + painter.fontMetrics().lineSpacing() + PADDING // 2)
        self._paint_snippet(painter, box, palette, hit=hit)
        painter.restore()

    def _paint_head(self, painter: QPainter, box: QRect, palette: QPalette, *, hit: SearchHit) -> None:
        metrics, day = painter.fontMetrics(), _day(hit.created_at)
        room = box.width() - metrics.horizontalAdvance(day) - 8
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, day)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        title = metrics.elidedText(_title(hit), Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, title)

    def _paint_snippet(self, painter: QPainter, box: QRect, palette: QPalette, *, hit: SearchHit) -> None:
        layout = QTextLayout(_line(hit), painter.font())
        layout.setTextOption(QTextOption())
        layout.setFormats(self._formats(hit, palette))
        layout.beginLayout()
        for number in range(SNIPPET_LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(box.width())
            line.setPosition(QPointF(0, number * painter.fontMetrics().lineSpacing()))
        layout.endLayout()
        painter.setClipRect(box)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        layout.draw(painter, QPointF(box.topLeft()))

    def _formats(self, hit: SearchHit, palette: QPalette) -> list[QTextLayout.FormatRange]:
        marked = QTextCharFormat()
        marked.setBackground(self.match_colour)
        marked.setForeground(palette.color(QPalette.ColorRole.Text))
        ranges, start = [], 0
        for number, piece in enumerate(_pieces(hit)):
            length = len(piece.encode("utf-16-le")) // 2  # Qt counts UTF-16 units
            if number % 2 and length:
                mark = QTextLayout.FormatRange()
                mark.start, mark.length, mark.format = start, length, marked
                ranges.append(mark)
            start += length
        return ranges


class HitList(QListView):
    """The hits as a list: Enter or a click opens one."""

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
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._choose)

    def choose_first(self) -> None:
        """Open the hit that is selected, or the best one."""
        current = self.currentIndex()
        index = current if current.isValid() else self.rows.index(0)
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
        self.chosen.emit(self.rows.hits[index.row()])


def _title(hit: SearchHit) -> str:
    return " ".join(hit.title.split()) or tr("New chat")


def _says_title(hit: SearchHit) -> bool:
    """Whether the text around the hit is the title, which may have been cut from a longer question."""
    text, title = " ".join(_line(hit).split()), _title(hit)
    return text.rstrip(_ENDS) == title.rstrip(_ENDS) or (title.endswith("…") and text.startswith(title[:-1]))


def _pieces(hit: SearchHit) -> list[str]:
    blanks = str.maketrans(dict.fromkeys("\n\r\t\u2028\u2029\x0b\x0c\x85", " "))
    return [piece.translate(blanks) for piece in hit.snippet]


def _line(hit: SearchHit) -> str:
    return "".join(_pieces(hit))


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment).strftime("%Y-%m-%d") if moment else ""

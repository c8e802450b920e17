"""The list below the search field that offers operators and their values. The keyboard stays in the field.

Down and Up go through it, Tab takes the chosen entry or the first of what fits behind the text, Enter only a chosen
one, Esc closes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from llamachat.core.text import tr
from llamachat.ui.conversation_model import ROW_ROLE, Index
from llamachat.ui.escape import claims_escape, is_escape
from llamachat.ui.row_ground import paint_ground
from llamachat.ui.search_operators import Offer, offers
from llamachat.ui.transcript.announcing import announce_to_screen_reader

_MOST_ROWS = 10
_PADDING = 12
_GAP = 10
_FRAME = 4


class OperatorPopup(QListWidget):
    """Lies over the window below the field while there is something to offer. `values` are set from outside."""

    closed = Signal()

    def __init__(self, field: QLineEdit) -> None:
        super().__init__(field)
        self._field = field
        self.values: Mapping[str, Sequence[str]] = {}
        self.setObjectName("offers")
        self.setAccessibleName(tr("What can be searched for"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setItemDelegate(_OfferDelegate(self))
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.itemClicked.connect(self._take)
        self.currentItemChanged.connect(self._announce)
        field.textEdited.connect(lambda _: self.look())
        field.installEventFilter(self)
        self.hide()

    def look(self) -> None:
        """Offer what fits behind the cursor, or nothing."""
        field = self._field
        found = offers(field.text()[: field.cursorPosition()], self.values) if field.hasFocus() else []
        self.clear()
        for offer in found:
            item = QListWidgetItem(f"{offer.label} {offer.about}".strip(), self)
            item.setData(ROW_ROLE, offer)
            if not offer.text:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
        if found:
            self._place()
        self.setVisible(bool(found))

    def rest(self) -> str:
        """What stands in the field beside that which something is offered for."""
        first: Offer | None = self.item(0).data(ROW_ROLE) if self.count() else None
        text, place = self._field.text(), self._field.cursorPosition()
        return text[: place - (first.replaced if first else 0)] + text[place:]

    def _place(self) -> None:
        """Below the field, as wide as the widest offer where the window has room for it."""
        window, metrics = self._field.window(), self.fontMetrics()
        if self.parentWidget() is not window:
            self.setParent(window)
        widest = max(metrics.horizontalAdvance(self.item(row).text()) for row in range(self.count()))
        corner = self._field.mapTo(window, QPoint(0, self._field.height() + 2))
        room = window.width() - corner.x() - _FRAME
        width = min(max(self._field.width(), widest + 2 * _PADDING + _GAP + 2 * _FRAME + 14), room)
        rows = min(self.count(), _MOST_ROWS)
        height = rows * self.sizeHintForRow(0) + 2 * _FRAME + 4
        self.setGeometry(QRect(corner, QSize(width, height)))
        self.raise_()

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell it."""
        super().hideEvent(event)
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The keys of the field that are for the list; who leaves the field closes it."""
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        if not self.isVisible():
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            return claims_escape(event)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._takes_key(event)
        return False

    def _takes_key(self, event: QKeyEvent) -> bool:
        chosen = self.currentItem()
        acts: dict[int, Callable[[], object]] = {
            Qt.Key.Key_Down: lambda: self._step(1),
            Qt.Key.Key_Up: lambda: self._step(-1),
        }
        if chosen or self._field.text().strip():  # else it goes on to what comes behind the field
            acts[Qt.Key.Key_Tab] = lambda: self._take(chosen or self._first())
        if chosen:
            acts |= {Qt.Key.Key_Return: lambda: self._take(chosen), Qt.Key.Key_Enter: lambda: self._take(chosen)}
        act = self.hide if is_escape(event) else acts.get(event.key())
        if act is None:
            return False
        act()
        return True

    def _step(self, step: int) -> None:
        """Choose the next entry that can be taken; above the first there is none."""
        row = self.currentRow() + step
        while 0 <= row < self.count() and not self._can_take(row):
            row += step
        if row < self.count():
            self.setCurrentRow(max(row, -1))

    def _first(self) -> QListWidgetItem | None:
        return next((self.item(row) for row in range(self.count()) if self._can_take(row)), None)

    def _can_take(self, row: int) -> bool:
        return self.item(row).flags() != Qt.ItemFlag.NoItemFlags

    def _take(self, item: QListWidgetItem | None) -> None:
        """Put an offer into the field; what can follow it is offered next."""
        offer: Offer | None = item.data(ROW_ROLE) if item else None
        if offer is None or not offer.text:
            return
        field = self._field
        place = field.cursorPosition()
        field.setSelection(place - offer.replaced, offer.replaced)
        field.insert(offer.text)
        self.look()

    def _announce(self, item: QListWidgetItem | None) -> None:
        if item:
            announce_to_screen_reader(self._field, item.text())


class _OfferDelegate(QStyledItemDelegate):
    """Paints an offer, and behind it in a lesser colour what it is."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Follows the font."""
        return QSize(0, round(option.fontMetrics.height() * 1.6))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        offer: Offer = index.data(ROW_ROLE)
        rect, palette = QRect(option.rect), QPalette(option.palette)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, option)
        box = rect.adjusted(_PADDING, 0, -_PADDING, 0)
        metrics, flags = painter.fontMetrics(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        label = metrics.elidedText(offer.label, Qt.TextElideMode.ElideMiddle, box.width())
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(box, flags, label)
        box.setLeft(box.left() + metrics.horizontalAdvance(label) + _GAP)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(box, flags, metrics.elidedText(offer.about, Qt.TextElideMode.ElideRight, box.width()))
        painter.restore()

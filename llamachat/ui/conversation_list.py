"""The list of chats: opens, renames in place, asks for deletion. What it changes, its owner stores."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from llamachat.core.conversation import Conversation
from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.ui.conversation_model import ROW_ROLE, ConversationModel, Index, Row
from llamachat.ui.days import seconds_to_midnight
from llamachat.ui.icons import draw_icon
from llamachat.ui.row_ground import paint_ground

INDENT = 12  # pixels left of a title


class RowDelegate(QStyledItemDelegate):
    """Paints headings and chats, and edits a title inside its row."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row: rounded ground, elided title, a dot while an answer streams."""
        row: Row = index.data(ROW_ROLE)
        rect, palette = QRect(option.rect), QPalette(option.palette)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.conversation is None:
            _paint_heading(painter, rect, palette, row.text)
        else:
            paint_ground(painter, option)
            _paint_title(painter, rect, palette, row=row)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Rows follow the font."""
        row: Row = index.data(ROW_ROLE)
        height = option.fontMetrics.height()
        return QSize(0, round(height * (1.8 if row.conversation else 2.1)))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A plain field with the title selected."""
        editor = QLineEdit(parent)
        editor.setAccessibleName(tr("Title"))
        editor.setMaxLength(200)
        return editor


def _paint_heading(painter: QPainter, rect: QRect, palette: QPalette, text: str) -> None:
    font = painter.font()
    font.setPointSizeF(font.pointSizeF() * 0.86)
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
    box = rect.adjusted(INDENT, 0, -INDENT, -3)
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, text)


def _paint_title(painter: QPainter, rect: QRect, palette: QPalette, *, row: Row) -> None:
    box = rect.adjusted(INDENT, 0, -INDENT, 0)
    if row.live:
        size = painter.fontMetrics().height()
        place = QRectF(box.right() - size, box.center().y() - size / 2 + 1, size, size)
        draw_icon(painter, "ring" if row.waiting else "dot", place, palette.color(QPalette.ColorRole.Link))
        box.setRight(box.right() - size - 4)
    painter.setPen(palette.color(QPalette.ColorRole.Text))
    text = painter.fontMetrics().elidedText(row.text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


@dataclass(frozen=True, slots=True)
class _Place:
    """Chats by id: the first in view (None: the list stands at its top) with its place, and that of the keyboard."""

    top: int | None = None
    offset: int = 0
    current: int | None = None


class ConversationList(QListView):
    """A list over a ConversationModel."""

    opened = Signal(int)
    delete_requested = Signal(int)

    def __init__(self, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self.rows = ConversationModel(clock, self)
        self.rows.held = lambda: self.state() == QAbstractItemView.State.EditingState
        self._shown: int | None = None
        self._place = _Place()
        self.setModel(self.rows)
        self.setItemDelegate(RowDelegate(self))
        self.setAccessibleName(tr("Chats"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setUniformItemSizes(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.clicked.connect(self._open)
        self.rows.modelAboutToBeReset.connect(self._keep_place)
        self.rows.modelReset.connect(self._take_place)
        self._edited = QTimer(self)  # what has waited for the end of an edit, when the list is out of it
        self._edited.setSingleShot(True)
        self._edited.timeout.connect(self.rows.refresh)
        self.itemDelegate().closeEditor.connect(lambda *_: self._edited.start(0))
        self._midnight = QTimer(self)
        self._midnight.setSingleShot(True)
        self._midnight.timeout.connect(self._new_day)
        self._wait_for_midnight()

    def show_current(self, conversation_id: int | None) -> None:
        """Mark the chat that is open; None marks none."""
        self._shown = conversation_id
        self.put_keyboard_on(conversation_id)

    def put_keyboard_on(self, conversation_id: int | None) -> None:
        """Select a chat without opening it; None selects none."""
        index = QModelIndex() if conversation_id is None else self.rows.index_of(conversation_id)
        if index.isValid():
            self.setCurrentIndex(index)
        else:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())

    def _keep_place(self) -> None:
        """Before the rows are made anew: which row is at the top, and which one the keyboard is on."""
        bar, top = self.verticalScrollBar(), self.indexAt(QPoint(1, 1))
        while top.isValid() and self._at(top) is None:
            top = self.rows.index(top.row() + 1)  # a heading may go
        chat, current = self._at(top), self._at(self.currentIndex())
        at_top = bar.value() == bar.minimum()
        self._place = _Place(
            top=None if at_top or chat is None else chat.id,
            offset=self.visualRect(top).top(),
            current=current.id if current else None,
        )

    def _take_place(self) -> None:
        place = self._place
        current = place.current is not None and self.rows.index_of(place.current).isValid()
        self.put_keyboard_on(place.current if current else self._shown)
        if place.top is not None and (top := self.rows.index_of(place.top)).isValid():
            self.doItemsLayout()
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(top).top() - place.offset)

    @property
    def has_keyboard(self) -> bool:
        """Whether keys come here, also again once an open menu is closed."""
        return self.window().focusWidget() is self

    def successor(self, conversation_id: int) -> int | None:
        """Where the keyboard goes if it is on a chat that is deleted: the chat below, else the one above."""
        chat, row = self._at(self.currentIndex()), self.currentIndex().row()
        if not self.has_keyboard or chat is None or chat.id != conversation_id:
            return None
        below, above = range(row + 1, self.rows.rowCount()), range(row - 1, -1, -1)
        chats = (self._at(self.rows.index(number)) for number in (*below, *above))
        return next((chat.id for chat in chats if chat), None)

    def edit_title(self, conversation_id: int) -> None:
        """Open the field over a chat's title."""
        index = self.rows.index_of(conversation_id)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, Delete asks to delete; the rest is Qt's (arrows, F2, letters)."""
        conversation = self._at(self.currentIndex())
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)  # a key that the title's field has let through: Enter must not open as well
        elif conversation and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(conversation.id)
        elif conversation and event.key() == Qt.Key.Key_Delete:
            self.delete_requested.emit(conversation.id)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The right button opens a menu and leaves the mark on the chat that is open."""
        if event.button() is not Qt.MouseButton.RightButton:
            super().mousePressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The arrows move the mark; when the keyboard goes elsewhere in the window, it goes back to the open chat."""
        super().focusOutEvent(event)
        if not self.has_keyboard and not self.rows.held():
            self.show_current(self._shown)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Rename and delete, also by the menu key."""
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        conversation = self._at(self.indexAt(event.pos()) if by_mouse else self.currentIndex())
        if conversation is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        number = conversation.id
        menu.addAction(tr("Open")).triggered.connect(lambda: self.opened.emit(number))
        menu.addAction(tr("Rename")).triggered.connect(lambda: self.edit_title(number))
        menu.addSeparator()
        menu.addAction(tr("Delete")).triggered.connect(lambda: self.delete_requested.emit(number))
        menu.popup(event.globalPos())

    def _at(self, index: Index) -> Conversation | None:
        return self.rows.row(index).conversation if index.isValid() else None

    def _open(self, index: QModelIndex) -> None:
        if conversation := self._at(index):
            self.opened.emit(conversation.id)

    def _new_day(self) -> None:
        self.rows.refresh()
        self._wait_for_midnight()

    def _wait_for_midnight(self) -> None:
        self._midnight.start(round(min(3600.0, seconds_to_midnight(self._clock.now()) + 1) * 1000))

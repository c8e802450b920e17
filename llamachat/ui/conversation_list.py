"""The list of chats: opens, renames in place, selects several, asks for acts on them, which its owner carries out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QPalette
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QStyleOptionViewItem, QTableView, QWidget

from llamachat.core.conversation import Conversation
from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.ui.chat_acts import ChatAct, fill_menu
from llamachat.ui.conversation_model import ConversationModel, Index
from llamachat.ui.conversation_row import RowDelegate, row_height
from llamachat.ui.days import seconds_to_midnight
from llamachat.ui.passing_menu import PassingMenu

_SELECTS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@dataclass(frozen=True, slots=True)
class _Place:
    """Chats by id: the first in view (None: the list stands at its top) with its place, that of the keyboard, whether
    it is selected, and those that are selected, where they are others than that.
    """

    top: int | None = None
    offset: int = 0
    current: int | None = None
    chosen: bool = True
    selected: tuple[int, ...] = ()


class ConversationList(QTableView):
    """A list over a ConversationModel.

    A table of one column: a list view asks the model for each of 50,000 rows whenever one of them changes.
    """

    opened = Signal(int)
    act_requested = Signal(object, object)  # ChatAct, tuple of the ids of chats
    selection_grown = Signal(int)  # how many chats are selected

    def __init__(self, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self.rows = ConversationModel(clock, self)
        self.rows.held = lambda: self.state() == QAbstractItemView.State.EditingState
        self._shown: int | None = None
        self._place = _Place()
        self._takes_all = False  # what is still to be read is selected too
        self._selecting = False  # a click with Ctrl or Shift opens nothing
        self.setModel(self.rows)
        self.setItemDelegate(RowDelegate(self))
        self.setAccessibleName(tr("Chats"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        self._follow_font()
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.clicked.connect(self._open)
        self.rows.changing.connect(self._keep_place)
        self.rows.changed.connect(self._take_place)
        self.rows.rowsInserted.connect(self._select_new)
        self.selectionModel().selectionChanged.connect(lambda *_: self.selection_grown.emit(self.selected_count()))
        self._edited = QTimer(self)  # what has waited for the end of an edit, when the list is out of it
        self._edited.setSingleShot(True)
        self._edited.timeout.connect(self.rows.refresh)
        self.itemDelegate().closeEditor.connect(lambda *_: self._edited.start(0))
        self._midnight = QTimer(self)
        self._midnight.setSingleShot(True)
        self._midnight.timeout.connect(self._new_day)
        self._wait_for_midnight()

    def changeEvent(self, event: QEvent) -> None:
        """Rows follow the font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._follow_font()

    def initViewItemOption(self, option: QStyleOptionViewItem) -> None:  # noqa: N802 - Qt's own name
        """A table fills whole rows that are selected; rows have a ground of their own, painted by `RowDelegate`."""
        super().initViewItemOption(option)
        option.palette.setColor(QPalette.ColorRole.Highlight, Qt.GlobalColor.transparent)

    def _follow_font(self) -> None:
        self.verticalHeader().setDefaultSectionSize(row_height(self.fontMetrics()))

    def show_current(self, conversation_id: int | None) -> None:
        """Mark the chat that is open; None marks none."""
        self._shown = conversation_id
        self._takes_all = False
        self.put_keyboard_on(conversation_id)

    def put_keyboard_on(self, conversation_id: int | None, *, chosen: bool = True) -> None:
        """Go to a chat without opening it, and select it alone if it is chosen; None selects none."""
        index = QModelIndex() if conversation_id is None else self.rows.index_of(conversation_id)
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect if chosen else flags.Clear)
        if not index.isValid():
            self.clearSelection()

    def selected_chats(self) -> list[Conversation]:
        """The chats that are selected, from top to bottom."""
        rows = chain.from_iterable(range(first, last + 1) for first, last in sorted(self._selected_ranges()))
        return [chat for row in rows if (chat := self._at(self.rows.index(row)))]

    def selected_count(self) -> int:
        """How many chats are selected."""
        return sum(self.rows.count_chats(first, last) for first, last in self._selected_ranges())

    def _selected_ranges(self) -> list[tuple[int, int]]:
        chosen = self.selectionModel().selection()
        return [(chosen.at(number).top(), chosen.at(number).bottom()) for number in range(chosen.count())]

    def selectAll(self) -> None:  # noqa: N802 - Qt's own name
        """Select every chat of the list, also those that have to be read first."""
        super().selectAll()
        self._takes_all = True
        self.rows.fetchMore(QModelIndex())

    def _select_new(self, _parent: QModelIndex, first: int, last: int) -> None:
        if self._takes_all:
            self._select_rows(first, last)
            QTimer.singleShot(0, self, lambda: self.rows.fetchMore(QModelIndex()) if self._takes_all else None)

    def _select_rows(self, first: int, last: int) -> None:
        model = self.rows
        wanted = QItemSelection(model.index(first), model.index(last))
        self.selectionModel().select(wanted, QItemSelectionModel.SelectionFlag.Select)

    def _keep_place(self) -> None:
        """Before the rows are made anew: which row is at the top, and which one the keyboard is on."""
        bar, top = self.verticalScrollBar(), self.indexAt(QPoint(1, 1))
        while top.isValid() and self._at(top) is None:
            top = self.rows.index(top.row() + 1)  # a heading may go
        chat, current = self._at(top), self._at(self.currentIndex())
        at_top = bar.value() == bar.minimum()
        chosen = self.selectionModel().isSelected(self.currentIndex())
        several = not self._takes_all and self.selected_count() > (1 if chosen else 0)
        self._place = _Place(
            top=None if at_top or chat is None else chat.id,
            offset=self.visualRect(top).top(),
            current=current.id if current else None,
            chosen=chosen,
            selected=tuple(chat.id for chat in self.selected_chats()) if several else (),
        )

    def _take_place(self) -> None:
        place = self._place
        current = place.current is not None and self.rows.index_of(place.current).isValid()
        chosen = place.chosen if current else not self.has_keyboard  # lest Del delete what nobody has gone to
        self.put_keyboard_on(place.current if current else self._shown, chosen=chosen)
        if self._takes_all and self.rows.rowCount():
            self._select_rows(0, self.rows.rowCount() - 1)
        for number in place.selected:
            if (index := self.rows.index_of(number)).isValid():
                self._select_rows(index.row(), index.row())
        if place.top is not None and (top := self.rows.index_of(place.top)).isValid():
            self.doItemsLayout()
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(top).top() - place.offset)

    @property
    def has_keyboard(self) -> bool:
        """Whether keys come here, also again once an open menu is closed."""
        return self.window().focusWidget() is self

    def successor(self, gone: Collection[int]) -> int | None:
        """Where the keyboard goes if it is on a chat that goes: to a chat below, else one above."""
        chat, row = self._at(self.currentIndex()), self.currentIndex().row()
        if not self.has_keyboard or chat is None or chat.id not in gone:
            return None
        below, above = range(row + 1, self.rows.rowCount()), range(row - 1, -1, -1)
        chats = (self._at(self.rows.index(number)) for number in chain(below, above))
        return next((chat.id for chat in chats if chat and chat.id not in gone), None)

    def edit_title(self, conversation_id: int) -> None:
        """Open the field over a chat's title."""
        index = self.rows.index_of(conversation_id)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, Delete asks to delete what is selected; the rest is Qt's (arrows, Ctrl+A, F2, letters)."""
        conversation = self._at(self.currentIndex())
        self._takes_all = self._takes_all and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Menu)
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)  # a key that the title's field has let through: Enter must not open as well
        elif conversation and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(conversation.id)
        elif event.key() == Qt.Key.Key_Delete:
            if chats := self.selected_chats():  # not where the keyboard has only come to
                self._ask(ChatAct.DELETE, chats)
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selectAll()
        else:
            super().keyPressEvent(event)

    def moveCursor(  # noqa: N802 - Qt's own name
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Home and End go to the first and the last chat; no key ends on a heading."""
        moves = QAbstractItemView.CursorAction
        row = {moves.MoveHome: 0, moves.MoveEnd: self.rows.rowCount() - 1}.get(action)
        index = super().moveCursor(action, modifiers) if row is None else self.rows.index(row)
        return self.rows.index(index.row() + 1) if index.isValid() and self._at(index) is None else index

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The right button opens a menu and leaves the mark on the chat that is open."""
        if event.button() is not Qt.MouseButton.RightButton:
            self._takes_all = False
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """With Ctrl or Shift a click only selects."""
        self._selecting = bool(event.modifiers() & _SELECTS)
        super().mouseReleaseEvent(event)
        self._selecting = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard comes to a chat, not to the heading above the first."""
        super().focusInEvent(event)
        if self._at(self.currentIndex()) is None and self.rows.rowCount() > 1:
            self.selectionModel().setCurrentIndex(self.rows.index(1), QItemSelectionModel.SelectionFlag.NoUpdate)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The arrows move the mark; when the keyboard goes elsewhere in the window, it goes back to the open chat."""
        super().focusOutEvent(event)
        if not self.has_keyboard and not self.rows.held():
            self.show_current(self._shown)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with the chat, or with all that are selected where it is one of them."""
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        conversation = self._at(self.indexAt(event.pos()) if by_mouse else self.currentIndex())
        if conversation is None:
            return
        place = event.globalPos() if by_mouse else self._below(self.currentIndex())
        self.show_menu(self._meant(conversation), place)

    def show_menu(self, chats: list[Conversation], place: QPoint) -> None:
        """Offer what can be done with these chats."""
        menu = PassingMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fill_menu(menu, chats, lambda act: self._ask(act, chats))
        menu.popup(place)

    def _below(self, index: QModelIndex) -> QPoint:
        return self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())

    def _meant(self, conversation: Conversation) -> list[Conversation]:
        """The selected chats where this is one of several; else this one."""
        if self.selected_count() > 1 and self.selectionModel().isSelected(self.rows.index_of(conversation.id)):
            return self.selected_chats()
        return [conversation]

    def _ask(self, act: ChatAct, chats: list[Conversation]) -> None:
        self._takes_all = False
        if act is ChatAct.OPEN:
            self.opened.emit(chats[0].id)
        elif act is ChatAct.RENAME:
            self.edit_title(chats[0].id)
        else:
            self.act_requested.emit(act, tuple(chat.id for chat in chats))

    def _at(self, index: Index) -> Conversation | None:
        return self.rows.row(index).conversation if index.isValid() else None

    def _open(self, index: QModelIndex) -> None:
        conversation = None if self._selecting else self._at(index)
        if conversation:
            self.opened.emit(conversation.id)

    def _new_day(self) -> None:
        self.rows.refresh()
        self._wait_for_midnight()

    def _wait_for_midnight(self) -> None:
        self._midnight.start(round(min(3600.0, seconds_to_midnight(self._clock.now()) + 1) * 1000))

"""The list of chats as Qt rows: headings, and the chats under them; pages are added as they are scrolled to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from llamachat.core.conversation import Conversation, ListOrder, is_temporary
from llamachat.core.seams import Clock
from llamachat.core.tag import tag_key
from llamachat.core.text import tr
from llamachat.ui.labels import title_text, tooltip
from llamachat.ui.list_groups import ListGroups, sort_key
from llamachat.ui.list_row import Row, said_of, told_of

Index: TypeAlias = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole
_ONE_BY_ONE = 50  # above so many rows it is quicker to make all anew


@dataclass(frozen=True, slots=True)
class Listing:
    """What a list shows, in which order. `tag`: only chats that have it."""

    order: ListOrder = ListOrder.ACTIVITY
    archived: bool = False
    tag: str = ""

    def has(self, conversation: Conversation) -> bool:
        """Whether a chat belongs into the list."""
        tagged = not self.tag or tag_key(self.tag) in map(tag_key, conversation.tags)
        return conversation.archived == self.archived and tagged


def title_of(conversation: Conversation) -> str:
    """The title on one line, or what stands in its place."""
    if is_temporary(conversation.id):
        return tr("Temporary chat · not saved")
    return title_text(conversation.title)


class ConversationModel(QAbstractListModel):
    """Rows made from conversations. A rename typed into a row is announced; the owner stores it."""

    rename_entered = Signal(int, str)
    more_wanted = Signal()  # the end of what is loaded is in view
    changing = Signal()  # rows are about to come, go or move ...
    changed = Signal()  # ... and have done so

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._listing = Listing()
        self._groups = ListGroups(self._listing.order, now=clock.now())
        self._live: frozenset[int] = frozenset()
        self._waiting: frozenset[int] = frozenset()
        self._fresh: frozenset[int] = frozenset()  # as long as the program runs
        self._seen: int | None = None
        self._has_more = False
        self._waiting_changes: list[Callable[[], None]] = []
        self.held: Callable[[], bool] = lambda: False  # true while a row is edited: rows then stay where they are

    def row(self, index: Index) -> Row:
        """What a row shows."""
        item = self._groups.at(index.row())
        if isinstance(item, str):
            return Row(item)
        number = item.id
        return Row(
            title_of(item),
            item,
            live=number in self._live,
            waiting=number in self._waiting,
            fresh=number in self._fresh,
        )

    def index_of(self, conversation_id: int) -> QModelIndex:
        """The row of a chat; an invalid index when it is not loaded."""
        place = self._groups.find(conversation_id)
        return self.index(place.row) if place else QModelIndex()

    def conversation(self, conversation_id: int) -> Conversation | None:
        """A loaded chat."""
        return self._groups.get(conversation_id)

    def count_chats(self, first: int, last: int) -> int:
        """How many of these rows are chats."""
        return self._groups.count_chats(first, last)

    def last(self) -> Conversation | None:
        """The chat at the end of what is loaded."""
        return self._groups.last()

    def show_listing(self, listing: Listing) -> None:
        """Be another list, empty at first."""
        self.changing.emit()
        self.beginResetModel()
        self._listing, self._has_more = listing, False
        self._waiting_changes.clear()
        self._groups = ListGroups(listing.order, now=self._clock.now())
        self.endResetModel()
        self.changed.emit()

    def set_page(self, conversations: Iterable[Conversation], *, append: bool, has_more: bool) -> None:
        """Show these, or add them below; chats that are there already are not doubled."""
        chats = [chat for chat in conversations if self._listing.has(chat)]
        self._has_more = has_more
        if append:
            self._when_free(lambda: self._add_below(chats))
        else:
            self._when_free(lambda: self._fill(chats))

    def set_first_page(self, page: list[Conversation], *, complete: bool) -> None:
        """Take the first chats as they are in the store now. `complete`: there are no others."""
        self._when_free(lambda: self._take_first_page(page, complete=complete))

    def put(self, conversation: Conversation) -> None:
        """Show a chat that is new or has changed, where it belongs; none that belongs elsewhere."""
        self._when_free(lambda: self._put(conversation))

    def retitle(self, conversation_id: int, title: str) -> None:
        """Show another title."""
        if chat := self.conversation(conversation_id):
            self.put(replace(chat, title=title))

    def take(self, *conversation_ids: int) -> None:
        """Drop chats."""
        self._when_free(lambda: self._take_all(conversation_ids))

    def set_live(self, live: frozenset[int], waiting: frozenset[int] = frozenset()) -> None:
        """Mark the chats in which an answer streams; the `waiting` ones among them wait until another has ended.

        Those in which one has ended are marked until they are seen.
        """
        changed = (live ^ self._live) | (waiting ^ self._waiting)
        self._fresh = (self._fresh | (self._live - live)) - live - {self._seen}
        self._live, self._waiting = live, waiting
        for number in changed:
            self._repaint(number)

    def see(self, conversation_id: int | None) -> None:
        """This chat is shown from now on; None: none of those in the list."""
        self._seen = conversation_id
        if conversation_id in self._fresh:
            self._fresh -= {conversation_id}
            self._repaint(conversation_id)

    def refresh(self) -> None:
        """A new day has begun, or an edit has ended: chats may have to stand under other headings."""
        if self.held():
            return
        changes, self._waiting_changes = self._waiting_changes, []
        for change in changes:
            change()
        chats, before = list(self._groups.chats()), self._groups.headings()
        anew = ListGroups(self._listing.order, now=self._clock.now())
        anew.fill(chats, now=self._clock.now())
        if anew.headings() != before or len(anew) != len(self._groups):
            self._fill(chats)

    def _when_free(self, change: Callable[[], None]) -> None:
        if self.held():
            self._waiting_changes.append(change)
        else:
            change()

    def _fill(self, chats: Iterable[Conversation]) -> None:
        self.changing.emit()
        self.beginResetModel()
        self._groups.fill(chats, now=self._clock.now())
        self.endResetModel()
        self.changed.emit()

    def _add_below(self, chats: list[Conversation]) -> None:
        last = self._groups.last()
        end = sort_key(last, self._listing.order) if last else None
        new = [chat for chat in chats if self._groups.find(chat.id) is None]
        below = [chat for chat in new if end is None or sort_key(chat, self._listing.order) > end]
        if below:
            count = len(self._groups)
            self.beginInsertRows(QModelIndex(), count, count + self._groups.rows_with(below) - 1)
            self._groups.extend(below)
            self.endInsertRows()
        for chat in new:
            if self._groups.find(chat.id) is None:  # it has been written in meanwhile
                self._put(chat)

    def _take_first_page(self, page: list[Conversation], *, complete: bool) -> None:
        have, order = {chat.id for chat in page}, self._listing.order
        end = sort_key(page[-1], order) if page and not complete else None
        below = {chat.id for chat in self._groups.chats() if end and sort_key(chat, order) > end}
        more, stay = not complete and (self._has_more or not below), have | below
        self._has_more = False  # until the whole page is shown
        self._take_all([chat.id for chat in self._groups.chats() if chat.id not in stay])
        for chat in page:
            if self.conversation(chat.id) != chat:
                self._put(chat)
        self._has_more = more

    def _put(self, chat: Conversation) -> None:
        place = self._groups.find(chat.id)
        wanted = self._listing.has(chat) and not self._belongs_below(chat)
        if place and wanted and self._groups.replace(chat):
            self._repaint(chat.id)
            return
        if not place and not wanted:
            return
        self.changing.emit()
        if place:
            self._remove(chat.id)
        if wanted:
            self._insert(chat)
        self.changed.emit()

    def _belongs_below(self, chat: Conversation) -> bool:
        """Whether it comes with a later page."""
        last = self._groups.last()
        if not self._has_more or last is None or last.id == chat.id:
            return False
        return sort_key(chat, self._listing.order) > sort_key(last, self._listing.order)

    def _take_all(self, conversation_ids: Iterable[int]) -> None:
        gone = frozenset(conversation_ids)
        if len(gone) > _ONE_BY_ONE:
            self._fill([chat for chat in self._groups.chats() if chat.id not in gone])
        elif ids := [number for number in gone if self._groups.find(number)]:
            self.changing.emit()
            for number in ids:
                self._remove(number)
            self.changed.emit()

    def _insert(self, chat: Conversation) -> None:
        place = self._groups.place_for(chat)
        self.beginInsertRows(QModelIndex(), place.row - place.alone, place.row)
        self._groups.insert(chat)
        self.endInsertRows()

    def _remove(self, conversation_id: int) -> None:
        place = self._groups.find(conversation_id)
        if place:
            self.beginRemoveRows(QModelIndex(), place.row - place.alone, place.row)
            self._groups.remove(conversation_id)
            self.endRemoveRows()

    def _repaint(self, conversation_id: int) -> None:
        index = self.index_of(conversation_id)
        if index.isValid():
            self.dataChanged.emit(index, index)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default, never changed
        """How many rows there are."""
        return 0 if parent.isValid() else len(self._groups)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A row's text, tooltip, and what a screen reader says."""
        row = self.row(index)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.text
        if role == Qt.ItemDataRole.ToolTipRole and row.conversation:
            return tooltip(told_of(row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return said_of(row)
        return row if role == ROW_ROLE else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a typed title; an empty one changes nothing."""
        row = self.row(index)
        title = " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or row.conversation is None or not title or title == row.text:
            return False
        self.rename_entered.emit(row.conversation.id, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings are only read."""
        if index.isValid() and isinstance(self._groups.at(index.row()), Conversation):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
        return Qt.ItemFlag.NoItemFlags

    def canFetchMore(self, parent: Index) -> bool:
        """True while the store has more chats."""
        return self._has_more and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:
        """Ask the owner for the next page, once."""
        if self.canFetchMore(parent):
            self._has_more = False
            self.more_wanted.emit()

    def more_failed(self) -> None:
        """The next page could not be read: it can be asked for again."""
        self._has_more = True

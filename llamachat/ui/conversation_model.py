"""The list of chats as Qt rows: headings by day, and the chats under them, newest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from llamachat.core.conversation import Conversation, is_temporary
from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.ui.days import heading
from llamachat.ui.labels import tooltip

Index: TypeAlias = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Row:
    """A heading (`conversation` None) or a chat; `live`: an answer streams in it, or is `waiting` to."""

    text: str
    conversation: Conversation | None = None
    live: bool = False
    waiting: bool = False


def title_of(conversation: Conversation) -> str:
    """The title on one line, or what stands in its place."""
    if is_temporary(conversation.id):
        return tr("Temporary chat · not saved")
    return " ".join(conversation.title.split()) or tr("New chat")


class ConversationModel(QAbstractListModel):
    """Rows made from conversations. A rename typed into a row is announced; the owner stores it."""

    rename_entered = Signal(int, str)
    more_wanted = Signal()  # the end of what is loaded is in view

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._conversations: list[Conversation] = []
        self._live: frozenset[int] = frozenset()
        self._waiting: frozenset[int] = frozenset()
        self._rows: list[Row] = []
        self._has_more = False
        self.held: Callable[[], bool] = lambda: False  # true while a row is edited: rows then stay where they are

    def row(self, index: Index) -> Row:
        """What a row shows."""
        return self._rows[index.row()]

    def index_of(self, conversation_id: int) -> QModelIndex:
        """The row of a chat; an invalid index when it is not loaded."""
        for number, row in enumerate(self._rows):
            if row.conversation and row.conversation.id == conversation_id:
                return self.index(number)
        return QModelIndex()

    def conversation(self, conversation_id: int) -> Conversation | None:
        """A loaded chat."""
        return next((c for c in self._conversations if c.id == conversation_id), None)

    def set_page(self, conversations: Iterable[Conversation], *, append: bool, has_more: bool) -> None:
        """Show these, or add them below; chats that are there already are not doubled."""
        known = self._conversations if append else []
        have = {c.id for c in known}
        self._conversations = _newest_first([*known, *(c for c in conversations if c.id not in have)])
        self._has_more = has_more
        self.refresh()

    def set_first_page(self, page: list[Conversation], *, complete: bool) -> None:
        """Take the newest chats as they are in the store now. `complete`: there are no others."""
        have = {c.id for c in page}
        older = [] if complete else [c for c in self._conversations if _age(c) < _age(page[-1])]
        self._conversations = _newest_first([*page, *(c for c in older if c.id not in have)])
        self._has_more = self._has_more and not complete
        self.refresh()

    def put(self, conversation: Conversation) -> None:
        """Show a chat that is new or has changed, where its time belongs."""
        rest = [c for c in self._conversations if c.id != conversation.id]
        self._conversations = _newest_first([conversation, *rest])
        self.refresh()

    def retitle(self, conversation_id: int, title: str) -> None:
        """Show another title, in place."""
        self._conversations = [replace(c, title=title) if c.id == conversation_id else c for c in self._conversations]
        self.refresh()

    def take(self, conversation_id: int) -> None:
        """Drop a chat."""
        self._conversations = [c for c in self._conversations if c.id != conversation_id]
        self.refresh()

    def set_live(self, live: frozenset[int], waiting: frozenset[int] = frozenset()) -> None:
        """Mark the chats in which an answer streams; the `waiting` ones among them wait until another has ended."""
        self._live, self._waiting = live, waiting
        self.refresh()

    def refresh(self) -> None:
        """Make the rows again, also when a new day has begun. Rows that kept their places are only repainted."""
        if self.held():
            return
        rows = self._make_rows()
        if _shape(rows) == _shape(self._rows):
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def _make_rows(self) -> list[Row]:
        rows: list[Row] = []
        now, last = self._clock.now(), ""
        for conversation in self._conversations:
            day = heading(conversation.updated_at, now=now)
            if day != last:
                rows.append(Row(day))
                last = day
            live, waiting = conversation.id in self._live, conversation.id in self._waiting
            rows.append(Row(title_of(conversation), conversation, live, waiting))
        return rows

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default, never changed
        """How many rows there are."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A row's text, tooltip, and what a screen reader says."""
        row = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.text
        if role == Qt.ItemDataRole.ToolTipRole and row.conversation:
            return tooltip(row.text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return _said(row)
        return row if role == ROW_ROLE else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a typed title; an empty one changes nothing."""
        row = self._rows[index.row()]
        title = " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or row.conversation is None or not title or title == row.text:
            return False
        self.rename_entered.emit(row.conversation.id, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings are only read."""
        if index.isValid() and self._rows[index.row()].conversation:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
        return Qt.ItemFlag.NoItemFlags

    def canFetchMore(self, parent: Index) -> bool:
        """True while the store has older chats."""
        return self._has_more and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:
        """Ask the owner for the next page, once."""
        if self.canFetchMore(parent):
            self._has_more = False
            self.more_wanted.emit()


def _said(row: Row) -> str:
    """What a screen reader says."""
    if row.waiting:
        return tr("{title}, waits for another answer to end").format(title=row.text)
    return tr("{title}, an answer is being written").format(title=row.text) if row.live else row.text


def _newest_first(conversations: list[Conversation]) -> list[Conversation]:
    return sorted(conversations, key=_age, reverse=True)


def _age(conversation: Conversation) -> tuple[float, int]:
    return conversation.updated_at, conversation.id


def _shape(rows: list[Row]) -> list[int | str]:
    return [row.conversation.id if row.conversation else row.text for row in rows]

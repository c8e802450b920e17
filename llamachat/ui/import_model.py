"""The chats of a file that may be imported, as rows that can be ticked and searched. Fifty thousand are no burden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from llamachat.core.text import tr
from llamachat.storage.imported import Arrival, Fate
from llamachat.ui.days import day_of
from llamachat.ui.labels import tooltip

Index: TypeAlias = QModelIndex | QPersistentModelIndex
TITLE, DATE, MESSAGES, FATE = range(4)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(slots=True)
class _Row:
    """A chat, whether it is ticked, and its title as it is searched."""

    arrival: Arrival
    ticked: bool
    key: str


class ImportModel(QAbstractTableModel):
    """The newest first. What is here already cannot be ticked: there is nothing to do."""

    ticked = Signal()  # others are ticked than before

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: list[_Row] = []
        self._shown: list[_Row] = []

    def show(self, arrivals: Sequence[Arrival]) -> None:
        """Show these, all ticked that can be."""
        self.beginResetModel()
        newest_first = sorted(arrivals, key=lambda arrival: -arrival.updated_at)
        self._rows = [
            _Row(arrival, arrival.fate is not Fate.KNOWN, arrival.title.casefold()) for arrival in newest_first
        ]
        self._shown = self._rows
        self.endResetModel()
        self.ticked.emit()

    def find(self, text: str) -> None:
        """Show only those whose titles have all of these words."""
        words = text.casefold().split()
        self.beginResetModel()
        self._shown = [row for row in self._rows if all(word in row.key for word in words)] if words else self._rows
        self.endResetModel()

    def tick_shown(self, *, on: bool) -> None:
        """Tick all that are shown, or none of them."""
        for row in self._shown:
            row.ticked = on and row.arrival.fate is not Fate.KNOWN
        if self._shown:
            last = self.index(len(self._shown) - 1, TITLE)
            self.dataChanged.emit(self.index(0, TITLE), last, [Qt.ItemDataRole.CheckStateRole])
        self.ticked.emit()

    @property
    def chosen(self) -> list[Arrival]:
        """Those that are ticked, shown or not."""
        return [row.arrival for row in self._rows if row.ticked]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default, never changed
        """How many are shown."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default, never changed
        """What is told of each."""
        return 0 if parent.isValid() else FATE + 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """A tick for what can be imported."""
        if self._shown[index.row()].arrival.fate is Fate.KNOWN:
            return Qt.ItemFlag.ItemIsSelectable
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == TITLE else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A cell."""
        row = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(row.arrival, index.column())
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == TITLE:
            return Qt.CheckState.Checked if row.ticked else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() == MESSAGES else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == TITLE:
            return tooltip(row.arrival.title)
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Tick a row, or not."""
        if role != Qt.ItemDataRole.CheckStateRole or self._shown[index.row()].arrival.fate is Fate.KNOWN:
            return False
        self._shown[index.row()].ticked = value in (Qt.CheckState.Checked, Qt.CheckState.Checked.value)
        self.dataChanged.emit(index, index, [role])
        self.ticked.emit()
        return True

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section == MESSAGES else _LEFT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (tr("Chat"), tr("Last message"), tr("Messages"), tr("Here"))[section]


def _text(arrival: Arrival, column: int) -> str:
    if column == TITLE:
        return arrival.title or tr("Untitled chat")
    if column == DATE:
        return day_of(arrival.updated_at)
    if column == MESSAGES:
        return str(arrival.messages)
    if arrival.fate is Fate.GROWN:
        return tr("{count} are new").format(count=arrival.added_messages)
    return {Fate.NEW: tr("new"), Fate.RESTORED: tr("was deleted"), Fate.KNOWN: tr("is here")}[arrival.fate]

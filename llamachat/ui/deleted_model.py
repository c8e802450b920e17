"""What was deleted as the rows of a table, the latest first, read from the store page by page."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, tzinfo
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from llamachat.core.text import tr
from llamachat.storage.deletions import Deleted, Kind
from llamachat.ui.labels import title_text, tooltip

Index: TypeAlias = QModelIndex | QPersistentModelIndex
COLUMNS = 4
_MANY = 100


class DeletedModel(QAbstractTableModel):
    """Holds the pages that were read so far."""

    more_wanted = Signal(int)  # before the row with this number

    def __init__(self, parent: QObject, *, zone: tzinfo | None = None) -> None:
        super().__init__(parent)
        self._zone = zone
        self._rows: list[Deleted] = []
        self._has_more = False

    def row(self, number: int) -> Deleted:
        """What stands in a row."""
        return self._rows[number]

    def set_page(self, rows: list[Deleted], *, has_more: bool) -> None:
        """Show the latest page alone."""
        self.beginResetModel()
        self._rows, self._has_more = rows, has_more
        self.endResetModel()

    def append_page(self, rows: list[Deleted], *, before_id: int, has_more: bool) -> None:
        """Show older rows below the one with this number, unless another is the last by now."""
        if not self._rows or self._rows[-1].id != before_id:
            return
        if rows:
            first = len(self._rows)
            self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
            self._rows += rows
            self.endInsertRows()
        self._has_more = has_more

    def ids(self) -> list[int]:
        """What was read, by the numbers of the rows in the store."""
        return [row.id for row in self._rows]

    def keep(self, ids: Collection[int]) -> None:
        """Drop all rows but these; a few go one by one, so that the rest keeps its place."""
        gone = [number for number, row in enumerate(self._rows) if row.id not in ids]
        if len(gone) > _MANY:
            self.beginResetModel()
            self._rows = [row for row in self._rows if row.id in ids]
            self.endResetModel()
            return
        for number in reversed(gone):
            self.beginRemoveRows(QModelIndex(), number, number)
            del self._rows[number]
            self.endRemoveRows()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default, never changed
        """How many rows were read."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default, never changed
        """What is shown of each."""
        return 0 if parent.isValid() else COLUMNS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A cell's text; the whole of it as a tooltip."""
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        row, text = self._rows[index.row()], self._texts(self._rows[index.row()])[index.column()]
        return (
            text
            if role == Qt.ItemDataRole.DisplayRole
            else tooltip(row.text or text if index.column() == 1 else text)
        )

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (tr("What"), tr("Title or first words"), tr("In the chat"), tr("Deleted"))[section]

    def canFetchMore(self, parent: Index) -> bool:
        """True while the store has older rows."""
        return self._has_more and bool(self._rows) and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:
        """Ask the owner for the next page, once."""
        if self.canFetchMore(parent):
            self._has_more = False
            self.more_wanted.emit(self._rows[-1].id)

    def _texts(self, row: Deleted) -> tuple[str, str, str, str]:
        moment = datetime.fromtimestamp(row.at, self._zone).strftime("%Y-%m-%d %H:%M")
        if row.kind is Kind.CHAT:
            return row.words, title_text(row.title), "", moment
        chat = title_text(row.title) if row.kind is Kind.MESSAGES else ""
        return row.words, " ".join(row.text.split()), chat, moment

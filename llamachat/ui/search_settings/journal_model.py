"""The journal as the rows of a table, newest first, read from the store page by page."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from llamachat.core.egress import Egress
from llamachat.core.text import tr
from llamachat.storage.journal import JournalEntry
from llamachat.ui.labels import tooltip

Index: TypeAlias = QModelIndex | QPersistentModelIndex
COLUMNS = 7
_BYTES = (4, 5)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class JournalModel(QAbstractTableModel):
    """Holds the pages that were read so far."""

    more_wanted = Signal(int)  # before the row with this number

    def __init__(self, parent: QObject, *, zone: tzinfo | None = None) -> None:
        super().__init__(parent)
        self._zone = zone
        self._entries: list[JournalEntry] = []
        self._has_more = False

    @property
    def newest_id(self) -> int | None:
        """The number of the row on top."""
        return self._entries[0].id if self._entries else None

    def set_page(self, entries: list[JournalEntry], *, has_more: bool) -> None:
        """Show the newest page alone."""
        self.beginResetModel()
        self._entries, self._has_more = entries, has_more
        self.endResetModel()

    def append_page(self, entries: list[JournalEntry], *, before_id: int, has_more: bool) -> None:
        """Show older rows below the one with this number, unless another is the last by now."""
        if not self._entries or self._entries[-1].id != before_id:
            return
        if entries:
            first = len(self._entries)
            self.beginInsertRows(QModelIndex(), first, first + len(entries) - 1)
            self._entries += entries
            self.endInsertRows()
        self._has_more = has_more

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default, never changed
        """How many rows were read."""
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default, never changed
        """What is shown of each."""
        return 0 if parent.isValid() else COLUMNS

    def whole_row(self, number: int) -> str:
        """A row in full, on lines; "" where there is none."""
        if not 0 <= number < len(self._entries):
            return ""
        entry = self._entries[number]
        moment, host, kind, words, sent, received, outcome = self._texts(entry.egress)
        amounts = tr("{sent} bytes out, {received} in, {seconds:.2f} s").format(
            sent=sent, received=received, seconds=entry.egress.seconds
        )
        first = [moment, kind, host]
        if answer := entry.egress.message_id:
            first.append(tr("for answer {id}").format(id=answer))
        return f"{' · '.join(first)}\n{words}\n{outcome} · {amounts}"

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A cell's text; the whole of it as a tooltip."""
        text = self._texts(self._entries[index.row()].egress)[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(text)
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in _BYTES:
            return _RIGHT
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in _BYTES:
            return _RIGHT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        names = tr("Time"), tr("To"), tr("What"), tr("Query or address"), tr("Out"), tr("In"), tr("Outcome")
        return names[section]

    def canFetchMore(self, parent: Index) -> bool:
        """True while the store has older rows."""
        return self._has_more and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:
        """Ask the owner for the next page, once."""
        if self.canFetchMore(parent):
            self._has_more = False
            self.more_wanted.emit(self._entries[-1].id)

    def _texts(self, row: Egress) -> tuple[str, ...]:
        moment = datetime.fromtimestamp(row.at, self._zone).strftime("%Y-%m-%d %H:%M:%S")
        words, outcome = " ".join(row.query.split()), " ".join(row.outcome.split())
        return moment, row.host, _kind(row.what), words, f"{row.bytes_out:,}", f"{row.bytes_in:,}", outcome


def _kind(what: str) -> str:
    names = {"search": tr("search"), "page": tr("page"), "jina": tr("page, by Jina"), "package": tr("download")}
    return names.get(what, what)

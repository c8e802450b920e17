"""The page of the journal: what has left this computer for anything but the model server."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QMessageBox,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.storage.database import Database
from llamachat.storage.journal import JournalEntry, clear_journal, list_journal
from llamachat.ui.labels import WrapLabel
from llamachat.ui.search_settings.fields import Switch
from llamachat.ui.search_settings.journal_model import JournalModel
from llamachat.ui.search_settings.questions import ask
from llamachat.ui.tasks import Lane

PAGE = 100
_FITTING = ("2026-12-28 20:00:00", "searx.example", "download", "", "100,000", "100,000,000", "timed out")  # texts
_BESIDE_PX = 10  # of a text in its column
_STRETCHED = 3  # the words that were sent


class JournalPage(QWidget):
    """A table, a switch, and a button that empties it. `flush` has rows written that wait for the disk."""

    def __init__(self, lane: Lane[Database], *, flush: Callable[[], None], owner: QObject) -> None:
        super().__init__()
        self._lane, self._flush = lane, flush
        self.switch = Switch(
            "journal",
            tr("Keep a journal"),
            note=tr("Searches, pages and downloads, with the time and what was sent. It stays on this computer."),
        )
        self.model = JournalModel(owner)
        self.model.more_wanted.connect(self._load_older)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName(tr("Journal"))
        self.detail = WrapLabel()
        self.table.selectionModel().currentRowChanged.connect(lambda index: self._tell(index.row()))
        self.state = WrapLabel()
        self.state.setObjectName("lesser")
        self.clear = QPushButton(tr("Empty the journal…"))
        self.clear.setAutoDefault(False)
        self.clear.clicked.connect(self._ask)
        self._lay_out()

    def _lay_out(self) -> None:
        table = self.table
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setWordWrap(False)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().setDefaultSectionSize(round(table.fontMetrics().height() * 1.6))
        table.verticalHeader().hide()
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for column, text in enumerate(_FITTING):
            table.setColumnWidth(column, table.fontMetrics().horizontalAdvance(text) + _BESIDE_PX)
        table.horizontalHeader().setMinimumSectionSize(40)
        table.horizontalHeader().setSectionResizeMode(_STRETCHED, QHeaderView.ResizeMode.Stretch)
        row = QHBoxLayout()
        row.addWidget(self.state, 1)
        row.addWidget(self.clear)
        column_of_all = QVBoxLayout(self)
        column_of_all.setContentsMargins(20, 16, 20, 16)
        column_of_all.setSpacing(12)
        column_of_all.addWidget(self.switch)
        column_of_all.addWidget(table, 1)
        column_of_all.addWidget(self.detail)
        column_of_all.addLayout(row)

    def load(self) -> None:
        """Read the newest page again."""

        def read(db: Database) -> list[JournalEntry]:
            self._flush()
            return list_journal(db, limit=PAGE)

        self._lane.read(read, self._show, self._fail, key="journal")

    def _show(self, entries: list[JournalEntry]) -> None:
        """Where nothing is new the rows stay, with the place and the older ones that were read."""
        if entries and entries[0].id == self.model.newest_id:
            return
        self.model.set_page(entries, has_more=len(entries) == PAGE)
        self._tell(-1)
        self.clear.setEnabled(bool(entries))
        self.state.setText("" if entries else tr("Nothing has left this computer, or nothing was kept of it."))

    def _tell(self, row: int) -> None:
        self.detail.setText(self.model.whole_row(row))
        self.detail.setVisible(row >= 0)

    def _load_older(self, before_id: int) -> None:
        self._lane.read(
            lambda db: list_journal(db, limit=PAGE, before_id=before_id),
            lambda entries: self.model.append_page(entries, before_id=before_id, has_more=len(entries) == PAGE),
            self._fail,
        )

    def _ask(self) -> None:
        box = QMessageBox(self)
        box.setText(tr("Empty the journal?"))
        box.setInformativeText(tr("All its rows are deleted. Chats and what was found for them stay."))
        ask(box, tr("Empty the journal"), self._clear)

    def _clear(self) -> None:
        def clear(db: Database) -> None:
            self._flush()
            clear_journal(db)

        self._lane.write(clear, lambda _: self.load(), self._fail)

    def _fail(self, error: UserFacingError) -> None:
        self.state.setText(str(error))

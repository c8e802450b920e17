"""The window of what was deleted: bring back, or delete for good."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QIcon, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QMessageBox,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from llamachat.core.text import tr, trn
from llamachat.storage.deletions import Deleted
from llamachat.ui.deleted_model import DeletedModel
from llamachat.ui.labels import WrapLabel
from llamachat.ui.search_settings.questions import ask

_WIDTH_PX, _HEIGHT_PX = 860, 520
_FITTING = ("Question and 100 more", "", "A title of a chat of some length", "2026-12-28 20:00")  # texts
_BESIDE_PX = 18  # of a text in its column
_STRETCHED = 1


class DeletedDialog(QDialog):
    """A table with buttons; its owner reads and writes the store."""

    restore_requested = Signal(list)  # list[Deleted]
    purge_requested = Signal(list)  # list[Deleted]
    empty_requested = Signal()
    in_front = Signal()  # again: more may have been deleted meanwhile

    def __init__(self, parent: QWidget, *, keep_days: int) -> None:
        """keep_days: how long it is kept; 0 for as long as nobody deletes it for good."""
        super().__init__(parent)
        self.setWindowTitle(tr("Recently deleted"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.model = DeletedModel(self)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName(tr("What was deleted"))
        self.state = WrapLabel(_kept(keep_days))
        self.state.setObjectName("lesser")
        self.restore = QPushButton(tr("Restore"))
        self.purge = QPushButton(tr("Delete for good…"))
        self.empty = QPushButton(tr("Empty…"))
        self.leave = QPushButton(tr("Close"))
        self._busy = False
        self._lay_out()
        self._connect()
        self._look()
        self.resize(_WIDTH_PX, _HEIGHT_PX)

    def _lay_out(self) -> None:
        table = self.table
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setWordWrap(False)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().setDefaultSectionSize(round(table.fontMetrics().height() * 1.6))
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for column, text in enumerate(_FITTING):
            table.setColumnWidth(column, table.fontMetrics().horizontalAdvance(text) + _BESIDE_PX)
        table.horizontalHeader().setSectionResizeMode(_STRETCHED, QHeaderView.ResizeMode.Stretch)
        buttons = QHBoxLayout()
        for button in (self.restore, self.purge, self.empty):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.leave)
        for button in (self.restore, self.purge, self.empty, self.leave):
            button.setAutoDefault(False)
            button.setIcon(QIcon())
        column_of_all = QVBoxLayout(self)
        column_of_all.setContentsMargins(20, 16, 20, 16)
        column_of_all.setSpacing(12)
        column_of_all.addWidget(table, 1)
        column_of_all.addWidget(self.state)
        column_of_all.addLayout(buttons)

    def _connect(self) -> None:
        self.table.selectionModel().selectionChanged.connect(self._look)
        self.table.doubleClicked.connect(self._restore)
        for key, act in (("Return", self._restore), ("Enter", self._restore), ("Del", self._ask_to_purge)):
            QShortcut(QKeySequence(key), self.table, act).setContext(Qt.ShortcutContext.WidgetShortcut)
        self.restore.clicked.connect(self._restore)
        self.purge.clicked.connect(self._ask_to_purge)
        self.empty.clicked.connect(self._ask_to_empty)
        self.leave.clicked.connect(self.close)
        for signal in (self.model.modelReset, self.model.rowsRemoved):
            signal.connect(self._look)

    def changeEvent(self, event: QEvent) -> None:
        """Tell who fills the table when the window comes to the front."""
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.in_front.emit()
        super().changeEvent(event)

    def chosen(self) -> list[Deleted]:
        """What is selected, from top to bottom."""
        numbers = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self.model.row(number) for number in numbers]

    def show_page(self, rows: list[Deleted], *, has_more: bool) -> None:
        """Show the latest of all, with the first of them selected; where nothing is new the rows stay."""
        if rows and [rows[0].id] == self.model.ids()[:1]:
            return
        self.model.set_page(rows, has_more=has_more)
        self._select(0)
        self.table.setFocus()
        if not rows:
            self.say(tr("Nothing is deleted."))

    def keep(self, ids: Collection[int]) -> None:
        """Only these can still be brought back; the keyboard goes to what stands in the place of what went."""
        numbers = [index.row() for index in self.table.selectionModel().selectedRows()]
        self.model.keep(ids)
        self._select(min(numbers, default=0))

    def _select(self, number: int) -> None:
        """Whatever keys are held; where there are fewer rows, the last."""
        if count := self.model.rowCount():
            chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            index = self.model.index(min(number, count - 1), 0)
            self.table.selectionModel().setCurrentIndex(index, chosen)

    def say(self, text: str) -> None:
        """What goes on, or went wrong."""
        self.state.setText(text)

    def set_busy(self, *, busy: bool) -> None:
        """Something is being deleted for good, which takes a while."""
        self._busy = busy
        self._look()

    def _look(self) -> None:
        chosen, idle = self.table.selectionModel().hasSelection(), not self._busy
        self.restore.setEnabled(chosen and idle)
        self.purge.setEnabled(chosen and idle)
        self.empty.setEnabled(bool(self.model.rowCount()) and idle)

    def _restore(self) -> None:
        if self.restore.isEnabled():
            self.restore_requested.emit(self.chosen())

    def _ask_to_purge(self) -> None:
        if not self.purge.isEnabled():
            return
        chosen = self.chosen()
        box = QMessageBox(self)
        box.setWindowTitle(tr("Delete for good"))
        box.setText(trn("Delete this for good?", "Delete these {count} for good?", len(chosen)))
        box.setInformativeText(_for_good())
        ask(box, tr("Delete for good"), lambda: self.purge_requested.emit(chosen))

    def _ask_to_empty(self) -> None:
        box = QMessageBox(self)
        box.setWindowTitle(tr("Delete for good"))
        box.setText(tr("Delete for good all that is deleted?"))
        box.setInformativeText(_for_good())
        ask(box, tr("Delete all for good"), self.empty_requested.emit)


def _for_good() -> str:
    return tr("It cannot be brought back, not from the daily copies of the history either.")


def _kept(days: int) -> str:
    if days:
        kept = trn("for {count} day", "for {count} days", days)
        return tr(
            "This is kept {kept}, then deleted for good; keep_deleted_days in the settings file changes that."
        ).format(kept=kept)
    return tr("This is kept until you delete it for good; keep_deleted_days in the settings file changes that.")

"""The table of chats that may be imported."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from llamachat.core.text import tr
from llamachat.ui.import_model import DATE, FATE, MESSAGES, TITLE, ImportModel
from llamachat.ui.tick_delegate import TickDelegate

_FITTING = {DATE: "2026-12-28 ", MESSAGES: "  Messages  ", FATE: " was deleted  "}
_BESIDE_PX = 16


class ImportTable(QTableView):
    """One row a chat; Space ticks it."""

    def __init__(self, model: ImportModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(tr("Chats in the file"))
        self.setItemDelegateForColumn(TITLE, TickDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().setDefaultSectionSize(round(self.fontMetrics().height() * 1.6))
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().hide()
        for column, text in _FITTING.items():
            self.setColumnWidth(column, self.fontMetrics().horizontalAdvance(text) + _BESIDE_PX)
        self.horizontalHeader().setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setHighlightSections(False)

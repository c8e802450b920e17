"""What is in a file of chats before anything is imported: whose they are, what comes along, and which are wanted."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from llamachat.core.cancel import CancelToken
from llamachat.core.text import tr, trn
from llamachat.ui.import_model import TITLE, ImportModel
from llamachat.ui.import_preview import Preview, found_sentence, remarks
from llamachat.ui.import_table import ImportTable
from llamachat.ui.labels import WrapLabel
from llamachat.ui.over_window import put_over_window
from llamachat.ui.progress_panel import ProgressPanel
from llamachat.ui.tasks import Lane

_WIDTH_PX, _HEIGHT_PX, _LOW_PX = 680, 560, 140


class ImportDialog(QDialog):
    """Shows how far the look through the file is, then what it found, then how far the import is; its owner works."""

    wanted = Signal(object)  # frozenset of the uids of the chats to import
    other_wanted = Signal()  # another file is to be chosen

    def __init__(self, lane: Lane[CancelToken], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Import"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.panel = ProgressPanel(lane)
        self.found = WrapLabel()
        self.found.setObjectName("subheading")
        self.remarks = WrapLabel()
        self.remarks.setObjectName("lesser")
        self.error = WrapLabel()
        self.error.setObjectName("failed")
        self.model = ImportModel(self)
        self.model.ticked.connect(self._count)
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Find in the titles"))
        self.field.setAccessibleName(tr("Find in the titles"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.model.find)
        self.all = _button(tr("Tick all"), lambda: self.model.tick_shown(on=True))
        self.none = _button(tr("Tick none"), lambda: self.model.tick_shown(on=False))
        self.table = ImportTable(self.model)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.other = self.buttons.addButton(tr("Another file…"), QDialogButtonBox.ButtonRole.ActionRole)
        self.other.clicked.connect(self.other_wanted)
        self.take = self.buttons.addButton(tr("Import"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.take.setDefault(True)
        for button in self.buttons.buttons():
            button.setIcon(QIcon())  # the style's own is black in the dark
        self.buttons.accepted.connect(self._choose)
        self.buttons.rejected.connect(self.reject)
        self._lay_out()
        self._show_only(self.panel)

    def _lay_out(self) -> None:
        self._choice = QWidget()
        row = QHBoxLayout()
        row.addWidget(self.field, 1)
        row.addWidget(self.all)
        row.addWidget(self.none)
        inner = QVBoxLayout(self._choice)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(8)
        inner.addLayout(row)
        inner.addWidget(self.table, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 18, 22, 16)
        column.setSpacing(10)
        for label in (self.found, self.remarks, self.error):
            column.addWidget(label)
        column.addWidget(self._choice, 1)
        column.addWidget(self.panel)
        column.addStretch(0)
        column.addWidget(self.buttons)
        self.resize(_WIDTH_PX, _LOW_PX)

    def show_preview(self, preview: Preview) -> None:
        """The look is done."""
        self.found.setText(found_sentence(preview))
        self.remarks.setText("\n".join(f"• {remark}" for remark in remarks(preview)))
        self.field.clear()
        self.model.show(preview.arrivals)
        self._show_only(self.found, self._choice, self.take)
        self.remarks.setVisible(bool(self.remarks.text()))
        put_over_window(self, QSize(self.width(), max(self.height(), _HEIGHT_PX)))
        self.take.setDefault(True)
        self.table.setCurrentIndex(self.model.index(0, TITLE))
        self.table.setFocus()
        self._count()

    def show_refusal(self, sentence: str) -> None:
        """Nothing can be imported, and nothing was."""
        self.error.setText(sentence)
        self._show_only(self.error, self.other)
        self.resize(self.width(), _LOW_PX)
        self.other.setFocus()

    def show_running(self) -> None:
        """A job runs in the panel."""
        self._show_only(self.found, self.panel)
        self.resize(self.width(), _LOW_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter in the field goes to what it has found, and imports nothing."""
        if self.field.hasFocus() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.table.setCurrentIndex(self.model.index(0, TITLE))
            self.table.setFocus()
        else:
            super().keyPressEvent(event)

    def reject(self) -> None:
        """Stop what runs; where nothing runs, close."""
        if self.panel.running:
            self.panel.cancel()
        else:
            super().reject()

    def _show_only(self, *widgets: QWidget) -> None:
        """Of the parts that are not always seen."""
        for widget in (self.found, self.remarks, self.error, self._choice, self.panel, self.other, self.take):
            widget.setVisible(widget in widgets)
        self.buttons.setVisible(self.panel not in widgets)

    def _count(self) -> None:
        count = len(self.model.chosen)
        self.take.setText(trn("Import {count} chat", "Import {count} chats", count))
        self.take.setEnabled(bool(count))

    def _choose(self) -> None:
        self.wanted.emit(frozenset(arrival.uid for arrival in self.model.chosen))


def _button(text: str, pressed: object) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.clicked.connect(pressed)
    return button

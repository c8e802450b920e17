"""Where a question is changed and asked again: a window of its own, so that what stands in the composer stays."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from llamachat.core.text import clean, tr
from llamachat.ui.labels import WrapLabel

_WIDTH_PX, _HEIGHT_PX = 620, 320


class EditDialog(QDialog):
    """Stays open until the owner closes it: the text must be stored before it is let go of."""

    asked = Signal(str)  # the new text

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Edit and ask again"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QPlainTextEdit(text)
        self.field.setAccessibleName(tr("Message"))
        self.field.setTabChangesFocus(True)
        note = WrapLabel(tr("The message and its answers stay as another version, which you can go back to."))
        note.setObjectName("lesser")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.send = buttons.addButton(tr("Ask again"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.send.setDefault(True)
        for button in buttons.buttons():
            button.setIcon(QIcon())  # the style's own is black in the dark
        buttons.accepted.connect(self._ask)
        buttons.rejected.connect(self.reject)
        QShortcut(QKeySequence("Ctrl+Return"), self, self._ask)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(self.field, 1)
        column.addWidget(note)
        column.addWidget(buttons)
        self.field.textChanged.connect(self._look)
        self._look()
        self.resize(_WIDTH_PX, _HEIGHT_PX)

    def _look(self) -> None:
        self.send.setEnabled(bool(self.field.toPlainText().strip()))

    def _ask(self) -> None:
        if self.send.isEnabled():
            self.asked.emit(clean(self.field.toPlainText()))

"""Where the system prompt of a chat is read, and changed for this chat alone."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from llamachat.core.text import clean, tr
from llamachat.ui.labels import WrapLabel
from llamachat.ui.search_settings.questions import ask_to_drop_changes
from llamachat.ui.text_to_change import TextToChange

_WIDTH_PX, _HEIGHT_PX = 620, 380


class PromptDialog(QDialog):
    """Closes when its text was taken. One that was changed goes by the button that says so, or after a question."""

    changed = Signal(str)  # the new text

    def __init__(self, text: str, *, cost: str, parent: QWidget) -> None:
        """cost: what the change costs, "" for nothing."""
        super().__init__(parent)
        self.setWindowTitle(tr("System prompt of this chat"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = TextToChange(text, tr("System prompt"))
        self._before = self.field.toPlainText()
        note = WrapLabel(f"{tr('A change counts for this chat alone, from the next answer on.')} {cost}".strip())
        note.setObjectName("lesser")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.close_button = buttons.button(QDialogButtonBox.StandardButton.Close)
        self.use = buttons.addButton(tr("Use for this chat"), QDialogButtonBox.ButtonRole.AcceptRole)
        for button in buttons.buttons():
            button.setIcon(QIcon())  # the style's own is black in the dark
        buttons.accepted.connect(self._use)
        buttons.rejected.connect(lambda: self.done(QDialog.DialogCode.Rejected))
        QShortcut(QKeySequence("Ctrl+Return"), self, self._use)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(self.field, 1)
        column.addWidget(note)
        column.addWidget(buttons)
        self.field.textChanged.connect(self._look)
        self._look()
        self.resize(_WIDTH_PX, _HEIGHT_PX)

    def reject(self) -> None:
        """Esc and the cross of the window."""
        if self.use.isEnabled():
            ask_to_drop_changes(self)
        else:
            super().reject()

    def _look(self) -> None:
        changed = self.field.toPlainText() != self._before
        self.use.setEnabled(changed)
        self.close_button.setText(tr("Drop the change") if changed else tr("Close"))

    def _use(self) -> None:
        if self.use.isEnabled():
            self.changed.emit(clean(self.field.toPlainText()))
            self.accept()

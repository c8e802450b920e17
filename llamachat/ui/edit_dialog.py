"""Where a message is changed: a window of its own, so that what stands in the composer stays."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRegularExpression, Qt, Signal
from PySide6.QtGui import QIcon, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from llamachat.core.text import clean, tr
from llamachat.ui.labels import WrapLabel
from llamachat.ui.search_settings.questions import ask_to_drop_changes
from llamachat.ui.text_to_change import TextToChange

_WIDTH_PX, _HEIGHT_PX = 620, 320


@dataclass(frozen=True, slots=True)
class EditWords:
    """What the window says. only_changed: the text as it was is not worth storing."""

    title: str
    note: str
    button: str
    only_changed: bool = False


def question_words() -> EditWords:
    """For a question, which is asked again."""
    return EditWords(
        tr("Edit and ask again"),
        tr("The message and its answers stay as another version, which you can go back to."),
        tr("Ask again"),
    )


def answer_words() -> EditWords:
    """For an answer, which is stored."""
    return EditWords(
        tr("Edit the answer"),
        tr(
            "The model takes this text for its own from now on. The answer and what follows it stay as another "
            "version, which you can go back to."
        ),
        tr("Save"),
        only_changed=True,
    )


class EditDialog(QDialog):
    """Stays open until the owner closes it with `accept`: the text must be stored before it is let go of."""

    asked = Signal(str)  # the new text

    def __init__(self, text: str, parent: QWidget, words: EditWords | None = None) -> None:
        super().__init__(parent)
        words = words or question_words()
        self._only_changed = words.only_changed
        self.setWindowTitle(words.title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = TextToChange(text, tr("Message"))
        self._before = self.field.toPlainText()
        self.note = WrapLabel(words.note)
        self.note.setObjectName("lesser")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.send = buttons.addButton(words.button, QDialogButtonBox.ButtonRole.AcceptRole)
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
        column.addWidget(self.note)
        column.addWidget(buttons)
        self.field.textChanged.connect(self._look)
        self._look()
        self.resize(_WIDTH_PX, _HEIGHT_PX)

    def reject(self) -> None:
        """Esc, Cancel and the cross of the window: what was changed is not dropped unasked."""
        if self._changed():
            ask_to_drop_changes(self)
        else:
            super().reject()

    def say(self, text: str) -> None:
        """Why the text is not stored yet."""
        self.note.setText(text)

    def _changed(self) -> bool:
        return self.field.toPlainText() != self._before

    def _look(self) -> None:
        """At each key, so without reading a text that may be long."""
        document = self.field.document()
        written = not document.find(QRegularExpression(r"\S")).isNull()
        self.send.setEnabled(written and (document.isModified() or not self._only_changed))

    def _ask(self) -> None:
        if self.send.isEnabled() and (self._changed() or not self._only_changed):
            self.asked.emit(clean(self.field.toPlainText()))

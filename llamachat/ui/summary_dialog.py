"""The summary that a new chat is to begin with: shown while it is written, changed at will, and only then used."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon, QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QProgressBar, QVBoxLayout, QWidget

from llamachat.chat.summary import Draft
from llamachat.core.errors import UserFacingError
from llamachat.core.text import clean, tr
from llamachat.ui.labels import WrapLabel
from llamachat.ui.search_settings.questions import ask_to_drop_changes

_WIDTH_PX, _HEIGHT_PX, _QUESTION_PX = 640, 520, 90


class SummaryDialog(QDialog):
    """Shows what the owner tells of the writing, who closes it too, when the text is stored."""

    begun = Signal(str)  # the first message of the new chat
    again_requested = Signal()  # write it once more

    def __init__(self, question: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("New chat with a summary"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.state = WrapLabel()
        self.state.setObjectName("lesser")
        self.progress = QProgressBar(maximum=100, textVisible=False)
        self.progress.setFixedHeight(6)
        keeps_its_room = self.progress.sizePolicy()
        keeps_its_room.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(keeps_its_room)
        self.summary = self._field("", tr("Summary"))
        self.question = self._field(question, tr("Question"))
        self.question.setFixedHeight(_QUESTION_PX)
        self._buttons = QDialogButtonBox()
        self.again = self._buttons.addButton(tr("Write it again"), QDialogButtonBox.ButtonRole.ActionRole)
        self.cancel = self._buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.begin = self._buttons.addButton(tr("Begin the new chat"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.begin.setDefault(True)
        for button in self._buttons.buttons():
            button.setIcon(QIcon())  # the style's own is black in the dark
        self._lay_out()
        self._connect()
        self.resize(_WIDTH_PX, _HEIGHT_PX)

    def _field(self, text: str, name: str) -> QPlainTextEdit:
        field = QPlainTextEdit(text)
        field.setAccessibleName(name)
        field.setTabChangesFocus(True)
        return field

    def _lay_out(self) -> None:
        heading = QLabel(tr("Question"))
        heading.setObjectName("subheading")
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(
            WrapLabel(tr("The model sums this chat up. The new chat begins with your question and this summary."))
        )
        column.addWidget(self.summary, 1)
        column.addWidget(self.progress)
        column.addWidget(self.state)
        column.addWidget(heading)
        column.addWidget(self.question)
        column.addWidget(self._buttons)

    def _connect(self) -> None:
        self.begin.clicked.connect(self._begin)
        self.cancel.clicked.connect(self.reject)
        self.again.clicked.connect(self.again_requested)
        self.summary.textChanged.connect(self.look)
        self.question.textChanged.connect(self.look)
        QShortcut(QKeySequence("Ctrl+Return"), self, self._begin)

    # What the owner tells

    def begin_writing(self) -> None:
        """The model is asked."""
        self.summary.setPlainText("")
        self._set_writing(writing=True)
        self._say(tr("The model is asked…"))

    def show_draft(self, draft: Draft) -> None:
        """The summary has come so far."""
        self.progress.setValue(round(100 * draft.read))
        self.progress.setVisible(not draft.text)
        shown = self.summary.toPlainText()
        if draft.text.startswith(shown):
            end = QTextCursor(self.summary.document())
            end.movePosition(QTextCursor.MoveOperation.End)
            end.insertText(draft.text.removeprefix(shown))
        else:
            self.summary.setPlainText(draft.text)
        left_out = tr("The oldest part of the chat does not fit and is left out.") if draft.shortened else ""
        doing = tr("The model is writing…") if draft.text else tr("The model is reading the chat…")
        self._say(f"{doing} {left_out}")

    def finish(self, draft: Draft) -> None:
        """It is whole."""
        self.show_draft(draft)
        self._set_writing(writing=False)
        left_out = tr("The oldest part of the chat did not fit and is left out.") if draft.shortened else ""
        self._say(f"{tr('You can change it.')} {left_out}")
        self.begin.setFocus()

    def fail(self, error: UserFacingError) -> None:
        """There will be none; one can be typed."""
        self._set_writing(writing=False)
        self._say(str(error), failed=True)
        self.again.setFocus()

    # What the person does

    def reject(self) -> None:
        """Esc, Cancel and the cross of the window: what was changed is not dropped unasked."""
        changed = self.summary.document().isModified() and not self.summary.isReadOnly()
        if changed:
            ask_to_drop_changes(self)
        else:
            super().reject()

    def _begin(self) -> None:
        if self.begin.isEnabled():
            self.begin.setEnabled(False)  # until the owner has closed the window
            self.begun.emit(first_message(self.question.toPlainText(), self.summary.toPlainText()))

    def _set_writing(self, *, writing: bool) -> None:
        self.summary.setReadOnly(writing)
        self.summary.document().setModified(False)
        self.again.setEnabled(not writing)
        self.progress.setVisible(writing)
        self.progress.setValue(0)
        self.look()

    def _say(self, text: str, *, failed: bool = False) -> None:
        self.state.setObjectName("failed" if failed else "lesser")
        self.state.style().polish(self.state)
        self.state.setText(text.strip())

    def look(self) -> None:
        """The chat can begin once there are both texts."""
        texts = (self.summary.toPlainText(), self.question.toPlainText())
        self.begin.setEnabled(not self.summary.isReadOnly() and all(text.strip() for text in texts))


def first_message(question: str, summary: str) -> str:
    """What the new chat begins with: the question first, whose words become the title."""
    heading = tr("Summary of the chat before:")
    return clean(f"{question.strip()}\n\n{heading}\n\n{summary.strip()}")

"""Where a message is written: a field that grows with its text, the search mode beside it, Send or Stop."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QResizeEvent, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from llamachat.core.text import clean, tr
from llamachat.ui.icons import IconButton
from llamachat.ui.prompt_button import PromptButton
from llamachat.ui.search_button import SearchButton

MAX_LINES = 8
_LONG_WORD = 1000
_BETWEEN_WORDS = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere


class MessageEdit(QPlainTextEdit):
    """Plain text. Enter submits, Shift+Enter breaks the line; while an input method composes Enter does neither."""

    submitted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.setAccessibleName(tr("Message"))
        self.setPlaceholderText(tr("Write a message"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(_BETWEEN_WORDS)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(2)
        self.setViewportMargins(6, 0, 0, 0)  # in line with the icon below
        self.document().contentsChange.connect(self._choose_wrapping)
        self.document().documentLayout().documentSizeChanged.connect(lambda _: self._fit())
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends unless Shift is held or an input method is composing."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif self._composing:
            event.accept()
        elif event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier):
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        else:
            self.submitted.emit()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether a composition is under way."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text that every part of the program can carry."""
        if source.hasText():
            self.insertPlainText(clean(source.text()))
            self.ensureCursorVisible()

    def _choose_wrapping(self, position: int, _removed: int, added: int) -> None:
        """Break lines at any character once there is a word so long that Qt would look for its end at every line.

        Comes before the change is laid out, whatever made it: a paste, a draft, Undo.
        """
        document = self.document()
        if document.characterCount() <= _LONG_WORD:
            self.setWordWrapMode(_BETWEEN_WORDS)
        elif self.wordWrapMode() == _BETWEEN_WORDS:
            changed = QTextCursor(document)
            changed.setPosition(max(position - _LONG_WORD, 0))
            end = min(position + added + _LONG_WORD, document.characterCount() - 1)
            changed.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            if max(map(len, changed.selectedText().split()), default=0) >= _LONG_WORD:
                self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width breaks the lines elsewhere."""
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        """As high as the text, from one line to MAX_LINES."""
        lines = max(1, min(MAX_LINES, round(self.document().size().height())))
        margins = 2 * round(self.document().documentMargin()) + self.contentsMargins().top() * 2
        return QSize(200, lines * self.fontMetrics().lineSpacing() + margins)

    def _fit(self) -> None:
        height = self.sizeHint().height()
        if height != self.height() or height != self.minimumHeight():
            self.setFixedHeight(height)
        many = self.document().size().height() > MAX_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if many else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)


class Composer(QFrame):
    """The field with its buttons. The owner clears it when the text is stored, not before."""

    sent = Signal(str)
    queued = Signal(str)  # sent while an answer is written
    stop_requested = Signal()
    text_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self._running = False
        self.edit = MessageEdit()
        self.search = SearchButton()
        self.prompt = PromptButton()
        self.queue = IconButton("send", tr("Send after this answer"))
        self.queue.set_name(self.queue.accessibleName(), tr("Send after this answer (Enter)"))
        self.queue.hide()
        self.send = IconButton("send", tr("Send"))
        self.send.filled = True
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.search)
        row.addWidget(self.prompt)
        row.addStretch(1)
        row.addWidget(self.queue)
        row.addWidget(self.send)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 10, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.edit)
        column.addLayout(row)
        self.setFocusProxy(self.edit)
        self.edit.submitted.connect(self._submit)
        self.edit.textChanged.connect(self._update)
        self.edit.textChanged.connect(self.text_changed)
        self.send.clicked.connect(self._press)
        self.queue.clicked.connect(self._submit)
        self.edit.installEventFilter(self)
        self._update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The frame shows that the field has the keyboard."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.setProperty("focused", event.type() == QEvent.Type.FocusIn)
            self.style().unpolish(self)
            self.style().polish(self)
        return super().eventFilter(watched, event)

    @property
    def text(self) -> str:
        """What stands in the field."""
        return self.edit.toPlainText()

    def set_text(self, text: str) -> None:
        """Replace the text; the caret goes to its end. Nothing is announced."""
        if text == self.text:
            return
        with QSignalBlocker(self.edit):
            self.edit.setPlainText(text)
        self.edit.moveCursor(QTextCursor.MoveOperation.End)
        self._update()

    def set_running(self, running: bool, *, stopping: bool = False) -> None:
        """An answer streams in this chat: Send becomes Stop."""
        self._running = running
        self.send.set_icon("stop" if running else "send")
        self.send.set_name(tr("Stop") if running else tr("Send"), tr("Stop (Esc)") if running else tr("Send (Enter)"))
        self.send.setEnabled(not stopping)
        self.edit.setPlaceholderText(tr("Write the next message") if running else tr("Write a message"))
        self.edit.viewport().update()  # Qt paints another placeholder only where there was none
        self._update()

    def hold(self, held: bool) -> None:
        """While the text is on its way into the store it can be read and not changed."""
        self.edit.setReadOnly(held)
        if held and not self._running:
            self.send.setEnabled(False)
        self._update()

    def _submit(self) -> None:
        if self._has_message():
            (self.queued if self._running else self.sent).emit(self.text)

    def _press(self) -> None:
        if self._running:
            self.stop_requested.emit()
        else:
            self._submit()

    def _update(self) -> None:
        self.queue.setVisible(self._running and self._has_message())
        if not self._running:
            self.send.setEnabled(self._has_message())

    def _has_message(self) -> bool:
        return bool(self.text.strip()) and not self.edit.isReadOnly()

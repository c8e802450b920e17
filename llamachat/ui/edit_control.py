"""Messages of the chat that is shown are changed: a question is asked in other words, an answer is stored."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from llamachat.core.messages import StoredMessage
from llamachat.core.text import tr
from llamachat.edited_answer import edit_answer, editable_text
from llamachat.storage.messages import get_message
from llamachat.turn_rows import TurnRequest
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.edit_dialog import EditDialog, EditWords, answer_words, question_words
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.transcript.view import TranscriptView

ShowAgain = Callable[[int, int], None]  # a chat was changed: show it again, from this message on


class EditControl(QObject):
    """Opens the window for it, which stays until the text is stored."""

    def __init__(
        self, chat: ChatControl, view: TranscriptView, *, store: ShownStore, show_again: ShowAgain, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._chat, self._view, self._store, self._show_again = chat, view, store, show_again
        self._dialog: EditDialog | None = None
        view.edit_requested.connect(self._edit)
        view.rewrite_requested.connect(self._rewrite)
        chat.turns.begun.connect(self._begun)

    def _edit(self, message_id: int) -> None:
        def show(question: StoredMessage | None) -> None:
            if question:
                dialog = self._open(question.content, question_words())
                dialog.asked.connect(lambda text: self._ask(message_id, text))

        self._store.read(lambda db: get_message(db, message_id), show)

    def _rewrite(self, message_id: int) -> None:
        def show(answer: StoredMessage | None) -> None:
            if answer:
                dialog = self._open(editable_text(answer), answer_words())
                dialog.asked.connect(lambda text: self._save(message_id, text))

        self._store.read(lambda db: get_message(db, message_id), show)

    def _ask(self, message_id: int, text: str) -> None:
        if self._is_idle():
            self._chat.turns.edit(message_id, text)

    def _save(self, message_id: int, text: str) -> None:
        if self._is_idle():
            self._store.write(lambda db: edit_answer(db, message_id, text), self._saved)

    def _is_idle(self) -> bool:
        """Whether no turn runs in the chat; one that waited may have begun since the window was opened."""
        if self._chat.turns.turn and self._dialog:
            self._dialog.say(tr("An answer is being written in this chat. Try again when it has ended."))
        return self._chat.turns.turn is None

    def _saved(self, answer: StoredMessage) -> None:
        self._close()
        self._show_again(answer.conversation_id, answer.id)

    def _open(self, text: str, words: EditWords) -> EditDialog:
        dialog = self._dialog = EditDialog(text, self._view.window(), words)
        dialog.finished.connect(self._forget)
        dialog.open()
        return dialog

    def _begun(self, request: TurnRequest, _: object) -> None:
        if request.action == "edit":
            self._close()

    def _close(self) -> None:
        if self._dialog:
            self._dialog.accept()

    def _forget(self) -> None:
        self._dialog = None

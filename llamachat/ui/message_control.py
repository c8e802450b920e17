"""What is done with single messages of the chat that is shown: versions, and deletion with undo."""

from __future__ import annotations

from PySide6.QtCore import QObject

from llamachat.core.text import tr
from llamachat.storage.database import Database
from llamachat.storage.messages import reveal_message
from llamachat.storage.undo import undo
from llamachat.storage.versions import Deletion, delete_message, load_versions
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.notices import Notices
from llamachat.ui.tasks import Tasks
from llamachat.ui.transcript.view import TranscriptView

UNDO = "deleted message"  # key of the bar that offers it


class MessageControl(QObject):
    """Writes through the lane, and has the chat read again what has changed."""

    def __init__(
        self, chat: ChatControl, view: TranscriptView, *, tasks: Tasks[Database], notices: Notices, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._chat, self._view, self._tasks, self._notices = chat, view, tasks, notices
        self._deleted_in: int | None = None  # the chat that Undo is offered for
        view.version_requested.connect(self._show_version)
        view.delete_requested.connect(self._delete)
        chat.shown.connect(self._chat_shown)

    def look(self) -> None:
        """Read which messages of the chat have several versions."""
        number = self._chat.conversation_id
        if number is None:
            self._tasks.forget("versions")
            self._view.set_versions({})
            return
        self._tasks.read(lambda db: load_versions(db, number), self._view.set_versions, key="versions")

    def _chat_shown(self, conversation_id: int | None) -> None:
        if self._deleted_in not in (None, conversation_id):
            self._drop_undo()
        self.look()

    def _show_version(self, message_id: int) -> None:
        number = self._chat.conversation_id
        if self._chat.turns.turn is None:
            self._tasks.write(
                lambda db: reveal_message(db, message_id), lambda _: self.show_again(number, message_id)
            )

    def show_again(self, conversation_id: int | None, message_id: int | None = None) -> None:
        """The store shows another branch of a chat: show it too, from a message on if that is known."""
        if conversation_id is None or conversation_id != self._chat.conversation_id:
            return
        if self._view.has_newer:
            self._chat.open(conversation_id, message_id=message_id)
        else:
            self._chat.read_again()
        self.look()

    def _delete(self, message_id: int) -> None:
        if self._chat.turns.turn is None:
            self._tasks.write(lambda db: delete_message(db, message_id), self._deleted)

    def _deleted(self, deletion: Deletion) -> None:
        self.show_again(deletion.conversation_id)

        self._deleted_in = deletion.conversation_id

        def bring_back() -> None:
            if self._chat.turns.turn:
                self._notices.toast(tr("The message can be brought back when the answer has ended."))
                return
            self._drop_undo()
            self._tasks.write(lambda db: undo(db, deletion.act), lambda _: self.show_again(deletion.conversation_id))

        text = tr("The message and what follows it are deleted.") if len(deletion.ids) > 1 else tr("Message deleted.")
        self._notices.offer(UNDO, text, [(tr("Undo"), bring_back)])

    def _drop_undo(self) -> None:
        self._deleted_in = None
        self._notices.drop(UNDO)

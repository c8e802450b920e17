"""What the header says of the chat that is shown beside its title: that it is put away, and its tags."""

from __future__ import annotations

from PySide6.QtCore import QObject

from llamachat.core.conversation import Conversation
from llamachat.core.text import tr
from llamachat.storage.conversations import get_conversation
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import Header
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.sidebar import Sidebar


class ChatMarks(QObject):
    """Reads it whenever it may have changed."""

    def __init__(
        self, chat: ChatControl, header: Header, *, store: ShownStore, sidebar: Sidebar, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._chat, self._header, self._store = chat, header, store
        self._shown: int | None = None
        chat.shown.connect(self._chat_shown)
        sidebar.control.acted.connect(self.look)
        sidebar.tags.changed.connect(self.look)

    def look(self) -> None:
        """Read it again."""
        if (number := self._shown) is None:
            self._store.forget("marks")
            self._take(None)
        else:
            self._store.read(lambda db: get_conversation(db, number), self._take, key="marks")

    def _chat_shown(self, conversation_id: int | None) -> None:
        if conversation_id != self._shown:  # else a turn began in it
            self._shown = conversation_id
            self._take(None)
            self.look()

    def _take(self, chat: Conversation | None) -> None:
        marks = [tr("archived")] if chat and chat.archived else []
        tags = list(chat.tags) if chat else []
        told = [*marks, tr("tags: {tags}").format(tags=", ".join(tags))] if tags else marks
        self._header.show_marks(" · ".join([*marks, *tags]), "; ".join(told))

"""Going about in the window: which chat is shown, the search over all, the side bar, Esc."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject

from llamachat.core.conversation import SearchHit
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.sidebar import Sidebar
from llamachat.ui.start_control import StartControl
from llamachat.ui.turns import Turns


class Navigation(QObject):
    """Connects the side bar with the chat that is shown."""

    def __init__(
        self,
        sidebar: Sidebar,
        chat: ChatControl,
        page: ChatPage,
        *,
        start: StartControl,
        turns: Turns,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._sidebar, self._chat, self._page, self._start, self._turns = sidebar, chat, page, start, turns
        sidebar.new_requested.connect(self.new_chat)
        sidebar.opened.connect(lambda number: self.open(number))
        sidebar.hit_chosen.connect(self.open_hit)
        sidebar.deleted.connect(self._forget)
        page.header.sidebar.clicked.connect(self._toggle_sidebar)

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {
            "new": self.new_chat,
            "search": self._search,
            "compose": self._compose,
            "stop": self._escape,
            "rename": self._rename,
            "delete": self._delete,
            "sidebar": self._toggle_sidebar,
        }

    def new_chat(self) -> None:
        """Show a chat that is not made yet."""
        self._start.leave()
        self._chat.new_chat()

    def open(self, conversation_id: int, message_id: int | None = None) -> None:
        """Show a chat at its end, or at one of its messages."""
        self._chat.open(conversation_id, message_id=message_id)
        self._compose()

    def open_hit(self, hit: SearchHit) -> None:
        """Show a chat at the message that was found."""
        self._start.leave()
        self._chat.open(hit.conversation_id, message_id=hit.message_id)

    def _compose(self) -> None:
        self._start.leave()
        self._page.composer.setFocus()

    def _forget(self, conversation_id: int) -> None:
        if turn := self._turns.of(conversation_id):
            turn.stop()
        self._chat.forget(conversation_id)
        if not self._sidebar.chats.has_keyboard:  # who deletes there may go on with the next
            self._page.composer.setFocus()

    def _search(self) -> None:
        self._sidebar.show()
        self._sidebar.start_search()

    def _escape(self) -> None:
        if self._sidebar.in_search():
            self._sidebar.end_search()
            self._page.composer.setFocus()
        elif not self._start.go_back() and not self._chat.turns.stop():
            self._page.composer.setFocus()

    def _rename(self) -> None:
        self._sidebar.show()
        self._sidebar.rename_current(self._chat.conversation_id)

    def _delete(self) -> None:
        if (number := self._chat.conversation_id) is not None:
            self._sidebar.delete(number)

    def _toggle_sidebar(self) -> None:
        self._sidebar.setVisible(not self._sidebar.isVisible())

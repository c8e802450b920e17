"""Going about in the window: which chat is shown, the search over all, the side bar, Esc."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject

from llamachat.core.conversation import Conversation, SearchHit
from llamachat.storage.index_text import Term
from llamachat.ui.chat_acts import ChatAct, toggled_archive, toggled_pin
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.sidebar import Sidebar
from llamachat.ui.start_control import StartControl
from llamachat.ui.transcript.found_words import FoundWords
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
        self._found = FoundWords(page.view, lambda: sidebar.hits.painter.match_colour, self)
        self._terms: tuple[Term, ...] = ()
        self._hit_in: int | None = None  # the chat in which they are to be marked
        self._marked_in: int | None = None
        sidebar.new_requested.connect(self.new_chat)
        sidebar.opened.connect(self.open)
        sidebar.hit_chosen.connect(self.open_hit)
        sidebar.deleted.connect(self._forget)
        chat.shown.connect(self._mark_words)
        chat.shown.connect(sidebar.chats.rows.see)
        chat.turns.begun.connect(lambda *_: self._found.clear())
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
            "pin": lambda: self._do(toggled_pin),
            "archive": lambda: self._do(toggled_archive),
            "tags": lambda: self._do(lambda _: ChatAct.TAG),
            "list": self._choose_list,
            "sidebar": self._toggle_sidebar,
        }

    def new_chat(self) -> None:
        """Show a chat that is not made yet."""
        self._start.leave()
        self._chat.new_chat()

    def open(self, conversation_id: int, message_id: int | None = None) -> None:
        """Show a chat at its end, or at one of its messages."""
        self._hit_in = None
        self._chat.open(conversation_id, message_id=message_id)
        self._compose()

    def open_hit(self, hit: SearchHit) -> None:
        """Show a chat at the message that was found."""
        self._start.leave()
        self._hit_in = hit.conversation_id
        self._terms = self._sidebar.search.terms()
        self._chat.open(hit.conversation_id, message_id=hit.message_id)
        if self._chat.conversation_id == hit.conversation_id:
            self._mark_words(hit.conversation_id)

    def _mark_words(self, conversation_id: int | None) -> None:
        """Mark what was searched for in the chat that it led to, and nothing in any other."""
        if conversation_id is not None and conversation_id == self._hit_in:
            self._page.view.find_bar.forget()
            self._found.look_for(self._terms, bring_into_sight=True)
            self._hit_in = None
        elif conversation_id != self._marked_in:
            self._found.clear()
        self._marked_in = conversation_id

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
        marked = self._found.shown
        self._found.clear()
        if self._sidebar.in_search():
            self._sidebar.end_search()
            self._page.composer.setFocus()
        elif not self._start.go_back() and not self._chat.turns.stop() and not marked:
            self._page.composer.setFocus()

    def _rename(self) -> None:
        self._sidebar.show()
        self._sidebar.rename_current(self._chat.conversation_id)

    def _delete(self) -> None:
        if (number := self._chat.conversation_id) is not None:
            self._sidebar.delete(number)

    def _do(self, choose: Callable[[Sequence[Conversation]], ChatAct]) -> None:
        """Act on what is selected in the list while the keyboard is there, else on the chat that is shown."""
        chats = self._sidebar.chats.selected_chats() if self._sidebar.chats.has_keyboard else []
        shown = self._chat.conversation_id
        ids = tuple(chat.id for chat in chats) or (() if shown is None else (shown,))
        self._sidebar.control.read_chats(ids, lambda found: self._sidebar.act(choose(found), ids) if found else None)

    def _choose_list(self) -> None:
        self._sidebar.show()
        self._sidebar.choose_list()

    def _toggle_sidebar(self) -> None:
        self._sidebar.setVisible(not self._sidebar.isVisible())

"""Everything that gives a chat another shape, and says so: versions, edits, forks, marks, what is deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject

from llamachat.app import App
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_marks import ChatMarks
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.deletion_control import DeletionControl
from llamachat.ui.edit_control import EditControl
from llamachat.ui.fork_control import ForkControl
from llamachat.ui.lanes import Lanes
from llamachat.ui.message_control import MessageControl
from llamachat.ui.navigation import Navigation
from llamachat.ui.notices import Notices
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.sidebar import Sidebar
from llamachat.ui.turns import Turns


class ShapeControl(QObject):
    """Makes the parts and lets them know of each other."""

    def __init__(
        self,
        app: App,
        chat: ChatControl,
        page: ChatPage,
        *,
        store: ShownStore,
        lanes: Lanes,
        sidebar: Sidebar,
        navigation: Navigation,
        turns: Turns,
        notices: Notices,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._messages = MessageControl(chat, page.view, tasks=store, notices=notices, parent=self)
        show_again = self._messages.show_again
        EditControl(chat, page.view, store=store, show_again=show_again, parent=self)
        ForkControl(chat, page, store=store, open_chat=navigation.open, parent=self)
        self._marks = ChatMarks(chat, page.header, store=store, sidebar=sidebar, parent=self)
        self.deletions = DeletionControl(
            app,
            chat,
            store=store,
            lanes=lanes,
            sidebar=sidebar,
            open_chat=navigation.open,
            show_again=show_again,
            turns=turns,
            notices=notices,
            parent=self,
        )

    def look(self) -> None:
        """Read what another program may have changed."""
        self._messages.look()
        self._marks.look()

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return self.deletions.handlers()

"""What goes on around the turns of chats: questions that wait, system prompts, titles by the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal

from llamachat.app import App
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.lanes import Lanes
from llamachat.ui.prompt_control import PromptControl
from llamachat.ui.queue_control import QueueControl
from llamachat.ui.server_watch import ServerWatch
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.title_control import TitleControl
from llamachat.ui.turns import Turns


class AroundTurns(QObject):
    """Its parts, and what they have to tell."""

    failed = Signal(object)  # UserFacingError
    named = Signal(int, str)  # the model has given a chat this title

    def __init__(
        self,
        app: App,
        chat: ChatControl,
        page: ChatPage,
        *,
        turns: Turns,
        store: ShownStore,
        lanes: Lanes,
        server: ServerWatch,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.queue = QueueControl(chat, page, turns=turns, store=store, parent=self)
        self.prompts = PromptControl(app, chat, page, store=store, parent=self)
        self.titles = TitleControl(
            app,
            chat.turns,
            turns=turns,
            slots=lambda: server.slots,
            store=lanes.store,
            lane=lanes.titles,
            parent=self,
        )
        self.queue.failed.connect(self.failed)
        self.titles.named.connect(self.named)
        page.composer.text_changed.connect(self.titles.postpone)

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {**self.queue.handlers(), **self.prompts.handlers()}

    def look(self) -> None:
        """Another program has written: show what it did."""
        self.queue.look()
        self.prompts.look()

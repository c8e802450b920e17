"""What is chosen and typed for the chat that is shown: its draft, its model, when it searches. Kept in the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from llamachat.app import App
from llamachat.core.conversation import Conversation, SearchMode
from llamachat.storage import conversations as store
from llamachat.storage.database import Database
from llamachat.turn_rows import TurnRequest
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.drafts import NEW_CHAT_DRAFT, Drafts
from llamachat.ui.tasks import Tasks

LAST_MODEL = "last_model"  # key in the program's small state


class Choices(QObject):
    """Fills the fields of the page and listens to them. `new` is of the chat that is not made yet."""

    def __init__(
        self, app: App, page: ChatPage, *, tasks: Tasks[Database], shown: Callable[[], int | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._app, self._page, self._tasks, self._shown = app, page, tasks, shown
        self.new = TurnRequest("send")
        self.drafts = Drafts(tasks, self)
        page.composer.text_changed.connect(self._keep_draft)
        page.composer.search.mode_chosen.connect(self._choose_mode)
        page.header.model.chosen.connect(self._choose_model)

    def start(self) -> None:
        """Read the draft and the model of the last time."""
        self._tasks.read(
            lambda db: (store.get_state(db, NEW_CHAT_DRAFT) or "", store.get_state(db, LAST_MODEL) or ""),
            lambda kept: self._take_kept(*kept),
        )

    def show_new(self) -> None:
        """Those of the chat that is not made yet."""
        self.show_default_model()
        self._page.composer.search.set_mode(self.new.search_mode or SearchMode.AUTO)
        self._page.composer.set_text(self.new.text)

    def show(self, conversation: Conversation) -> None:
        """Those of a chat from the store."""
        self._page.header.model.set_choice(conversation.model or self._default_model())
        self._page.composer.search.set_mode(conversation.search_mode)
        self._page.composer.set_text(conversation.draft)

    def show_default_model(self) -> None:
        """The model that answers in a new chat."""
        self._page.header.model.set_choice(self._default_model())

    def keep_for_new(self, text: str) -> None:
        """The text is typed for the chat that is not made yet; "" when it was sent."""
        self.new = replace(self.new, text=text)

    def _default_model(self) -> str:
        config = self._app.config
        return config.active_prompt().model or config.active_server().model or self.new.model

    def _take_kept(self, draft: str, model: str) -> None:
        self.new = replace(self.new, text=self.new.text or draft, model=self.new.model or model)
        if self._shown() is None:
            self._page.composer.set_text(self.new.text)
            self.show_default_model()

    def _keep_draft(self) -> None:
        text, number = self._page.composer.text, self._shown()
        if number is None:
            self.keep_for_new(text)
        self.drafts.keep(number, text)

    def _choose_mode(self, mode: SearchMode) -> None:
        if (number := self._shown()) is None:
            self.new = replace(self.new, search_mode=mode)
        else:
            self._tasks.write(lambda db: store.set_search_mode(db, number, mode))

    def _choose_model(self, model: str) -> None:
        self.new = replace(self.new, model=model)
        number = self._shown()

        def write(db: Database) -> None:
            store.set_state(db, LAST_MODEL, model)
            if number is not None:
                store.set_model(db, number, model)

        self._tasks.write(write)

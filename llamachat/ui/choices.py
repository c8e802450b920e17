"""What is chosen and typed for the chat that is shown: its draft, its model, when it searches. Kept in the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from llamachat.app import App
from llamachat.core.conversation import Conversation, SearchMode, SystemPrompt
from llamachat.storage import conversations as store
from llamachat.storage.database import Database
from llamachat.turn_rows import TurnRequest
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.drafts import Drafts
from llamachat.ui.shown_store import ShownStore


class Choices(QObject):
    """Fills the fields of the page and listens to them. `new` is of the chat that is not made yet."""

    def __init__(
        self, app: App, page: ChatPage, *, tasks: ShownStore, shown: Callable[[], int | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._app, self._page, self._tasks, self._shown = app, page, tasks, shown
        self.new = TurnRequest("send")
        self._new_prompt: SystemPrompt | None = None  # chosen for that chat; else that of the settings
        self.drafts = Drafts(tasks.history, self)
        page.composer.text_changed.connect(self._keep_draft)
        page.composer.search.mode_chosen.connect(self._choose_mode)
        page.header.model.chosen.connect(self._choose_model)

    def start(self) -> None:
        """Read the draft and the model of the last time."""
        self._tasks.read(
            lambda db: (store.get_state(db, store.NEW_CHAT_DRAFT) or "", store.get_state(db, store.LAST_MODEL) or ""),
            lambda kept: self._take_kept(*kept),
        )

    def show_new(self) -> None:
        """Those of the chat that is not made yet."""
        self.show_defaults()
        self._page.composer.hold(held=False)
        self._page.composer.search.set_mode(self.new.search_mode or SearchMode.AUTO)
        self._page.composer.set_text(self.new.text)

    def show(self, conversation: Conversation) -> None:
        """Those of a chat from the store."""
        self._page.header.model.set_choice(conversation.model or self._default_model())
        self._page.composer.search.set_mode(conversation.search_mode)
        self._page.composer.prompt.set_prompt(conversation.system_prompt)
        self._page.composer.hold(held=False)
        self._page.composer.set_text(conversation.draft)

    def of_new(self) -> tuple[SystemPrompt, str, SearchMode]:
        """Prompt, model and search mode of the chat that is not made yet."""
        prompt = self._new_prompt or self._offered(self._app.config.prompt)
        return prompt, self._default_model(), self.new.search_mode or SearchMode.AUTO

    def show_defaults(self) -> None:
        """The prompt of a new chat, and the model that answers in it."""
        prompt, model, _ = self.of_new()
        self._page.composer.prompt.set_prompt(prompt)
        self._page.header.model.set_choice(model)

    def settings_changed(self) -> None:
        """Offer the prompts that there are now."""
        names = ("", *self._app.config.prompts)
        self._page.composer.prompt.set_offers([self._offered(name) for name in names])
        if self._shown() is None:
            self.show_defaults()

    def choose_prompt(self, prompt: SystemPrompt) -> None:
        """For the chat that is not made yet."""
        self._new_prompt = prompt
        self.show_defaults()

    def begin_like(self, conversation: Conversation) -> None:
        """Choose for the chat that is not made yet, which is shown, what is chosen in another one."""
        self.new = replace(self.new, search_mode=conversation.search_mode)
        self._page.composer.search.set_mode(conversation.search_mode)
        self.choose_prompt(conversation.system_prompt)
        self._page.header.model.set_choice(conversation.model or self._default_model())

    def made(self) -> None:
        """The chat that was not made yet is made now; what was chosen has gone into it."""
        self.keep_for_new("")
        self._new_prompt = None

    def _offered(self, name: str) -> SystemPrompt:
        return SystemPrompt(name, self._app.config.prompt_named(name).text)

    def keep_for_new(self, text: str) -> None:
        """The text is typed for the chat that is not made yet; "" when it was sent."""
        self.new = replace(self.new, text=text)

    def give_back(self, conversation_id: int | None, text: str) -> None:
        """This text was not stored, and its chat was left meanwhile: put it above what is typed there by now."""
        shown = conversation_id == self._shown()
        if not shown and conversation_id is not None:
            number = conversation_id
            self._tasks.of(number).write(lambda db: store.put_above_draft(db, number, text))
            return
        typed = self._page.composer.text if shown else self.new.text
        whole = text if typed.strip() == text.strip() else _joined(text, typed)
        if shown:
            self._page.composer.set_text(whole)
        if conversation_id is None:
            self.keep_for_new(whole)
        self.drafts.keep(conversation_id, whole)

    def _default_model(self) -> str:
        config = self._app.config
        prompt = self._new_prompt.name if self._new_prompt else config.prompt
        return config.prompt_named(prompt).model or config.active_server().model or self.new.model

    def _take_kept(self, draft: str, model: str) -> None:
        typed = self.new.text
        self.new = replace(self.new, text=_joined(draft, typed), model=self.new.model or model)
        if draft and typed:  # before the draft was read
            self.drafts.keep(None, self.new.text)
        if self._shown() is None:
            self._page.composer.set_text(self.new.text)
            self.show_defaults()

    def _keep_draft(self) -> None:
        text, number = self._page.composer.text, self._shown()
        if number is None:
            self.keep_for_new(text)
        self.drafts.keep(number, text)

    def _choose_mode(self, mode: SearchMode) -> None:
        if (number := self._shown()) is None:
            self.new = replace(self.new, search_mode=mode)
        else:
            self._tasks.of(number).write(lambda db: store.set_search_mode(db, number, mode))

    def _choose_model(self, model: str) -> None:
        self.new = replace(self.new, model=model)
        number = self._shown()

        def write(db: Database) -> None:
            store.set_state(db, store.LAST_MODEL, model)
            if number is not None:
                store.set_model(db, number, model)

        self._tasks.of(number).write(write)


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(str.strip, texts))

"""Choosing the system prompt of a chat. In a chat that was begun it is said first what that costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox

from llamachat.app import App
from llamachat.chat.reading_cost import ReadingCost, reading_cost
from llamachat.core.conversation import Conversation, SystemPrompt
from llamachat.core.text import tr, trn
from llamachat.storage.conversations import get_conversation, set_model, set_prompt
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.prompt_dialog import PromptDialog
from llamachat.ui.search_settings.questions import ask
from llamachat.ui.shown_store import ShownStore

_LAST = 30  # messages that tell what the chat costs


class PromptControl(QObject):
    """Listens to the button of the composer."""

    def __init__(self, app: App, chat: ChatControl, page: ChatPage, *, store: ShownStore, parent: QObject) -> None:
        super().__init__(parent)
        self._app, self._chat, self._page, self._store = app, chat, page, store
        button = page.composer.prompt
        button.chosen.connect(self._choose)
        button.view_requested.connect(self.view)

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {"prompt": self.view}

    def look(self) -> None:
        """Another program may have chosen another one."""
        number = self._chat.conversation_id
        if number is not None:
            self._store.read(
                lambda db: get_conversation(db, number), lambda found: self._show(number, found), key="prompt"
            )

    def view(self) -> None:
        """Show the text."""
        number, prompt = self._chat.conversation_id, self._page.composer.prompt.prompt

        def show(cost: ReadingCost | None) -> None:
            words = cost_words(cost) if cost else ""
            dialog = PromptDialog(prompt.text, cost=words, parent=self._page.window())
            dialog.changed.connect(lambda text: self._set(number, SystemPrompt(prompt.name, text, edited=True)))
            dialog.open()

        self._with_cost(number, show)

    def _choose(self, prompt: SystemPrompt) -> None:
        number, before = self._chat.conversation_id, self._page.composer.prompt.prompt
        if prompt == before:
            return

        def go_on(cost: ReadingCost | None) -> None:
            if cost is None or prompt.text.strip() == before.text.strip():
                self._set(number, prompt)
            else:
                self._ask(cost, lambda: self._set(number, prompt))

        self._with_cost(number, go_on)

    def _with_cost(self, number: int | None, go_on: Callable[[ReadingCost | None], None]) -> None:
        """Call with what reading the chat again costs; with None where there is nothing to read."""
        if number is None:
            go_on(None)
            return
        self._store.read(
            lambda db: load_branch(db, number, limit=_LAST),
            lambda messages: go_on(reading_cost(messages) if messages else None),
        )

    def _ask(self, cost: ReadingCost, agreed: Callable[[], None]) -> None:
        box = QMessageBox(self._page.window())
        box.setText(tr("Change the system prompt of this chat?"))
        box.setInformativeText(cost_words(cost))
        ask(box, tr("Change it"), agreed)

    def _set(self, number: int | None, prompt: SystemPrompt) -> None:
        model = "" if prompt.edited else self._app.config.prompt_named(prompt.name).model
        if number is None:
            self._chat.choices.choose_prompt(prompt)
            return

        def write(db: Database) -> Conversation | None:
            set_prompt(db, number, prompt)
            if model:
                set_model(db, number, model)
            return get_conversation(db, number)

        self._store.of(number).write(write, lambda found: self._show(number, found))

    def _show(self, number: int, found: Conversation | None) -> None:
        if found and number == self._chat.conversation_id:
            self._page.composer.prompt.set_prompt(found.system_prompt)
            if found.model:
                self._page.header.model.set_choice(found.model)


def cost_words(cost: ReadingCost) -> str:
    """What it costs to change the prompt, in words."""
    text = tr("The model then reads the whole chat again before the next answer")
    if cost.tokens:
        text += ": " + tr("about {count} tokens").format(count=f"{cost.tokens:,}")
    if cost.seconds:
        text += ", " + trn("{count} second", "{count} seconds", max(1, round(cost.seconds)))
    return f"{text}."

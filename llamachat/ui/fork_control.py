"""A chat goes on in another direction: as a chat of its own, or with another model."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint

from llamachat.core.conversation import Conversation, is_temporary
from llamachat.core.text import tr
from llamachat.storage.forks import ForkSource, fork_chat, fork_source
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.labels import title_text
from llamachat.ui.model_picker import add_choices, choices
from llamachat.ui.passing_menu import PassingMenu
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.transcript.message_acts import Act


class ForkControl(QObject):
    """Forks the chat that is shown at a message, and says what it was forked from."""

    def __init__(
        self,
        chat: ChatControl,
        page: ChatPage,
        *,
        store: ShownStore,
        open_chat: Callable[[int], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._chat, self._page, self._store, self._open_chat = chat, page, store, open_chat
        self._shown: int | None = None
        self._source: ForkSource | None = None
        self._menu = PassingMenu(page)
        self._menu.setAccessibleName(tr("Models"))
        page.view.fork_requested.connect(self._fork)
        page.view.models_requested.connect(self._offer_models)
        page.header.source.clicked.connect(self._open_source)
        page.header.model.listed.connect(self._look_at_offers)
        chat.shown.connect(self._chat_shown)
        self._look_at_offers()

    def _chat_shown(self, conversation_id: int | None) -> None:
        if conversation_id == self._shown:  # a turn began in it
            return
        self._shown = conversation_id
        self._look_at_offers()
        self._show_source(None)
        if conversation_id is None:
            self._store.forget("fork")
        else:
            self._store.read(lambda db: fork_source(db, conversation_id), self._show_source, key="fork")

    def _look_at_offers(self) -> None:
        acts = {Act.FORK} if not is_temporary(self._chat.conversation_id) else set()
        if len(self._page.header.model.models) > 1:
            acts.add(Act.MODELS)
        self._page.view.set_offered(acts)

    def _fork(self, message_id: int) -> None:
        self._store.write(lambda db: fork_chat(db, message_id), self._forked)

    def _forked(self, fork: Conversation) -> None:
        self._chat.changed.emit(fork)
        self._open_chat(fork.id)

    def _show_source(self, source: ForkSource | None) -> None:
        self._source = source
        button = self._page.header.source
        button.setVisible(source is not None)
        if source:
            button.set_name(tr("Forked from “{title}”. Show it").format(title=title_text(source.title)))

    def _open_source(self) -> None:
        if self._source:
            self._chat.open(self._source.conversation_id, message_id=self._source.message_id)

    def _offer_models(self, message_id: int, place: QPoint) -> None:
        message = self._page.view.message(message_id)
        self._menu.clear()
        lines = choices(self._page.header.model.models, message.model if message else "")
        lines.sort(key=lambda line: line.chosen)  # who wrote the answer is least wanted
        add_choices(self._menu, lines, lambda model: self._chat.turns.answer_with(message_id, model))
        self._menu.popup(place)

"""Which chat is shown: opening it from the store, its draft, model and search mode, older messages.

Runs in the GUI thread; the store is read and written through the lane.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from llamachat.app import App
from llamachat.core.conversation import Conversation, SearchMode
from llamachat.core.errors import UserFacingError
from llamachat.core.messages import StoredMessage
from llamachat.core.text import tr
from llamachat.recorder import TurnRequest
from llamachat.storage import conversations as store
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.chat_worker import TurnEnded, TurnStarted
from llamachat.ui.conversation_model import title_of
from llamachat.ui.drafts import NEW_CHAT_DRAFT, Drafts
from llamachat.ui.empty_chat import empty_text
from llamachat.ui.tasks import Lane
from llamachat.ui.turn_control import Refused, TurnControl
from llamachat.ui.turns import Turns

FIRST_PAGE = 30
NEXT_PAGE = 10
ABOVE_A_HIT = 4  # messages shown above one that was jumped to
LAST_MODEL = "last_model"  # key in the program's small state


@dataclass(frozen=True, slots=True)
class _Opened:
    """A chat as it was read from the store."""

    conversation: Conversation | None
    messages: list[StoredMessage]

    @property
    def has_older(self) -> bool:
        """True when there are messages above these."""
        return bool(self.messages) and self.messages[0].parent_id is not None


class ChatControl(QObject):
    """Drives a ChatPage. `turns` has what happens inside the chat."""

    shown = Signal(object)  # int | None: which chat is shown now
    changed = Signal(object)  # Conversation: a row of the list is new or different
    failed = Signal(object)  # UserFacingError, to be told outside the transcript

    def __init__(self, app: App, page: ChatPage, *, tasks: Lane[Database], turns: Turns, parent: QObject) -> None:
        super().__init__(parent)
        self._app, self._page, self._tasks = app, page, tasks
        self._drafts = Drafts(tasks, self)
        self._conversation: Conversation | None = None
        self._opening: int | None = None
        self._oldest: int | None = None
        self._new = TurnRequest("send")  # what is chosen and typed for the chat that is not made yet
        self.turns = TurnControl(app, page, turns=turns, shown=lambda: self._conversation, parent=self)
        self._connect()

    def _connect(self) -> None:
        page = self._page
        self._drafts.failed.connect(self.failed)
        page.composer.text_changed.connect(self._keep_draft)
        page.composer.search.mode_chosen.connect(self._choose_mode)
        page.header.model.chosen.connect(self._choose_model)
        page.view.older_requested.connect(self._load_older)
        self.turns.begun.connect(self._begun)
        self.turns.adopted.connect(self._adopt)
        self.turns.ended.connect(self._ended)
        self.turns.refused.connect(self._refused)

    @property
    def conversation_id(self) -> int | None:
        """The chat that is shown; None for one that is not made yet."""
        return self._conversation.id if self._conversation else None

    def start(self) -> None:
        """Show a new chat with the draft and the model of the last time."""
        self._tasks.read(
            lambda db: (store.get_state(db, NEW_CHAT_DRAFT) or "", store.get_state(db, LAST_MODEL) or ""),
            lambda kept: self._take_kept(*kept),
        )
        self._show_new()

    def new_chat(self) -> None:
        """Show a chat that is not made yet; its draft comes back."""
        if self._conversation or self._opening or self.turns.sending:
            self._leave()
            self._show_new()
        self._page.composer.setFocus()

    def open(self, conversation_id: int, *, message_id: int | None = None) -> None:
        """Show a chat from the store, at its end or at one of its messages."""
        shown = conversation_id == self.conversation_id
        if shown and (message_id is None or self._page.view.jump_to(message_id)):
            return
        self._leave()
        self._opening = conversation_id
        self._tasks.read(
            lambda db: _read(db, conversation_id, message_id),
            lambda opened: self._show(opened, message_id),
            key="open",
        )

    def forget(self, conversation_id: int) -> None:
        """The chat is about to be deleted: stop its turn, and show another if it is the one shown."""
        if conversation_id in (self.conversation_id, self._opening):
            self.turns.stop()
            self.new_chat()

    def retitle(self, conversation_id: int, title: str) -> None:
        """The title was changed in the list."""
        if conversation_id == self.conversation_id:
            self._page.header.title.show_text(title)

    def settings_changed(self) -> None:
        """Say again what leaves this computer, and which model answers."""
        if self._conversation is None:
            self._page.header.model.set_choice(self._default_model())
            if self.turns.turn is None:
                self._page.view.show_empty(empty_text(self._app))

    def close(self) -> None:
        """Write what is typed."""
        self._drafts.flush()

    # Showing

    def _leave(self) -> None:
        if (sending := self.turns.sending) and sending.conversation_id is None:
            self._new = replace(self._new, text="")
        self._drafts.flush()
        self.turns.leave()

    def _show_new(self) -> None:
        self._conversation = self._opening = self._oldest = None
        self._tasks.forget("open")
        page = self._page
        page.header.title.show_text(tr("New chat"))
        page.header.model.set_choice(self._default_model())
        page.composer.search.set_mode(self._new.search_mode or SearchMode.AUTO)
        page.composer.set_text(self._new.text)
        page.view.show_empty(empty_text(self._app))
        self.turns.redraw()
        self.shown.emit(None)

    def _show(self, opened: _Opened, message_id: int | None) -> None:
        self._leave()
        self._opening = None
        if opened.conversation is None:
            self.failed.emit(UserFacingError(tr("This chat no longer exists.")))
            self._show_new()
            return
        self._conversation = conversation = opened.conversation
        page = self._page
        page.header.title.show_text(title_of(conversation))
        page.header.model.set_choice(conversation.model or self._default_model())
        page.composer.search.set_mode(conversation.search_mode)
        page.composer.set_text(conversation.draft)
        self._oldest = opened.messages[0].id if opened.messages else None
        page.view.set_messages(opened.messages, has_older=opened.has_older)
        self.turns.redraw()
        if message_id is not None and not page.view.jump_to(message_id):
            self.failed.emit(UserFacingError(tr("That message is in a version of this chat that is not shown.")))
        self.changed.emit(conversation)
        self.shown.emit(conversation.id)

    def _load_older(self) -> None:
        conversation_id, oldest = self.conversation_id, self._oldest
        if conversation_id is None or oldest is None:
            return

        def show(messages: list[StoredMessage]) -> None:
            if conversation_id == self.conversation_id and oldest == self._oldest:
                self._oldest = messages[0].id if messages else oldest
                self._page.view.prepend_messages(messages, has_older=_Opened(None, messages).has_older)

        self._tasks.read(
            lambda db: load_branch(db, conversation_id, limit=NEXT_PAGE, before_id=oldest), show, key="older"
        )

    # What is chosen and typed

    def _default_model(self) -> str:
        config = self._app.config
        return config.active_prompt().model or config.active_server().model or self._new.model

    def _take_kept(self, draft: str, model: str) -> None:
        self._new = replace(self._new, text=self._new.text or draft, model=self._new.model or model)
        if self._conversation is None:
            self._page.composer.set_text(self._new.text)
            self._page.header.model.set_choice(self._default_model())

    def _keep_draft(self) -> None:
        text = self._page.composer.text
        if self._conversation is None:
            self._new = replace(self._new, text=text)
        self._drafts.keep(self.conversation_id, text)

    def _choose_mode(self, mode: SearchMode) -> None:
        if (number := self.conversation_id) is None:
            self._new = replace(self._new, search_mode=mode)
        else:
            self._tasks.write(lambda db: store.set_search_mode(db, number, mode))

    def _choose_model(self, model: str) -> None:
        self._new = replace(self._new, model=model)
        number = self.conversation_id

        def write(db: Database) -> None:
            store.set_state(db, LAST_MODEL, model)
            if number is not None:
                store.set_model(db, number, model)

        self._tasks.write(write)

    # What a turn changes

    def _begun(self, request: TurnRequest, letter: TurnStarted) -> None:
        if request.action == "send":
            self._drafts.drop(request.conversation_id)
        self.changed.emit(letter.conversation)

    def _adopt(self, letter: TurnStarted) -> None:
        if self._conversation is None:
            self._new = replace(self._new, text="")
        self._conversation = letter.conversation
        if letter.user is not None:
            self._page.composer.set_text("")
        self._page.header.title.show_text(title_of(letter.conversation))
        self.shown.emit(letter.conversation.id)

    def _ended(self, letter: TurnEnded) -> None:
        if self._opening == letter.answer.conversation_id:
            self.open(letter.answer.conversation_id)  # what is being read may be older than the end
        if letter.error:
            self.failed.emit(letter.error)

    def _refused(self, refused: Refused) -> None:
        request = refused.request
        if not refused.in_composer and request.text:
            self._drafts.keep(request.conversation_id, request.text)
            if request.conversation_id is None and not self._new.text:
                self._new = replace(self._new, text=request.text)
        self.failed.emit(refused.letter.error)


def _read(db: Database, conversation_id: int, message_id: int | None) -> _Opened:
    conversation = store.get_conversation(db, conversation_id)
    if conversation is None:
        return _Opened(None, [])
    messages = load_branch(db, conversation_id, limit=FIRST_PAGE)
    if message_id is not None and all(message.id != message_id for message in messages):
        messages = _from(load_branch(db, conversation_id), message_id)
    return _Opened(conversation, messages)


def _from(branch: list[StoredMessage], message_id: int) -> list[StoredMessage]:
    place = next((at for at, message in enumerate(branch) if message.id == message_id), None)
    return branch[-FIRST_PAGE:] if place is None else branch[max(0, place - ABOVE_A_HIT) :]

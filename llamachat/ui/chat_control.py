"""Which chat is shown: opening it, and what turns and other programs do to it. The store is read by its lane."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from llamachat.app import App
from llamachat.core.conversation import Conversation, is_temporary
from llamachat.core.errors import UserFacingError
from llamachat.core.messages import StoredMessage
from llamachat.core.text import tr
from llamachat.storage.conversations import drop_draft
from llamachat.turn_rows import TurnRequest
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.chat_worker import TurnEnded, TurnStarted
from llamachat.ui.choices import Choices
from llamachat.ui.conversation_model import title_of
from llamachat.ui.empty_chat import empty_text, temporary_text
from llamachat.ui.opened_chat import OpenedChat, read_chat, read_chat_again, read_chat_at, same_answer
from llamachat.ui.paging import Paging
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.turn_control import Refused, TurnControl
from llamachat.ui.turns import Turns


class ChatControl(QObject):
    """Drives a ChatPage. `turns` has what happens inside the chat.

    held: asked before another chat is shown; True where that has to wait, and the call is to be made again later.
    """

    shown = Signal(object)  # int | None: which chat is shown now
    retitled = Signal()  # the chat that is shown has another title
    changed = Signal(object)  # Conversation: a row of the list is new or different
    failed = Signal(object)  # UserFacingError, to be told outside the transcript

    def __init__(self, app: App, page: ChatPage, *, tasks: ShownStore, turns: Turns, parent: QObject) -> None:
        super().__init__(parent)
        self.held: Callable[[Callable[[], object]], bool] = lambda _: False
        self._app, self._page, self._tasks = app, page, tasks
        self.choices = Choices(app, page, tasks=tasks, shown=lambda: self.conversation_id, parent=self)
        self._conversation: Conversation | None = None
        self._opening: int | None = None
        self._goes_to_end = False  # the end of the chat is being read, to be shown in place of its middle
        self._paging = Paging(page.view, tasks, shown=lambda: self.conversation_id, parent=self)
        self.turns = TurnControl(page, turns=turns, shown=lambda: self._conversation, parent=self)
        self._connect()

    def _connect(self) -> None:
        self.choices.drafts.failed.connect(self.failed)
        self._paging.end_reached.connect(self.turns.redraw)
        self.turns.sent.connect(self.choices.drafts.flush)
        self.turns.begun.connect(self._begun)
        self.turns.adopted.connect(self._adopt)
        self.turns.ended.connect(self._ended)
        self.turns.refused.connect(self._refused)
        consent = self._page.consent
        consent.title_elsewhere = self.turns.title_elsewhere
        self.shown.connect(lambda _: consent.tell_who_asks())
        self.turns.begun.connect(lambda *_: consent.tell_who_asks())

    @property
    def conversation_id(self) -> int | None:
        """The chat that is shown; None for one that is not made yet."""
        return self._conversation.id if self._conversation else None

    def start(self) -> None:
        """Show a new chat with the draft and the model of the last time."""
        self.choices.start()
        self._show_new()

    def new_chat(self) -> None:
        """Show a chat that is not made yet; its draft comes back."""
        if self.held(self.new_chat):
            return
        if self._conversation or self._opening or self.turns.sending:
            self._leave()
            self._show_new()
        self._page.composer.setFocus()

    def open(self, conversation_id: int, *, message_id: int | None = None) -> None:
        """Show a chat from the store, at its end or at one of its messages."""
        shown = conversation_id == self.conversation_id and self._opening is None
        if shown and (message_id is None or self._page.view.jump_to(message_id)):
            if message_id is None and self._page.view.has_newer:
                self._go_to_end()
            return
        again = partial(self.open, conversation_id, message_id=message_id)
        if conversation_id != self.conversation_id and self.held(again):
            return
        self._leave()
        self._tasks.turn_to(conversation_id)
        self._opening = conversation_id
        idle = self.turns.is_idle(conversation_id)  # else the answer that is being written must stay the shown one
        self._tasks.read(
            lambda db: (
                read_chat(db, conversation_id)
                if message_id is None
                else read_chat_at(db, conversation_id, message_id, reveal=idle)
            ),
            lambda opened: self._show(opened, message_id),
            self._not_opened,
            key="open",
        )

    def _not_opened(self, error: UserFacingError) -> None:
        self._opening = None
        self._page.composer.hold(held=False)
        self.failed.emit(error)

    def forget(self, conversation_id: int) -> None:
        """The chat, in which nothing runs, is about to be deleted: show another if it is or will be the one shown."""
        if conversation_id in (self.conversation_id, self._opening):
            self._leave()
            self._show_new()

    def retitle(self, conversation_id: int, title: str) -> None:
        """The title was changed in the list."""
        if conversation_id == self.conversation_id:
            self._show_title(title)

    def _show_title(self, title: str) -> None:
        self._page.header.title.show_text(title)
        self.retitled.emit()

    def settings_changed(self) -> None:
        """Say again what leaves this computer, and which model answers."""
        self.choices.settings_changed()
        if self._page.view.last_id is None and self.turns.turn is None:
            self._show_empty()

    def read_again(self) -> None:
        """Another program has written: show what it did to this chat, unless this window writes in it."""
        number, oldest, last = self.conversation_id, self._paging.oldest, self._paging.last
        if number is None or self._opening or self.turns.turn:
            return

        def take(opened: OpenedChat) -> None:
            if number == self.conversation_id and last is self._paging.last and not self.turns.turn:
                self._take_again(opened)

        middle = self._page.view.has_newer  # what is new in the chat comes when the reader gets there
        self._tasks.read(lambda db: read_chat_again(db, number, None if middle else oldest), take, key="again")

    def close(self) -> None:
        """Write what is typed."""
        self.choices.drafts.flush()

    # Showing

    def _leave(self) -> None:
        if (sending := self.turns.sending) and sending.conversation_id is None:
            self.choices.keep_for_new("")
        self.choices.drafts.flush()
        self.turns.leave()

    def _show_new(self) -> None:
        self._page.view.find_bar.forget()
        self._conversation = self._opening = None
        self._goes_to_end = False
        self._paging.take(None)
        self._tasks.forget("open")
        self._tasks.turn_to(None)
        self._page.header.title.show_text(tr("New chat"))
        self.choices.show_new()
        self._show_empty()
        self.turns.redraw()
        self.shown.emit(None)

    def _show(self, opened: OpenedChat, message_id: int | None) -> None:
        self._leave()
        self._opening = None
        if opened.conversation is None:
            self.failed.emit(UserFacingError(tr("This chat no longer exists.")))
            self._show_new()
            return
        page, conversation = self._page, opened.conversation
        if conversation.id != self.conversation_id:
            page.view.find_bar.forget()
        self._conversation = conversation
        page.header.title.show_text(title_of(conversation))
        self.choices.show(conversation)
        self._show_messages(opened)
        if message_id is not None and not page.view.jump_to(message_id):
            self.failed.emit(UserFacingError(tr("That message is in a version of this chat that is not shown.")))
        self._tell(conversation)
        self.shown.emit(conversation.id)

    def _show_empty(self) -> None:
        """Say what leaves this computer, where nothing is said yet."""
        if self._conversation is None:
            self._page.view.show_empty(empty_text(self._app))
        elif is_temporary(self._conversation.id):
            self._page.view.show_empty(temporary_text(self._app))

    def _tell(self, conversation: Conversation) -> None:
        """A temporary chat is in no list."""
        if not is_temporary(conversation.id):
            self.changed.emit(conversation)

    def _show_messages(self, opened: OpenedChat) -> None:
        self._goes_to_end = False
        self._paging.take(opened)
        self._page.view.set_messages(opened.messages, has_older=opened.has_older, has_newer=opened.has_newer)
        if not opened.messages:
            self._show_empty()
        self.turns.redraw()

    def _go_to_end(self) -> None:
        """The middle of the chat is shown: show its end."""
        number = self.conversation_id
        if number is not None:
            self._goes_to_end = True
            self._tasks.read(
                lambda db: read_chat(db, number),
                lambda opened: self._show_messages(opened) if number == self.conversation_id else None,
                key="end",
            )

    def _take_again(self, opened: OpenedChat) -> None:
        if opened.conversation is None:
            self._lose()
            return
        self._conversation = opened.conversation
        self._show_title(title_of(opened.conversation))
        if not self._page.view.has_newer and not same_answer(opened.last, self._paging.last):
            self._paging.take(opened)
            self._page.show_again(opened.messages, has_older=opened.has_older)

    def _lose(self) -> None:
        """The chat was deleted by another program: what is typed goes to a new one."""
        typed = "\n\n".join(text for text in (self.choices.new.text, self._page.composer.text) if text.strip())
        self.choices.drafts.forget()
        self.choices.keep_for_new(typed)
        self.turns.leave()
        self._show_new()
        self.choices.drafts.keep(None, typed)
        kept = tr("What you typed is in a new chat.") if typed else ""
        self.failed.emit(UserFacingError(tr("This chat was deleted by another program."), kept))

    # What a turn changes

    def _begun(self, request: TurnRequest, letter: TurnStarted) -> None:
        number, text = request.conversation_id, request.text
        if request.typed:  # the turn has done so in its thread, but the draft may have been written after that
            self._tasks.of(number).write(lambda db: drop_draft(db, number, text))
        self._tell(letter.conversation)

    def _adopt(self, letter: TurnStarted) -> None:
        if self._conversation is None:
            self.choices.made()
        self._conversation = letter.conversation
        if self._page.view.has_newer:
            self._go_to_end()
        else:
            self._paging.last = letter.answer
        self._page.header.title.show_text(title_of(letter.conversation))
        self.shown.emit(letter.conversation.id)

    def _ended(self, letter: TurnEnded) -> None:
        if self.conversation_id == letter.answer.conversation_id:
            self._take_end(letter.answer)
        if self._opening == letter.answer.conversation_id:
            self.open(letter.answer.conversation_id)  # what is being read may be older than the end
        if letter.error:
            self.failed.emit(letter.error)

    def _take_end(self, answer: StoredMessage) -> None:
        if self._goes_to_end:
            self._go_to_end()  # what is being read may be older than the end
        elif self._page.view.has_newer:
            self._paging.outdate()
        else:
            self._paging.last = answer

    def _refused(self, refused: Refused) -> None:
        request = refused.request
        if not refused.still_there and request.text and request.queued_id is None:
            self.choices.give_back(request.conversation_id, request.text)
        self.failed.emit(refused.letter.error)
        self.read_again()  # what was asked for may be gone from the store

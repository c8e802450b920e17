"""The temporary chat: beginning one, asking before it is left, saving it after all. There is one at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox

from llamachat.app import App
from llamachat.chat.titles import title_from
from llamachat.core.conversation import Conversation, is_temporary
from llamachat.core.errors import UserFacingError
from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.database import Database
from llamachat.storage.queued import unsent_text
from llamachat.storage.temporary import keep_temporary_chat, read_temporary_chat
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.notices import Notices
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.start_control import StartControl
from llamachat.ui.tasks import Lane
from llamachat.ui.temporary_turns import TemporaryTurns
from llamachat.ui.turns import Turns

Call = Callable[[], object]


class TemporaryControl(QObject):
    """Keeps what a temporary chat lives in, and lets go of it when another chat is shown."""

    def __init__(
        self,
        app: App,
        chat: ChatControl,
        page: ChatPage,
        *,
        start: StartControl,
        store: ShownStore,
        turns: Turns,
        notices: Notices,
        clock: Clock,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._app, self._chat, self._page, self._store = app, chat, page, store
        self._start, self._turns, self._notices, self._clock = start, turns, notices, clock
        self._kept: TemporaryTurns | None = None
        self._entered = self._said = False  # it was shown; something was said in it
        self._agreed = self._saving = False  # it may be left; it is to be saved when no answer is being written
        self._storing = False  # it is being saved: nothing can be said or typed in it meanwhile
        self._then: Call | None = None  # once it is saved; else it is shown as one of the history
        self._question: QMessageBox | None = None
        chat.held = self.holds
        chat.shown.connect(self._chat_shown)
        chat.turns.begun.connect(lambda _, letter: self._begun(letter.conversation))
        chat.turns.ended.connect(lambda _: self._go_on_saving())
        chat.turns.refused.connect(lambda _: self._go_on_saving())
        page.header.keep.clicked.connect(self.save)

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {"new-temporary": self.new, "keep": self.save}

    @property
    def is_shown(self) -> bool:
        """Whether the chat that is shown is temporary."""
        return is_temporary(self._chat.conversation_id)

    def new(self, like: Conversation | None = None) -> None:
        """Show a new temporary chat, unless one is shown in which nothing is said.

        like: with the prompt, the model and the search mode of this one; else those of any new chat.
        """
        if self.is_shown and not self._holds_words:
            self._page.composer.setFocus()
        elif not self.holds(lambda: self.new(like)):
            self._start.leave()
            self._begin(like)

    def holds(self, go: Call) -> bool:
        """Whether leaving the chat that is shown loses something: then the user is asked, and `go` called later."""
        if not self.is_shown or self._agreed or not self._holds_words:
            return False
        if self._storing:
            self._then = go
        elif self._question is None:
            self._ask(go)
        return True

    def ask_again(self) -> None:
        """The chat was not left after all."""
        self._agreed = False
        self._hold(held=False)

    def close(self) -> None:
        """The window closes."""
        if box := self._question:
            self._question = None
            box.close()
        self._let_go()

    # Beginning and ending

    @property
    def _holds_words(self) -> bool:
        return self._said or bool(self._page.composer.text.strip())

    def _begin(self, like: Conversation | None) -> None:
        self._let_go()
        kept = self._kept = TemporaryTurns(self._app, clock=self._clock)
        lane = Lane(
            "temporary chat", opened=kept.database, closed=Database.close, failed=self._chat.failed.emit, parent=self
        )
        self._turns.temporary, self._store.temporary = kept, lane
        prompt, model, mode = self._chat.choices.of_new()
        if like:
            prompt, model, mode = like.system_prompt, like.model, like.search_mode

        def make(db: Database) -> Conversation:
            title = tr("Temporary chat")
            return kept.history.make_chat(db, title=title, prompt=prompt, model=model, search_mode=mode)

        def show(made: Conversation) -> None:
            if kept is self._kept:
                self._chat.open(made.id)
                self._page.composer.setFocus()

        lane.write(make, show)

    def _let_go(self) -> None:
        """The chat is gone when the turn that may run in it has ended."""
        kept, lane = self._kept, self._store.temporary
        self._kept = self._turns.temporary = self._store.temporary = self._then = None
        self._entered = self._said = self._agreed = self._saving = self._storing = False
        if kept and (turn := self._turns.of(kept.chat_id)):
            turn.stop()
        if lane:
            self._page.view.find_bar.field.clear()  # what was looked for in it
            lane.close(0)

    def _chat_shown(self, conversation_id: int | None) -> None:
        self._page.set_temporary(temporary=self.is_shown)
        if self.is_shown:
            self._entered = True
        elif self._entered:
            self._let_go()

    def _begun(self, conversation: Conversation) -> None:
        if is_temporary(conversation.id):
            self._said, self._agreed = True, False

    # Asking

    def _ask(self, go: Call) -> None:
        box = self._question = QMessageBox(self._page.window())
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(tr("This chat is gone when you leave it."))
        box.setInformativeText(tr("It is temporary: nothing of it is saved."))
        leave = box.addButton(tr("Leave"), QMessageBox.ButtonRole.DestructiveRole)
        save = box.addButton(tr("Save it"), QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(tr("Stay"), QMessageBox.ButtonRole.RejectRole)
        for button in (leave, save, stay):
            button.setIcon(QIcon())  # the style's own is black in the dark
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)

        def decide() -> None:
            box.deleteLater()
            if self._question is not box:
                return
            self._question = None
            if box.clickedButton() is leave:
                self._agreed = True
                go()
            elif box.clickedButton() is save:
                self._chat.turns.stop()
                self._then = go
                self.save()
            else:  # the list marks the chat again that was to be shown
                self._chat.shown.emit(self._chat.conversation_id)

        box.finished.connect(decide)
        box.open()

    # Saving

    def save(self) -> None:
        """Store the chat as soon as no answer is being written; it is like any other from then on."""
        if not self.is_shown or self._storing:
            return
        if not self._holds_words:
            self._notices.toast(tr("Nothing is said in this chat yet."))
            return
        self._saving = True
        if self._chat.turns.turn:
            self._notices.toast(tr("The chat will be saved when the answer has ended."))
        self._go_on_saving()

    def _go_on_saving(self) -> None:
        kept = self._kept
        if not self._saving or kept is None or self._chat.turns.turn:
            return
        self._saving = False
        self._hold(held=True)

        def store(whole: WholeChat) -> None:
            if kept is self._kept:
                self._store.history.write(lambda db: keep_temporary_chat(db, whole), show, self._not_saved)

        def show(saved: Conversation | None) -> None:
            if saved:
                self._chat.changed.emit(saved)
            if saved and kept is self._kept:
                self._show_saved(saved)

        typed = self._page.composer.text
        self._store.read(lambda db: _whole(db, kept.chat_id, typed), store, self._not_saved)

    def _show_saved(self, saved: Conversation) -> None:
        then = self._then or (lambda: self._chat.open(saved.id))
        self._agreed, self._storing = True, False
        self._notices.toast(tr("The chat is saved."))
        then()

    def _not_saved(self, error: UserFacingError) -> None:
        self._then = None
        self._hold(held=False)
        self._chat.failed.emit(error)

    def _hold(self, *, held: bool) -> None:
        self._storing = held
        if self.is_shown:
            self._page.composer.hold(held=held)
            self._chat.turns.show_running(held=held)


def _whole(db: Database, chat_id: int, typed: str) -> WholeChat:
    """The chat, named by its first words; what is typed and what waits to be asked is its draft."""
    whole = read_temporary_chat(db, chat_id)
    draft = unsent_text(db, chat_id, typed)
    title = title_from(whole.messages[0].content if whole.messages else "")
    return replace(whole, conversation=replace(whole.conversation, title=title, draft=draft))

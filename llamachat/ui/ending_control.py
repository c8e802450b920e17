"""What is done about a turn that did not end well: going on without thinking, room in the context, a new chat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QObject, QTimer

from llamachat.app import App
from llamachat.chat.summary import Draft
from llamachat.core.cancel import CancelToken
from llamachat.core.conversation import Conversation, is_temporary
from llamachat.core.errors import UserFacingError
from llamachat.core.messages import StoredMessage
from llamachat.core.text import tr
from llamachat.render.links import AnchorKind
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import get_message, load_branch
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.summary_dialog import SummaryDialog
from llamachat.ui.tasks import Lane
from llamachat.ui.temporary_control import TemporaryControl

_LOOK_MS = 100


@dataclass(slots=True)
class _Written:
    """The summary so far; set by the thread that reads it."""

    draft: Draft = field(default_factory=Draft)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question that was not answered well, its chat, and the messages above it."""

    conversation: Conversation
    question: str
    above: tuple[StoredMessage, ...]


class EndingControl(QObject):
    """Listens to the buttons of the last answer that no other control listens to."""

    def __init__(
        self,
        app: App,
        chat: ChatControl,
        page: ChatPage,
        *,
        store: ShownStore,
        lane: Lane[CancelToken],
        temporary: TemporaryControl,
    ) -> None:
        """lane: where summaries are written; its context is cancelled when the window closes."""
        super().__init__(chat)
        self._app, self._chat, self._page, self._store, self._lane = app, chat, page, store, lane
        self._temporary = temporary
        self.dialog: SummaryDialog | None = None
        self._cancel, self._written = CancelToken(), _Written()
        self._looking = QTimer(self, interval=_LOOK_MS)
        self._looking.timeout.connect(self._look)
        self._when_shown: Callable[[int | None], object] | None = None
        page.view.help_requested.connect(self._help)
        chat.shown.connect(self._chat_shown)
        chat.turns.refused.connect(lambda _: self._refused())

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {"help": self._page.view.help_first}

    def _help(self, kind: AnchorKind, message_id: int) -> None:
        if self._chat.turns.turn:
            return
        if kind is AnchorKind.SKIP_THINKING:
            self._chat.turns.go_on(message_id, skip_thinking=True)
        elif kind is AnchorKind.DROP_RESULTS:
            self._chat.turns.go_on(message_id, drop_results=True)
        else:
            show = self._sum_up if kind is AnchorKind.SUMMARY else self._carry
            self._store.read(lambda db: _asked(db, message_id), lambda asked: show(asked) if asked else None)

    # A new chat with the question

    def _carry(self, asked: _Asked) -> None:
        """Show a new chat with the question in its field, below what was typed there."""
        self._begin_chat(asked.conversation, lambda: self._type(asked.question))

    def _type(self, text: str) -> None:
        composer, choices = self._page.composer, self._chat.choices
        composer.set_text("\n\n".join(filter(str.strip, (composer.text, text))))
        composer.setFocus()
        if self._chat.conversation_id is None:
            choices.keep_for_new(composer.text)
        choices.drafts.keep(self._chat.conversation_id, composer.text)

    def _begin_chat(self, before: Conversation, then: Callable[[], object]) -> None:
        """Show a new chat with the prompt, the model and the search mode of another one, and do `then` in it."""
        if is_temporary(before.id):
            self._when_shown = lambda number: then() if is_temporary(number) and number != before.id else self._stay()
            self._temporary.new(before)
            return
        self._chat.new_chat()
        self._chat.choices.begin_like(before)
        then()

    def _chat_shown(self, conversation_id: int | None) -> None:
        do, self._when_shown = self._when_shown, None
        if do:
            do(conversation_id)

    # A new chat with a summary

    def _sum_up(self, asked: _Asked) -> None:
        if not any(message.content.strip() for message in asked.above):
            step = tr("Shorten the question, or give the server a larger context (llama-server -c N).")
            self._chat.failed.emit(UserFacingError(tr("Nothing stands above this question to be summed up."), step))
            return
        dialog = self.dialog = SummaryDialog(asked.question, self._page.window())
        dialog.again_requested.connect(lambda: self._write(dialog, asked))
        dialog.begun.connect(lambda text: self._begin_chat(asked.conversation, lambda: self._ask(dialog, text)))
        dialog.finished.connect(self._forget)
        dialog.open()
        self._write(dialog, asked)

    def _write(self, dialog: SummaryDialog, asked: _Asked) -> None:
        self._cancel.cancel()
        cancel, written = CancelToken(), _Written()
        self._cancel, self._written = cancel, written
        dialog.begin_writing()
        self._looking.start()

        def write(closing: CancelToken) -> Draft:
            with closing.on_cancel(cancel.cancel):
                for written.draft in self._app.models.summary(asked.above, asked.conversation.model, cancel):
                    pass
            return written.draft

        def end(do: Callable[[], object]) -> None:
            if written is self._written:
                self._looking.stop()
                do()

        self._lane.read(
            write,
            lambda draft: end(partial(dialog.finish, draft)),
            lambda error: end(partial(dialog.fail, error)),
        )

    def _look(self) -> None:
        """Show how far the summary has come; the thread that writes it tells nothing by itself."""
        if self.dialog:
            self.dialog.show_draft(self._written.draft)

    def _ask(self, dialog: SummaryDialog, text: str) -> None:
        """Ask in the new chat that is shown; what was typed for it before stays for the next one."""
        typed = self._page.composer.text
        if is_temporary(self._chat.conversation_id):
            self._chat.turns.send(text)
            dialog.accept()
            return

        def begun(conversation_id: int | None) -> None:
            if conversation_id is None:
                return
            dialog.accept()
            if typed.strip():
                self._chat.choices.keep_for_new(typed)
                self._chat.choices.drafts.keep(None, typed)

        self._when_shown = begun
        self._chat.turns.send(text)

    def _refused(self) -> None:
        """Nothing was stored."""
        self._when_shown = None
        self._stay()

    def _stay(self) -> None:
        """The new chat was not begun: the summary stays where it is."""
        if self.dialog:
            self.dialog.look()

    def _forget(self) -> None:
        self._cancel.cancel()
        self._looking.stop()
        self._written, self.dialog = _Written(), None


def _asked(db: Database, answer_id: int) -> _Asked | None:
    answer = get_message(db, answer_id)
    conversation = get_conversation(db, answer.conversation_id) if answer else None
    if answer is None or conversation is None or answer.parent_id is None:
        return None
    *above, question = load_branch(db, conversation.id, before_id=answer.id)
    return _Asked(conversation, question.content, tuple(above))

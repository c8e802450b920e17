"""What is sent while an answer is written: it waits in the store and is asked when that answer has come to its end.

After an answer that did not, and after a start of the program, nothing is asked by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from llamachat.core.errors import UserFacingError
from llamachat.core.events import FinishReason
from llamachat.core.text import tr
from llamachat.storage.queued import Queued, discard, enqueue, get_queued, list_queued, put_back, take_back
from llamachat.turn_rows import TurnRequest
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.chat_worker import TurnEnded, TurnStarted
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.turn_control import Refused
from llamachat.ui.turns import Turns


class QueueControl(QObject):
    """The queues of all chats. Only what `_flowing` names is asked by itself."""

    failed = Signal(object)  # UserFacingError

    def __init__(
        self, chat: ChatControl, page: ChatPage, *, turns: Turns, store: ShownStore, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._chat, self._page, self._turns, self._store = chat, page, turns, store
        self._flowing: set[int] = set()
        self._ends: dict[int, str] = {}  # by chat: why the last answer is none to go on from; "" where it is one
        self._next: dict[int, int] = {}  # by chat: what is asked once its answer, which was stopped for it, has ended
        self._place: tuple[int, int] | None = None  # of a question that was taken back: its chat, its id
        self._shown: list[Queued] = []
        page.composer.queued.connect(self.add)
        page.queue.send_requested.connect(self.send)
        page.queue.take_back_requested.connect(self.take_back)
        page.queue.discard_requested.connect(self.discard)
        chat.shown.connect(self._chat_shown)
        chat.turns.changed.connect(self._show)
        chat.turns.begun.connect(self._begun)
        chat.turns.ended.connect(self._ended)
        chat.turns.refused.connect(self._refused)

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {
            "send-now": lambda: self.send(self._shown[0].id) if self._shown else None,
            "take-back": lambda: self.take_back(self._shown[-1].id) if self._shown else None,
        }

    def add(self, text: str) -> None:
        """Let a message of the shown chat wait; it leaves the composer when it is stored."""
        number = self._chat.conversation_id
        if number is None:
            return
        place = self._place[1] if self._place and self._place[0] == number else None
        self._place = None
        self._page.composer.hold(held=True)
        self._chat.choices.drafts.forget()

        def stored(_: Queued) -> None:
            if number == self._chat.conversation_id:
                self._page.composer.hold(held=False)
                self._page.composer.set_text("")
            self._flow_after_adding(number)
            self.look()

        def refused(error: UserFacingError) -> None:
            if number == self._chat.conversation_id:
                self._page.composer.hold(held=False)
            self._chat.choices.drafts.keep(number, text)
            self.failed.emit(error)

        self._store.of(number).write(lambda db: enqueue(db, number, text, place=place), stored, refused)

    def send(self, queued_id: int) -> None:
        """Ask this one now; an answer that is being written in its chat is stopped for it."""
        self._page.composer.setFocus()
        self._store.of(self._chat.conversation_id).read(lambda db: get_queued(db, queued_id), self._send)

    def take_back(self, queued_id: int) -> None:
        """Put a message back into the composer, above what is typed there."""
        number, composer = self._chat.conversation_id, self._page.composer
        if number is None or composer.edit.isReadOnly():
            return
        typed = composer.text
        composer.hold(held=True)
        self._chat.choices.drafts.forget()

        def taken(text: str | None) -> None:
            if number == self._chat.conversation_id:
                composer.hold(held=False)
                composer.set_text(typed if text is None else text)
                composer.setFocus()
            self._place = (number, queued_id) if text is not None else None
            self.look()

        def refused(error: UserFacingError) -> None:
            if number == self._chat.conversation_id:
                composer.hold(held=False)
            self._chat.choices.drafts.keep(number, typed)
            self.failed.emit(error)

        self._store.of(number).write(lambda db: take_back(db, queued_id, typed=typed), taken, refused)

    def discard(self, queued_id: int) -> None:
        """Take a message out, and offer to undo that: it then waits as it did."""
        store, flowed = self._store.of(self._chat.conversation_id), self._chat.conversation_id in self._flowing

        def discarded(queued: Queued | None) -> None:
            self._page.composer.setFocus()
            if queued and queued.conversation_id == self._chat.conversation_id:
                self._page.undo.offer(tr("Message discarded"), lambda: undo(queued))
            self.look()

        def undo(queued: Queued) -> None:
            self._page.composer.setFocus()
            store.write(lambda db: put_back(db, queued), lambda _: back(queued.conversation_id))

        def back(number: int) -> None:
            if flowed:
                self._flow_after_adding(number)
            self.look()

        store.write(lambda db: discard(db, queued_id), discarded)

    def forget(self, conversation_id: int) -> None:
        """The chat is deleted: nothing of it is asked, also not when it is brought back."""
        self._flowing.discard(conversation_id)
        self._next.pop(conversation_id, None)

    def look(self) -> None:
        """Read what waits in the shown chat."""
        number = self._chat.conversation_id
        if number is None:
            self._store.of(None).forget("queue")
            self._take(None, [])
        else:
            self._store.of(number).read(
                lambda db: list_queued(db, number), lambda queue: self._take(number, queue), key="queue"
            )

    def _chat_shown(self, _: int | None) -> None:
        self._place = None
        self._page.undo.withdraw()
        self.look()

    def _take(self, number: int | None, queue: Sequence[Queued]) -> None:
        if number == self._chat.conversation_id:
            self._shown = list(queue)
            self._show()

    def _show(self) -> None:
        number, running = self._chat.conversation_id, self._chat.turns.turn is not None
        mine = [queued for queued in self._shown if queued.conversation_id == number]
        self._page.queue.show_queue(mine, running=running, why_held=self._why_held(number, running=running))

    def _why_held(self, number: int | None, *, running: bool) -> str:
        """While another answer is written, and once it has ended well, what was before it is no reason any more."""
        if number is None or number in self._flowing:
            return ""
        before = self._ends.get(number, tr("Not asked before the program ended"))
        return (not running and before) or tr("Waits until you send it")

    # What turns change

    def _flow_after_adding(self, number: int) -> None:
        """What is added to a queue that waits for a word waits with it."""
        before = any(queued.conversation_id == number for queued in self._shown)
        if before and number not in self._flowing:
            return
        if self._turns.of(number):
            self._flowing.add(number)
        elif self._ends.get(number) == "":  # the answer has just ended
            self._flowing.add(number)
            self._go_on(number)

    def _begun(self, request: TurnRequest, letter: TurnStarted) -> None:
        number = letter.conversation.id
        if request.queued_id is not None or request.action in ("retry", "continue"):
            self._flowing.add(number)
        else:
            self._place = None
        self.look()

    def _ended(self, letter: TurnEnded) -> None:
        number = letter.answer.conversation_id
        reason = self._ends[number] = _why_not(letter)
        if (chosen := self._next.pop(number, None)) is not None:
            self._store.of(number).read(lambda db: get_queued(db, chosen), self._ask)
        elif reason:
            self._flowing.discard(number)
        elif number in self._flowing:
            self._go_on(number)
        self._show()

    def _refused(self, refused: Refused) -> None:
        request = refused.request
        if request.queued_id is not None and request.conversation_id is not None:
            self._flowing.discard(request.conversation_id)
            error = refused.letter.error.sentence
            self._ends[request.conversation_id] = tr("Could not be asked. {reason}").format(reason=error)
            self.look()

    def _go_on(self, number: int) -> None:
        self._store.of(number).read(lambda db: list_queued(db, number), self._ask_first)

    def _ask_first(self, queue: Sequence[Queued]) -> None:
        self._ask(queue[0] if queue else None)

    def _send(self, queued: Queued | None) -> None:
        if queued is None:
            self.look()
            return
        number = queued.conversation_id
        self._flowing.add(number)
        if turn := self._turns.of(number):
            self._next[number] = queued.id
            turn.stop()
            self._chat.turns.show_running()
        else:
            self._ask(queued)

    def _ask(self, queued: Queued | None) -> None:
        if queued is not None and queued.conversation_id in self._flowing:
            self._chat.turns.ask_queued(queued)


def _why_not(letter: TurnEnded) -> str:
    """Why nothing may go on from this answer by itself; "" where it came to its end."""
    reason = letter.answer.finish_reason
    if letter.error is None and reason == FinishReason.STOP:
        return ""
    return {
        FinishReason.STOPPED.value: tr("Waits, because the answer was stopped"),
        FinishReason.LENGTH.value: tr("Waits, because the answer was cut off at the token limit"),
    }.get(reason, tr("Waits, because the answer did not come to its end"))

"""The turns of the chat that is shown: sending, following, stopping, retrying, going on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from llamachat.core.conversation import Conversation
from llamachat.core.events import Event
from llamachat.core.messages import StoredMessage
from llamachat.core.text import clean
from llamachat.storage.queued import Queued
from llamachat.turn_rows import Action, TurnRequest
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.chat_worker import TurnEnded, TurnRefused, TurnStarted
from llamachat.ui.conversation_model import title_of
from llamachat.ui.turns import LiveTurn, Turns


@dataclass(frozen=True, slots=True)
class Refused:
    """A turn that did not begin, and whether its text still stands where it was typed."""

    letter: TurnRefused
    request: TurnRequest
    still_there: bool


class TurnControl(QObject):
    """Draws what the turn of the shown chat yields; a turn that is not shown only goes on."""

    sent = Signal()  # what is typed is on its way into the store
    begun = Signal(object, object)  # TurnRequest, TurnStarted: stored, of any chat
    adopted = Signal(object)  # TurnStarted: the shown chat is this one now
    ended = Signal(object)  # TurnEnded, of any chat
    refused = Signal(object)  # Refused
    progressed = Signal(list)  # list[Event] of the shown chat
    nothing_to_stop = Signal()  # Stop was asked for, and no turn runs in the shown chat
    changed = Signal()  # the shown chat began or ended a turn, or is stopping one

    def __init__(
        self, page: ChatPage, *, turns: Turns, shown: Callable[[], Conversation | None], parent: QObject
    ) -> None:
        """`shown` tells which chat is shown; None for one that is not made yet."""
        super().__init__(parent)
        self._page, self._turns, self._shown = page, turns, shown
        self._sending: LiveTurn | None = None  # on its way into the store, from the chat that is shown
        page.composer.sent.connect(self.send)
        page.composer.stop_requested.connect(self.stop)
        page.view.retry_requested.connect(lambda number: self._again("retry", number))
        page.view.continue_requested.connect(lambda number: self._again("continue", number))
        page.view.search_again_requested.connect(lambda number: self._again("retry", number, fresh=True))

    @property
    def conversation_id(self) -> int | None:
        """The chat that is shown; None for one that is not made yet."""
        conversation = self._shown()
        return conversation.id if conversation else None

    @property
    def turn(self) -> LiveTurn | None:
        """The turn that runs in the chat that is shown."""
        number = self.conversation_id
        return self._sending or (None if number is None else self._turns.of(number))

    @property
    def sending(self) -> TurnRequest | None:
        """What is on its way into the store from the shown chat."""
        return self._sending.request if self._sending else None

    def title_elsewhere(self, conversation_id: int | None) -> str:
        """The title of a chat in which a turn runs; "" for the one that is shown."""
        if conversation_id is None or conversation_id == self.conversation_id:
            return ""
        turn = self._turns.of(conversation_id)
        return title_of(turn.begun.conversation) if turn and turn.begun else ""

    def is_idle(self, conversation_id: int) -> bool:
        """Whether no turn of this window runs in a chat."""
        return self._turns.of(conversation_id) is None

    def leave(self) -> None:
        """Another chat will be shown. Until it is, a text on its way into the store stays as it is."""
        self._sending = None

    def send(self, text: str) -> None:
        """Ask; the text leaves the composer when it is stored."""
        if self.turn is None and text.strip():
            self._page.composer.hold(held=True)
            self._begin("send", text=clean(text))
            self.sent.emit()

    def ask_queued(self, queued: Queued) -> bool:
        """Ask a question that waited, in its chat, which need not be shown; False while a turn runs there."""
        number = queued.conversation_id
        shown = number == self.conversation_id
        if self._turns.of(number) or (shown and self.turn):
            return False
        model = self._page.header.model.model if shown else ""
        request = TurnRequest("send", number, queued.text, model=model, queued_id=queued.id)
        self._run(request, shown=shown)
        if shown:
            self.show_running()
        return True

    def take_up(self, answer: StoredMessage) -> None:
        """Go on with an answer that the server still has, in its chat, which need not be shown."""
        number = answer.conversation_id
        shown = number == self.conversation_id
        if self._turns.of(number) is None and not (shown and self.turn):
            request = TurnRequest("continue", number, message_id=answer.id, answer_model=answer.model)
            self._run(request, shown=shown)

    def edit(self, message_id: int, text: str) -> None:
        """Ask a question in other words, beside the one that was asked."""
        if self.turn is None and text.strip():
            self._begin("edit", text=clean(text), message_id=message_id)

    def stop(self) -> bool:
        """Stop the turn of this chat; False when there is none."""
        turn = self.turn
        if turn is None:
            self.nothing_to_stop.emit()
            return False
        turn.stop()
        self.show_running()
        self.changed.emit()
        return True

    def redraw(self) -> None:
        """The messages of the chat were set anew: draw the turn that runs in it below them."""
        turn = self.turn
        if turn and turn.begun and not self._page.view.has_newer:
            self._page.view.begin_answer(turn.begun.user, self._named(turn.begun.answer))
            self._page.view.apply(turn.events)
        self.show_running()
        self.changed.emit()

    def show_running(self, *, held: bool = False) -> None:
        """Send or Stop; messages are not changed meanwhile, nor while the chat is `held` for something else."""
        turn = self.turn
        self._page.view.set_busy(busy=held or turn is not None)
        self._page.composer.set_running(turn is not None, stopping=bool(turn and turn.stopping))

    def go_on(self, message_id: int, *, skip_thinking: bool = False, drop_results: bool = False) -> None:
        """Go on with the last answer as `TurnRequest` says."""
        if self.turn is None and self.conversation_id is not None:
            request = TurnRequest(
                "continue",
                self.conversation_id,
                model=self._page.header.model.model,
                search_mode=self._page.composer.search.mode,
                message_id=message_id,
                skip_thinking=skip_thinking,
                drop_results=drop_results,
                answer_model=self._writer(message_id),
            )
            self._run(request, shown=True)

    def answer_with(self, message_id: int, model: str) -> None:
        """Make an answer anew with another model, which the chat does not take for its own."""
        if self.turn is None and self.conversation_id is not None:
            self._begin("retry", message_id=message_id, answer_model=model)

    def _writer(self, message_id: int) -> str:
        """The model that wrote an answer, which is the one to go on with it; "" where the server has it no more."""
        message = self._page.view.message(message_id)
        return message.model if message and self._page.header.model.offers(message.model) else ""

    def _again(self, action: Action, message_id: int, *, fresh: bool = False) -> None:
        if self.turn is None and self.conversation_id is not None:
            writer = self._writer(message_id) if action == "continue" else ""
            self._begin(action, message_id=message_id, fresh=fresh, answer_model=writer)

    def _begin(
        self,
        action: Action,
        *,
        text: str = "",
        message_id: int | None = None,
        fresh: bool = False,
        answer_model: str = "",
    ) -> None:
        prompt = self._page.composer.prompt.prompt
        request = TurnRequest(
            action=action,
            conversation_id=self.conversation_id,
            text=text,
            model=self._page.header.model.model,
            search_mode=self._page.composer.search.mode,
            prompt=prompt.text,
            prompt_name=prompt.name,
            prompt_edited=prompt.edited,
            typed=action == "send",
            message_id=message_id,
            fresh=fresh,
            answer_model=answer_model,
        )
        self._run(request, shown=True)

    def _run(self, request: TurnRequest, *, shown: bool) -> None:
        turn = self._turns.start(request)
        if shown:
            self._sending = turn
        turn.started.connect(lambda letter: self._started(turn, letter))
        turn.arrived.connect(lambda events: self._arrived(turn, events))
        turn.ended.connect(self._ended)
        turn.refused.connect(lambda letter: self._refused(turn, letter))
        turn.start()
        self.changed.emit()

    def _started(self, turn: LiveTurn, letter: TurnStarted) -> None:
        self.begun.emit(turn.request, letter)
        if turn is not self._sending and letter.conversation.id != self.conversation_id:
            return
        left, self._sending = turn is not self._sending, None
        from_composer = turn.request.queued_id is None
        if from_composer:
            self._page.composer.hold(held=False)
        self.adopted.emit(letter)
        if turn.request.action == "send" and from_composer and not (left and self._has_other_words(turn)):
            self._page.composer.set_text("")
        if not self._page.view.has_newer:  # else its place is not there yet
            self._page.view.begin_answer(letter.user, self._named(letter.answer))
        self.show_running()
        self.changed.emit()

    def _has_other_words(self, turn: LiveTurn) -> bool:
        """Whether more than what the turn asks was typed after its chat was left and opened again."""
        return clean(self._page.composer.text) != turn.request.text

    def _named(self, answer: StoredMessage) -> StoredMessage:
        """Under the name of the server's only model where none was chosen, as it will be stored."""
        return answer if answer.model else replace(answer, model=self._page.header.model.told)

    def _arrived(self, turn: LiveTurn, events: list[Event]) -> None:
        if turn is self.turn:
            self._page.view.apply(events)
            self.progressed.emit(events)

    def _ended(self, letter: TurnEnded) -> None:
        if letter.answer.conversation_id == self.conversation_id:
            self._page.view.end_answer(self._named(letter.answer))
            self.show_running()
            self.changed.emit()
        self.ended.emit(letter)

    def _refused(self, turn: LiveTurn, letter: TurnRefused) -> None:
        still_there = turn is self._sending
        if still_there:
            self._sending = None
            self._page.composer.hold(held=False)
            self.show_running()
            self.changed.emit()
        self.refused.emit(Refused(letter, turn.request, still_there))

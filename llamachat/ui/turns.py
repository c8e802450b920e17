"""The turns that run, seen from the GUI thread: a timer empties each worker's mailbox as often as drawing allows."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from llamachat.core.cancel import CancelToken
from llamachat.core.conversation import is_temporary
from llamachat.core.events import Event, Kind
from llamachat.core.seams import Clock
from llamachat.turn_rows import TurnRequest
from llamachat.ui.chat_worker import ChatWorker, Letter, TurnEnded, TurnRefused, TurnSource, TurnStarted
from llamachat.ui.flush_pace import FLUSH_MS, FlushPace
from llamachat.ui.status import AT_WORK, Doing, TurnStatus, follow


def coalesce(events: Iterable[Event]) -> list[Event]:
    """The same events with neighbouring pieces of text joined."""
    joined: list[Event] = []
    pieces: list[str] = []
    for event in events:
        growing = joined and pieces and joined[-1].kind is event.kind
        if growing and isinstance(event.data, str):
            pieces.append(event.data)
            continue
        _settle(joined, pieces)
        joined.append(event)
        pieces = [event.data] if event.kind in _TEXTS and isinstance(event.data, str) else []
    _settle(joined, pieces)
    return joined


_TEXTS = (Kind.REASONING, Kind.CONTENT)
_WAITING = (Doing.WAITING, Doing.BEHIND)


def _settle(joined: list[Event], pieces: list[str]) -> None:
    if len(pieces) > 1:
        joined[-1] = Event(joined[-1].kind, "".join(pieces))


class LiveTurn(QObject):
    """A turn that runs or is about to. Signals come in the order of the events."""

    started = Signal(object)  # TurnStarted
    arrived = Signal(list)  # list[Event], texts joined
    ended = Signal(object)  # TurnEnded
    refused = Signal(object)  # TurnRefused
    moved = Signal()  # it has begun or ended to wait for other turns
    thread_ended = Signal()

    def __init__(self, source: TurnSource, request: TurnRequest, *, clock: Clock, parent: QObject) -> None:
        super().__init__(parent)
        self.request = request
        self.status = TurnStatus(since=clock.monotonic())
        self._clock = clock
        self.begun: TurnStarted | None = None
        self.events: list[Event] = []  # all that came, to draw the answer again when its chat is shown again
        self._cancel = CancelToken()
        self._pace = FlushPace()
        self.worker = ChatWorker(source, request, cancel=self._cancel, parent=self)
        self.worker.finished.connect(self.thread_ended)  # emitted by the thread, passed on in this one
        self.worker.finished.connect(self._flush_soon)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._flush)

    def start(self) -> None:
        """Start the thread and the timer."""
        self.worker.start()
        self._timer.start(FLUSH_MS)

    def stop(self, *, program_ends: bool = False) -> None:
        """Have the turn end soon; its `ended` still comes. program_ends: the next start offers to go on with it."""
        self._cancel.cancel(program_ends=program_ends)
        self.status = replace(self.status, stopping=True)
        self._flush_soon()

    def silence(self) -> None:
        """Tell nothing any more: nobody is left to listen."""
        self._timer.stop()

    @property
    def conversation_id(self) -> int | None:
        """Where it runs; None until a new chat is stored."""
        return self.begun.conversation.id if self.begun else self.request.conversation_id

    @property
    def model(self) -> str:
        """The model that is asked; "" leaves it to the server."""
        if self.begun:
            return self.begun.answer.model
        return self.request.answer_model or self.request.model

    @property
    def stopping(self) -> bool:
        """True once stop was asked for."""
        return self._cancel.cancelled

    def _flush(self) -> None:
        began = time.perf_counter()
        over, chars = self._drain(self.worker.mailbox)
        if not over:
            cost_ms = (time.perf_counter() - began) * 1000
            self._timer.start(self._pace.rest_ms(cost_ms=cost_ms, chars=chars))

    def _flush_soon(self) -> None:
        """Do not rest: the turn was stopped, or its thread has ended."""
        if self._timer.isActive():
            self._timer.start(FLUSH_MS)

    def _drain(self, mailbox: deque[Letter]) -> tuple[bool, int]:
        """Take what is there, but of a flood of text only some; gives whether it ended, and how much text came."""
        batch: list[Event] = []
        chars = 0
        for _ in range(len(mailbox)):
            letter = mailbox.popleft()
            if isinstance(letter, Event):
                batch.append(letter)
                chars += len(letter.data) if isinstance(letter.data, str) else 0
                if chars > self._pace.room and not self.worker.isFinished():
                    break
            elif isinstance(letter, TurnStarted):
                self.begun = letter
                self.started.emit(letter)
            else:
                self._emit_events(batch)
                self._emit_last(letter)
                return True, chars
        self._emit_events(batch)
        return False, chars

    def _emit_events(self, batch: list[Event]) -> None:
        if batch:
            joined = coalesce(batch)
            self.events.extend(joined)
            before, self.status = self.status, follow(self.status, joined, now=self._clock.monotonic())
            if before.is_behind is not self.status.is_behind:
                self.moved.emit()
            self.arrived.emit(joined)

    def _emit_last(self, letter: TurnEnded | TurnRefused) -> None:
        (self.ended if isinstance(letter, TurnEnded) else self.refused).emit(letter)


class Turns(QObject):
    """All live turns. A turn of a chat that is not stored yet has no conversation until it starts.

    temporary: whose the turns of the temporary chat are, while there is one.
    """

    changed = Signal()  # a turn began, ended, or waits for others or no longer

    def __init__(self, source: TurnSource, clock: Clock, parent: QObject) -> None:
        """`parent` owns this: a turn that is being destroyed must not be what lets go of the last of its owner."""
        super().__init__(parent)
        self.temporary: TurnSource | None = None
        self._source, self._clock = source, clock
        self._live: list[LiveTurn] = []
        self._kept: list[LiveTurn] = []  # live, or ended with a thread that has not

    def start(self, request: TurnRequest) -> LiveTurn:
        """Make a turn; connect to it and call its `start`."""
        source = self.temporary if self.temporary and is_temporary(request.conversation_id) else self._source
        turn = LiveTurn(source, request, clock=self._clock, parent=self)
        self._live.append(turn)
        self._kept.append(turn)
        turn.started.connect(lambda _: self.changed.emit())
        turn.moved.connect(self.changed)
        turn.ended.connect(lambda _: self._end(turn))
        turn.refused.connect(lambda _: self._end(turn))
        turn.thread_ended.connect(lambda: self._release(turn))
        return turn

    def of(self, conversation_id: int) -> LiveTurn | None:
        """The turn that runs in a conversation."""
        return next((turn for turn in self._live if turn.conversation_id == conversation_id), None)

    def conversations(self) -> frozenset[int]:
        """The conversations that have a live turn."""
        return frozenset(turn.conversation_id for turn in self._live if turn.conversation_id is not None)

    def waiting_beside(self, shown: LiveTurn | None) -> int:
        """How many turns other than the one shown wait for the server."""
        return sum(turn is not shown and turn.status.doing in _WAITING for turn in self._live)

    def behind(self) -> frozenset[int]:
        """The conversations whose turn waits until another one has ended."""
        waiting = (turn.conversation_id for turn in self._live if turn.status.is_behind)
        return frozenset(number for number in waiting if number is not None)

    def answering_beside(self, shown: LiveTurn | None) -> list[LiveTurn]:
        """The turns other than the one shown that the server works on."""
        return [turn for turn in self._live if turn is not shown and turn.status.doing in AT_WORK]

    def close(self, limit_s: float) -> bool:
        """Stop all and wait until their threads have ended; nothing is told any more. False if one has not ended."""
        until = time.monotonic() + limit_s
        for turn in self._live:
            turn.stop(program_ends=True)
            turn.silence()
        return all(turn.worker.wait(max(0, round((until - time.monotonic()) * 1000))) for turn in self._kept)

    def _end(self, turn: LiveTurn) -> None:
        self._live.remove(turn)
        self._release(turn)
        self.changed.emit()

    def _release(self, turn: LiveTurn) -> None:
        """Let go of a turn whose last letter was read and whose thread has ended, whichever came last."""
        if turn not in self._live and turn in self._kept and turn.worker.isFinished():
            self._kept.remove(turn)
            turn.deleteLater()

"""Turns in threads of their own: letters in order, stop, failures, adaptive flushing, letting go."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import ContentDelta
from llamachat.core.errors import StorageError
from llamachat.core.events import Event, Finish, FinishReason, Kind
from llamachat.core.messages import Status
from llamachat.recorder import RecordedTurn, start_turn
from llamachat.storage.database import Database
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from llamachat.ui.chat_worker import TurnEnded, TurnRefused, TurnStarted
from llamachat.ui.flush_pace import ROOM_CHARS
from llamachat.ui.turns import LiveTurn, Turns, coalesce
from tests.fakes.scripted_completer import ScriptedCompleter, says
from tests.fakes.still_clock import StillClock


class Source:
    """The program as a worker sees it: the real recorder and store, a scripted model."""

    def __init__(self, path: Path, completer: ScriptedCompleter) -> None:
        self.path, self.completer = path, completer
        self.refusal: Exception | None = None

    def database(self) -> Database:
        """A connection for the asking thread."""
        return Database.open(self.path)

    def start_turn(self, db: Database, request: TurnRequest, cancel: CancelToken) -> RecordedTurn:
        """The real one, unless it is to fail."""
        if self.refusal:
            raise self.refusal
        return start_turn(db, request, prepare=lambda: TurnParts(self.completer), cancel=cancel)


@dataclass
class Letters:
    """What a turn told."""

    started: list[TurnStarted] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    last: list[TurnEnded | TurnRefused] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    def follow(self, turn: LiveTurn) -> None:
        """Listen."""
        turn.started.connect(self._begin)
        turn.arrived.connect(self._take)
        turn.ended.connect(self._end)
        turn.refused.connect(self._end)

    def _begin(self, letter: TurnStarted) -> None:
        self.started.append(letter)
        self.order.append("started")

    def _take(self, events: list[Event]) -> None:
        self.events.extend(events)
        self.order.append("events")

    def _end(self, letter: TurnEnded | TurnRefused) -> None:
        self.last.append(letter)
        self.order.append("ended" if isinstance(letter, TurnEnded) else "refused")


class Gate(threading.Event):
    """Where a scripted model waits."""

    def __call__(self) -> None:
        assert self.wait(10)


Run: TypeAlias = Callable[..., tuple[Turns, LiveTurn, Letters, Source]]


@pytest.fixture
def run(qtbot: QtBot, owner: QObject, tmp_path: Path) -> Iterator[Run]:
    """Start a turn that asks a scripted model; all threads are gone at the end."""
    made: list[Turns] = []

    def start(*scripts: object, refusal: Exception | None = None) -> tuple[Turns, LiveTurn, Letters, Source]:
        source = Source(tmp_path / "chats.db", ScriptedCompleter(*scripts))  # type: ignore[arg-type]  # scripts
        source.refusal = refusal
        turns, letters = Turns(source, StillClock(), owner), Letters()
        made.append(turns)
        turn = turns.start(TurnRequest("send", text="hello"))
        letters.follow(turn)
        turn.start()
        return turns, turn, letters, source

    yield start
    for turns in made:
        assert turns.close(10)


def test_a_turn_tells_its_beginning_its_events_and_its_end(qtbot: QtBot, run: Run) -> None:
    turns, turn, letters, _ = run(says("An answer.", thinking="Hm."))
    qtbot.waitUntil(lambda: bool(letters.last))
    assert letters.order[0] == "started"
    assert letters.order[-1] == "ended"
    assert letters.started[0].user is not None
    assert letters.started[0].user.content == "hello"
    assert letters.started[0].answer.status is Status.STREAMING
    (ended,) = letters.last
    assert isinstance(ended, TurnEnded)
    assert (ended.answer.content, ended.answer.status) == ("An answer.", Status.COMPLETE)
    assert "".join(str(e.data) for e in letters.events if e.kind is Kind.CONTENT) == "An answer."
    assert letters.events == turn.events
    assert isinstance(letters.events[-1].data, Finish)
    assert turns.conversations() == frozenset()


def test_a_turn_is_found_by_its_conversation_while_it_lives(qtbot: QtBot, run: Run) -> None:
    gate = Gate()
    turns, turn, letters, _ = run([gate, *says("x")])
    assert turns.conversations() == frozenset()  # not stored yet
    qtbot.waitUntil(lambda: bool(letters.started))
    number = letters.started[0].conversation.id
    assert turns.of(number) is turn
    assert turns.conversations() == {number}
    assert turns.waiting_beside(None) == 1
    assert turns.waiting_beside(turn) == 0
    gate.set()
    qtbot.waitUntil(lambda: bool(letters.last))
    assert turns.of(number) is None


def test_stop_ends_a_turn_and_keeps_what_came(qtbot: QtBot, run: Run) -> None:
    gate = Gate()
    _, turn, letters, _ = run([*says("Half an")[:-1], gate, *says(" answer")])
    qtbot.waitUntil(lambda: any(event.kind is Kind.CONTENT for event in letters.events))
    turn.stop()
    gate.set()
    assert turn.stopping
    qtbot.waitUntil(lambda: bool(letters.last))
    (ended,) = letters.last
    assert isinstance(ended, TurnEnded)
    assert (ended.answer.content, ended.answer.status) == ("Half an", Status.STOPPED)
    assert letters.events[-1] == Event(Kind.FINISH, Finish(FinishReason.STOPPED))


def test_a_turn_that_cannot_be_stored_is_refused(qtbot: QtBot, run: Run) -> None:
    _, _, letters, _ = run(says("x"), refusal=StorageError("The disk is full.", "Free some space."))
    qtbot.waitUntil(lambda: bool(letters.last))
    assert letters.order == ["refused"]
    (refused,) = letters.last
    assert str(refused.error) == "The disk is full. Free some space."


def test_a_fault_of_the_program_is_logged_and_told(qtbot: QtBot, run: Run, caplog: pytest.LogCaptureFixture) -> None:
    _, _, letters, _ = run([*says("Half")[:-1], ZeroDivisionError()])
    qtbot.waitUntil(lambda: bool(letters.last))
    (ended,) = letters.last
    assert isinstance(ended, TurnEnded)
    assert ended.error is not None
    assert ended.error.sentence == "Something went wrong inside the program."
    assert "ZeroDivisionError" in caplog.text


def test_a_flood_is_shown_bit_by_bit(qtbot: QtBot, run: Run) -> None:
    gate, all_came = Gate(), threading.Event()
    _, turn, letters, _ = run([*[ContentDelta("x" * 1000)] * 100, all_came.set, gate, *says("")])
    assert all_came.wait(10)  # and nothing has been drawn: this is the thread that would

    def texts() -> list[str]:
        return [str(event.data) for event in letters.events if event.kind is Kind.CONTENT]

    qtbot.waitUntil(lambda: bool(texts()))
    assert len(texts()[0]) <= ROOM_CHARS + 1000
    qtbot.waitUntil(lambda: sum(map(len, texts())) == 100_000)
    gate.set()
    qtbot.waitUntil(lambda: bool(letters.last))
    assert not turn.worker.mailbox


def test_many_turns_at_once_end_on_close(qtbot: QtBot, owner: QObject, tmp_path: Path) -> None:
    gate = Gate()
    source = Source(tmp_path / "chats.db", ScriptedCompleter([gate, *says("x")]))
    turns = Turns(source, StillClock(), owner)
    for _ in range(3):
        turns.start(TurnRequest("send", text="hello")).start()
    qtbot.waitUntil(lambda: len(turns.conversations()) == 3)
    threading.Timer(0.05, gate.set).start()
    assert turns.close(10)


def test_a_turn_that_has_ended_is_let_go(qtbot: QtBot, run: Run) -> None:
    turns, turn, letters, _ = run(says("x"))
    seen = weakref.ref(turn)
    qtbot.waitUntil(lambda: bool(letters.last))
    del turn

    def gone() -> None:
        gc.collect()
        assert seen() is None

    qtbot.waitUntil(gone)
    assert turns.close(1)


def test_neighbouring_texts_are_joined_and_nothing_else() -> None:
    start = Event(Kind.SEARCH_START, "q")
    events = [
        Event(Kind.REASONING, "a"), Event(Kind.REASONING, "b"), Event(Kind.CONTENT, "c"), start, start,
        Event(Kind.CONTENT, "d"), Event(Kind.CONTENT, "e"), Event(Kind.CONTENT, "f"), Event(Kind.NOTICE, "n"),
        Event(Kind.NOTICE, "m"),
    ]  # fmt: skip
    assert coalesce(events) == [
        Event(Kind.REASONING, "ab"), Event(Kind.CONTENT, "c"), start, start, Event(Kind.CONTENT, "def"),
        Event(Kind.NOTICE, "n"), Event(Kind.NOTICE, "m"),
    ]  # fmt: skip
    assert coalesce([]) == []

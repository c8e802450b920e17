"""Work off the GUI thread: where it runs, what is delivered, what closing does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from llamachat.core.errors import Cancelled, UserFacingError
from llamachat.ui.tasks import Lane


@dataclass
class Seen:
    """What a lane told, in order."""

    results: list[object] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)

    def fail(self, error: UserFacingError) -> None:
        """Take an error."""
        self.errors.append(error.sentence)


@pytest.fixture
def seen() -> Seen:
    """Fresh."""
    return Seen()


MakeLane: TypeAlias = Callable[[Callable[[], int]], Lane[int]]


@pytest.fixture
def make(qtbot: QtBot, owner: QObject, seen: Seen) -> MakeLane:
    """Makes a lane, given what opens its context."""
    return lambda opened: Lane("test", opened=opened, closed=seen.closed.append, failed=seen.fail, parent=owner)


@pytest.fixture
def lane(make: MakeLane) -> Iterator[Lane[int]]:
    """A lane whose context is the number of its thread."""
    lane = make(threading.get_ident)
    yield lane
    assert lane.close()


def blocked(lane: Lane[int]) -> threading.Event:
    """Keep the lane busy until the event is set."""
    gate = threading.Event()
    lane.write(lambda _: gate.wait(10))
    return gate


def raising(error: Exception) -> Callable[[int], None]:
    """A job that fails."""

    def job(_: int) -> None:
        raise error

    return job


def test_a_job_runs_elsewhere_and_its_result_comes_here(qtbot: QtBot, lane: Lane[int]) -> None:
    here, ran, delivered = threading.get_ident(), list[int](), list[int]()

    def done(context: int) -> None:
        ran.append(context)
        delivered.append(threading.get_ident())

    lane.read(lambda context: context, done)
    qtbot.waitUntil(lambda: bool(delivered))
    assert ran != [here]
    assert delivered == [here]


def test_a_later_read_with_the_same_key_supersedes(qtbot: QtBot, lane: Lane[int], seen: Seen) -> None:
    ran: list[str] = []

    def note(name: str) -> str:
        ran.append(name)
        return name

    def ask(name: str) -> None:
        lane.read(lambda _: note(name), seen.results.append, key="search")

    gate = blocked(lane)
    for name in ("a", "b", "c"):
        ask(name)
    lane.read(lambda _: "other", seen.results.append, key="list")
    gate.set()
    qtbot.waitUntil(lambda: "other" in seen.results)
    assert seen.results == ["c", "other"]
    assert ran == ["c"]


def test_a_result_that_is_superseded_while_it_runs_is_dropped(qtbot: QtBot, lane: Lane[int], seen: Seen) -> None:
    started, gate = threading.Event(), threading.Event()

    def slow(_: int) -> str:
        started.set()
        gate.wait(10)
        return "old"

    lane.read(slow, seen.results.append, key="k")
    assert started.wait(10)
    lane.read(lambda _: "new", seen.results.append, key="k")
    gate.set()
    qtbot.waitUntil(lambda: bool(seen.results))
    assert seen.results == ["new"]


def test_forgetting_a_key_drops_what_was_asked(qtbot: QtBot, lane: Lane[int], seen: Seen) -> None:
    gate = blocked(lane)
    lane.read(lambda _: "a", seen.results.append, key="k")
    lane.forget("k")
    lane.read(lambda _: "end", seen.results.append)
    gate.set()
    qtbot.waitUntil(lambda: bool(seen.results))
    assert seen.results == ["end"]


def test_errors_go_to_the_job_or_to_the_lane(qtbot: QtBot, lane: Lane[int], seen: Seen) -> None:
    own: list[str] = []
    lane.read(raising(UserFacingError("mine")), seen.results.append, lambda error: own.append(error.sentence))
    lane.write(raising(UserFacingError("theirs")))
    lane.read(raising(Cancelled()), seen.results.append)
    lane.read(lambda _: "end", seen.results.append)
    qtbot.waitUntil(lambda: bool(seen.results))
    assert (own, seen.errors, seen.results) == (["mine"], ["theirs"], ["end"])


def test_an_exception_is_logged_and_the_lane_lives_on(
    qtbot: QtBot, lane: Lane[int], seen: Seen, caplog: pytest.LogCaptureFixture
) -> None:
    lane.read(raising(ZeroDivisionError()), seen.results.append)
    lane.read(lambda _: "end", seen.results.append)
    qtbot.waitUntil(lambda: bool(seen.results))
    assert seen.errors == ["Something went wrong inside the program."]
    assert "ZeroDivisionError" in caplog.text


def test_closing_runs_the_writes_and_drops_the_reads(qtbot: QtBot, make: MakeLane, seen: Seen) -> None:
    lane = make(lambda: 7)
    ran: list[str] = []
    gate = blocked(lane)
    lane.read(lambda _: ran.append("read"), seen.results.append)
    lane.write(lambda _: ran.append("write"), seen.results.append)
    threading.Timer(0.05, gate.set).start()
    assert lane.close()
    qtbot.wait(20)
    assert ran == ["write"]
    assert seen.results == []
    assert seen.closed == [7]


def test_a_lane_that_never_worked_has_no_thread(make: MakeLane) -> None:
    before = threading.active_count()
    lane = make(lambda: 1)
    assert threading.active_count() == before
    assert lane.close()


def test_closing_gives_up_on_a_job_that_hangs(make: MakeLane) -> None:
    lane = make(lambda: 1)
    gate = blocked(lane)
    assert not lane.close(0.05)
    gate.set()
    assert lane.close()


def test_a_context_that_cannot_be_opened_is_tried_again(qtbot: QtBot, make: MakeLane, seen: Seen) -> None:
    attempts: list[int] = []

    def opened() -> int:
        attempts.append(1)
        if len(attempts) == 1:
            raise UserFacingError("locked")
        return 1

    lane = make(opened)
    lane.read(lambda _: "first", seen.results.append)
    lane.read(lambda _: "second", seen.results.append)
    qtbot.waitUntil(lambda: bool(seen.results))
    assert (seen.errors, seen.results) == (["locked"], ["second"])
    assert lane.close()


def test_progress_is_posted_into_the_gui_thread(qtbot: QtBot, lane: Lane[int], seen: Seen) -> None:
    lane.write(lambda _: lane.post(lambda: seen.results.append(threading.get_ident())))
    qtbot.waitUntil(lambda: bool(seen.results))
    assert seen.results == [threading.get_ident()]

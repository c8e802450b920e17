"""Turns and the slots of the server: one that has to wait says so, can be stopped, and frees its place in any end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import ServerCause
from llamachat.core.events import Event, FinishReason, Kind, Phase, PhaseName
from llamachat.llm.places import Place, Places
from llamachat.recorder import RecordedTurn, start_turn
from llamachat.storage.database import Database
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import ScriptedCompleter, refusal, says
from tests.recorder_parts import finish_of


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "history.db") as database:
        yield database


@pytest.fixture
def places() -> Places:
    return Places()


def place(places: Places) -> Place:
    """At a server with one slot."""
    return places.place("http://127.0.0.1:8080", "m", slots=1)


def turn(db: Database, its: Place, completer: ScriptedCompleter, cancel: CancelToken | None = None) -> RecordedTurn:
    parts = TurnParts(completer, place=its, on_end=its.leave)
    return start_turn(db, TurnRequest("send", text="?"), prepare=lambda: parts, cancel=cancel or CancelToken())


def phases(events: list[Event]) -> list[PhaseName]:
    return [event.data.name for event in events if isinstance(event.data, Phase)]


def test_a_turn_with_a_free_place_does_not_wait(db: Database, places: Places) -> None:
    events = list(turn(db, place(places), ScriptedCompleter(says("Yes."))).events())
    assert PhaseName.BEHIND not in phases(events)
    assert place(places).enter()  # it has left


def test_a_turn_behind_another_one_says_so_and_then_asks(db: Database, places: Places) -> None:
    first, completer = place(places), ScriptedCompleter(says("Yes."))
    assert first.enter()
    seen = list[Event]()
    for event in turn(db, place(places), completer).events():
        seen.append(event)
        if phases(seen)[-1:] == [PhaseName.BEHIND]:
            assert completer.requests == []
            threading.Timer(0.05, first.leave).start()
    assert phases(seen) == [PhaseName.WAITING, PhaseName.BEHIND, PhaseName.WAITING]
    assert "".join(str(event.data) for event in seen if event.kind is Kind.CONTENT) == "Yes."


def test_stop_ends_the_wait(db: Database, places: Places) -> None:
    first, cancel, completer = place(places), CancelToken(), ScriptedCompleter(says("Yes."))
    assert first.enter()
    events = turn(db, place(places), completer, cancel).events()
    assert [next(events).data, next(events).data] == [Phase(PhaseName.WAITING), Phase(PhaseName.BEHIND)]
    threading.Timer(0.05, cancel.cancel).start()
    assert finish_of(list(events)).reason is FinishReason.STOPPED
    assert completer.requests == []
    first.leave()
    assert place(places).enter()  # the one that was stopped does not wait any more


@pytest.mark.parametrize("script", [[refusal(ServerCause.UNREACHABLE)], says("")])
def test_a_turn_that_fails_frees_its_place(db: Database, places: Places, script: list[object]) -> None:
    list(turn(db, place(places), ScriptedCompleter(script)).events())  # type: ignore[arg-type]  # a script
    assert place(places).enter()


def test_a_turn_that_is_closed_while_it_waits_gives_its_wish_up(db: Database, places: Places) -> None:
    first = place(places)
    assert first.enter()
    events = turn(db, place(places), ScriptedCompleter(says("Yes."))).events()
    next(events)
    next(events)
    events.close()
    first.leave()
    assert place(places).enter()

"""Acts done once without a kill, on a copy: which states the last of them goes through, and how long its way is."""

from __future__ import annotations

import os
import pickle
import sqlite3
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar

from llamachat.storage.migrations import LATEST
from tests.fakes.still_clock import StillClock
from tests.kills.play import Act, Play
from tests.kills.states import State, state_of
from tests.kills.watched import Watch

T = TypeVar("T")


@dataclass
class Rehearsal:
    """`states` are those that others could see, in order, as the next start makes them; none stands there twice.

    version: of the schema before the last act, 0 where there was no history.
    """

    version: int = 0
    states: list[State] = field(default_factory=list)
    statements: int = 0
    writes: int = 0
    commits: int = 0
    ticks: int = 0
    seconds: float = 0.0


def perform(path: Path, plan: Sequence[Act], seed: str, *, before_last: Callable[[], None]) -> None:
    """Do the acts of a plan, in a process of its own; the same for the same history and seed."""
    number = int.from_bytes(seed.encode()[-4:]) % 1_000_000
    play = Play(path, StillClock(1_800_000_000.0 + number), Random(seed))
    for place, act in enumerate(plan, 1):
        if place == len(plan):
            before_last()
        act.do(play)
        play.clock.move(1)
    play.db.close()


def rehearse(path: Path, plan: Sequence[Act], seed: str) -> Rehearsal:
    """Do the acts on the history at `path`, which is thrown away; raises AssertionError where one fails."""
    return in_child(lambda: _rehearsed(path, plan, seed))


def _rehearsed(path: Path, plan: Sequence[Act], seed: str) -> Rehearsal:
    found, watch, began, is_written = Rehearsal(), Watch(seed), 0.0, True

    def look() -> None:
        state = state_of(path, timeout_s=0)
        if not found.states or state != found.states[-1]:
            found.states.append(state)

    def on_statement(connection: sqlite3.Connection, sql: str) -> None:
        nonlocal is_written
        found.statements += 1
        found.commits += sql.startswith("COMMIT")
        if is_written and not connection.in_transaction:
            with suppress(sqlite3.OperationalError):  # somebody has the file alone, and a statement will come later
                look()
                is_written = False
        if not sql.startswith(("SELECT", "WITH", "PRAGMA", "BEGIN")):
            is_written = True
            found.writes += 1

    def on_tick() -> int:
        found.ticks += 1
        return 0

    def begin() -> None:
        nonlocal began
        look()
        found.version = found.states[0].version
        watch.on_statement, watch.on_tick = on_statement, on_tick
        began = time.monotonic()

    watch.begin()
    perform(path, plan, seed, before_last=begin)
    found.seconds = time.monotonic() - began
    look()
    # An older history is brought up to date by the next start, as the act itself did at its end.
    found.states = _without_repeats([one if one.version == LATEST else found.states[-1] for one in found.states])
    return found


def _without_repeats(states: Sequence[State]) -> list[State]:
    return [state for number, state in enumerate(states) if state not in states[:number]]


def in_child(work: Callable[[], T]) -> T:
    """Do work in a process of its own, and give what it gives; raises AssertionError where it fails."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(work(), pipe)
        except BaseException:  # noqa: BLE001  # the outermost frame of the child
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, f"the acts fail without any kill: {status}"
    result: T = pickle.loads(told)
    return result

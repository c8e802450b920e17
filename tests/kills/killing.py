"""A child that does the acts of a plan and is killed in the last of them, at the moment that was aimed at."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.kills.play import Act
from tests.kills.rehearsal import Rehearsal, perform
from tests.kills.watched import Watch

BEFORE, INSIDE, COMMIT, ANY = "before a statement", "inside a statement", "at a commit", "at any moment"
BETWEEN = "between two acts"
PLACES = (BEFORE, INSIDE, COMMIT, ANY, BETWEEN)
NEAR_S = 0.020
_WRITES = ("INSERT", "UPDATE", "DELETE", "COMMIT", "CREATE", "ALTER", "DROP", "VACUUM", "REPLACE")


@dataclass(frozen=True, slots=True)
class Aim:
    """Where to kill: at the statement, tick or commit of this number, or so long after the act began.

    A commit is hit so long after it began.
    """

    where: str
    number: int = 0
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Fall:
    """Where a kill fell, and whether something had been written just before."""

    where: str
    near_a_write: bool


def aim_at(rehearsal: Rehearsal, chance: Random) -> Aim:
    """Some moment of an act that was rehearsed."""
    choices = [Aim(ANY, delay_s=chance.uniform(0, 1.3 * rehearsal.seconds))]
    if rehearsal.statements:
        choices.append(Aim(BEFORE, chance.randint(1, rehearsal.statements)))
    if rehearsal.ticks:
        choices.append(Aim(INSIDE, chance.randint(1, rehearsal.ticks)))
    if rehearsal.commits:
        choices.append(Aim(COMMIT, chance.randint(1, rehearsal.commits), chance.uniform(0, 0.000_4)))
    return chance.choice(choices)


def kill(path: Path, plan: Sequence[Act], seed: str, aim: Aim) -> Fall:
    """Let a child do the acts on the history at `path`, and kill it; raises AssertionError where an act fails."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _act_and_die(path, plan, seed, aim, lambda line: os.write(writing, f"{time.monotonic()} {line}\n".encode()))
    os.close(writing)
    lines: list[tuple[float, str]] = []
    killed = 0.0
    with os.fdopen(reading, encoding="utf-8") as pipe:
        for line in pipe:
            at, _, text = line.strip().partition(" ")
            lines.append((float(at), text))
            if not killed and (text == "done" or (text == "begun" and aim.where == ANY)):
                time.sleep(0 if text == "done" else aim.delay_s)  # the moment is what is tested
                killed = time.monotonic()
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == -signal.SIGKILL, f"an act failed: {status}"
    return _fall(lines, aim, killed)


def _fall(lines: Sequence[tuple[float, str]], aim: Aim, killed: float) -> Fall:
    at = killed or lines[-1][0]
    writes = [when for when, text in lines if when <= at and text.startswith(_WRITES)]
    done = any(text == "done" for _, text in lines)
    return Fall(BETWEEN if done else aim.where, at - max(writes, default=float("-inf")) <= NEAR_S)


def _act_and_die(path: Path, plan: Sequence[Act], seed: str, aim: Aim, say: Callable[[str], object]) -> None:
    """The child's part; it does not return."""
    try:
        watch = Watch(seed)
        watch.begin()
        perform(path, plan, seed, before_last=lambda: _begin(watch, aim, say))
        say("done")
        signal.pause()
    except BaseException:  # noqa: BLE001  # the outermost frame of the child
        traceback.print_exc()
        os._exit(1)


def _begin(watch: Watch, aim: Aim, say: Callable[[str], object]) -> None:
    left = {BEFORE: aim.number, INSIDE: aim.number, COMMIT: aim.number}

    def reached(where: str) -> bool:
        left[where] -= 1
        return aim.where == where and left[where] == 0

    def die() -> None:
        say("dies")
        os.kill(os.getpid(), signal.SIGKILL)

    def on_statement(_connection: sqlite3.Connection, sql: str) -> None:
        if reached(BEFORE):
            die()
        say(sql.lstrip()[:12].replace("\n", " "))
        if sql.startswith("COMMIT") and reached(COMMIT):
            threading.Timer(aim.delay_s, die).start()

    def on_tick() -> int:
        if reached(INSIDE):
            die()
        return 0

    watch.on_statement, watch.on_tick = on_statement, on_tick
    say("begun")

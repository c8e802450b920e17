"""Kills, one after the other, in histories that live on; each is looked over before the next."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from llamachat.storage.migrations import LATEST
from tests.kills.care_acts import CARE_ACTS, OPENING
from tests.kills.chat_acts import CHAT_ACTS
from tests.kills.checks import start_again
from tests.kills.killing import Fall, aim_at, kill
from tests.kills.play import Act
from tests.kills.rehearsal import Rehearsal, rehearse
from tests.kills.states import State
from tests.kills.turn_acts import TURN_ACTS
from tests.storage.version_dumps import load_version

_ACTS = (*TURN_ACTS, *TURN_ACTS, *CHAT_ACTS, *CARE_ACTS)  # there must be something to do things to
_LIFE = 20  # kills until another history is begun
_UPDATE = 4  # each fourth kill is of the first start on an older history
_MOST_ACTS = 6  # from the start of the program to the kill
_TRIES = 5
NOT_THERE, THERE, PARTLY, UNCHANGED, AGAIN = "not there", "there", "up to a step", "changes nothing", "done again"


@dataclass(frozen=True, slots=True)
class Killed:
    """One kill: in which act, where in it, what of the act was found afterwards, how many answers were cut off."""

    act: str
    fall: Fall
    outcome: str
    cut_off: int


def kills(folder: Path, *, count: int, seed: int) -> Iterator[Killed]:
    """Yield each kill when its history was found to be whole; raises AssertionError, with what makes it again."""
    lives, updates = folder / "lives", folder / "updates"
    for number in range(count):
        named = f"{seed}:{number}"
        chance = Random(named)
        is_update = number % _UPDATE == _UPDATE - 1
        life = updates / str(number) if is_update else lives / str(number // _LIFE)
        life.mkdir(parents=True, exist_ok=True)
        path = life / "llamachat.db"
        version = number // _UPDATE % LATEST
        if is_update and version:
            load_version(version, path)
        yield _killed(path, named, chance, most_acts=0 if is_update else _MOST_ACTS)
        if is_update:
            shutil.rmtree(life)


def _killed(path: Path, named: str, chance: Random, *, most_acts: int) -> Killed:
    plan = [OPENING]
    try:
        plan, rehearsal = _something_to_do(path, named, chance, most_acts=most_acts)
        act = plan[-1]
        assert act.in_steps or len(rehearsal.states) <= 2, f"{act.name} can be seen half done"
        fall = kill(path, plan, named, aim_at(rehearsal, chance))
        found, cut_off = start_again(path, damaged=act.damages)
        name = f"{act.name} from version {rehearsal.version}" if act is OPENING else act.name
        return Killed(name, fall, outcome(rehearsal, found, act), cut_off)
    except AssertionError as error:
        error.add_note(f"seed and kill {named}, acts: {[act.name for act in plan]}")
        raise


def _something_to_do(path: Path, named: str, chance: Random, *, most_acts: int) -> tuple[list[Act], Rehearsal]:
    """Acts of which the last, the one that is killed, does something (to undo, there must have been a deletion)."""
    for _ in range(_TRIES):
        plan = [OPENING, *chance.choices(_ACTS, k=chance.randint(1, most_acts) if most_acts else 0)]
        copy = path.parent.with_name("rehearsal")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(path.parent, copy)
        rehearsal = rehearse(copy / path.name, plan, named)
        if rehearsal.writes:
            break
    return plan, rehearsal


def outcome(rehearsal: Rehearsal, found: State, act: Act) -> str:
    """How far the act had come; raises AssertionError where the history holds what the act never leaves."""
    states = rehearsal.states
    if found not in states:
        raise AssertionError(f"{act.name} is half done:\n{states[-1].difference(found)}")
    if len(states) == 1:
        return AGAIN if act is OPENING else UNCHANGED
    place = states.index(found)
    return NOT_THERE if place == 0 else THERE if place == len(states) - 1 else PARTLY

"""What a child process is asked to measure, and what it answers. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Size(StrEnum):
    """How much is measured."""

    QUICK = "quick"
    USUAL = "usual"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Job:
    """What to measure: a scene, the folder with settings and chats, and the chats to open in it.

    load_all: go up to the beginning of the chat first. beat: measure how late a timer is meanwhile.
    """

    scene: str
    folder: str
    chats: tuple[int, ...] = ()
    runs: int = 1
    load_all: bool = False
    beat: bool = False


@dataclass(frozen=True, slots=True)
class AnswerCost:
    """What an answer cost the whole process: seconds of its threads together and of the clock.

    late_ms: how late each beat of a timer was. own_ms: what the window's thread itself worked since the one before.
    """

    cpu_s: float
    wall_s: float
    characters: int
    late_ms: list[float] = field(default_factory=list)
    own_ms: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Opening:
    """Milliseconds until a chat was painted, and of all threads' work for it."""

    wall_ms: float
    own_ms: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Megabytes: the share of this process, and what it has alone."""

    pss_mb: float
    uss_mb: float

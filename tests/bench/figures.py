"""What a benchmark gives: times in short, and values with the bar that each is held to."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Detail: TypeAlias = "str | float | Sequence[Detail] | Mapping[str, Detail] | None"


@dataclass(frozen=True, slots=True)
class Bar:
    """A value that may be at most so high.

    clock: by which it was measured, "wall" or "cpu"; "" for what is no time. own: for a time on the wall, the work of
    the thread itself, which is what other programs do not lengthen.
    """

    what: str
    value: float
    at_most: float
    clock: str = ""
    own: float | None = None

    def as_json(self) -> dict[str, Detail]:
        """The value, the bar and whether it is met."""
        told: dict[str, Detail] = {"what": self.what, "value": _short(self.value), "at_most": self.at_most}
        told["met"] = self.value <= self.at_most
        told |= {"clock": self.clock} if self.clock else {}
        return told | ({"own": _short(self.own)} if self.own is not None else {})


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured for a figure: bars, and whatever helps to understand them."""

    bars: Sequence[Bar]
    details: Mapping[str, Detail] = field(default_factory=dict)

    def as_json(self) -> dict[str, Detail]:
        """For the report."""
        return {"bars": [bar.as_json() for bar in self.bars], "details": dict(self.details)}


def spread(values: Sequence[float]) -> dict[str, Detail]:
    """How values lie: their number, median, 99th percentile and highest."""
    if not values:
        return {"n": 0}
    return {
        "n": len(values),
        "median": _short(statistics.median(values)),
        "p99": _short(percentile(values, 99)),
        "max": _short(max(values)),
    }


def percentile(values: Sequence[float], percent: float) -> float:
    """The lowest of the values that so many percent of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(len(ordered) * percent / 100) - 1, 0)]


def _short(value: float) -> float:
    return round(value, 3 if abs(value) < 10 else 1)

"""One step of a check that a person follows: of the model server, of the web search."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckStep:
    """What was looked at, how it went, and a sentence about it with the next step.

    minor: what was checked works also without this.
    """

    name: str
    ok: bool
    detail: str = ""
    minor: bool = False

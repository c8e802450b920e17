"""A guard with its clock in hand and an engine that counts what it is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.search_record import SearchResult
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.guard import Guard, GuardLimits
from tests.fakes.still_clock import StillClock

REFUSING = (("brave", "Suspended: too many requests"), ("duckduckgo", "CAPTCHA"))
ROOMY = GuardLimits(burst=10_000)


class World:
    """A guard, its clock, and an engine that counts."""

    def __init__(self, folder: Path, limits: GuardLimits | None = None) -> None:
        self.clock = StillClock()
        self.file = folder / "run" / "search.json"
        self.guard = Guard(limits or GuardLimits(), self.file, clock=self.clock)
        self.asked: list[str] = []
        self.failing: Exception | None = None
        self.found = 1

    def ask(self, query: str) -> Callable[[], SearchAnswer]:
        """What the guard calls."""

        def answer() -> SearchAnswer:
            self.asked.append(query)
            if self.failing:
                raise self.failing
            return SearchAnswer(tuple(SearchResult(query, f"https://{n}.example/", "") for n in range(self.found)))

        return answer

    def search(self, query: str, *, provider: str = "searxng", fresh: bool = False) -> float | None:
        """Search; the age of the answer."""
        return self.guard.search(query, self.ask(query), provider=provider, fresh=fresh).age_s

    def refused(self, query: str = "tide") -> SearchError:
        """Search, which must fail."""
        with pytest.raises(SearchError) as caught:
            self.search(query)
        return caught.value

    def refuse(self, cause: SearchCause = SearchCause.ENGINES_REFUSED, retry_after_s: float | None = None) -> None:
        """Let the engines refuse from now on."""
        engines = REFUSING if cause is SearchCause.ENGINES_REFUSED else ()
        self.failing = SearchError("They refuse.", cause=cause, engines=engines, retry_after_s=retry_after_s)

"""A clock that stands still until a test moves it."""

from __future__ import annotations


class StillClock:
    """The `Clock` seam; both its times start at `now` and move together."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self._now = now

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        return self._now

    def monotonic(self) -> float:
        """Seconds that only run forward."""
        return self._now

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self._now += seconds

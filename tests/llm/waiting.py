"""Time that passes only while a token is waited on."""

from __future__ import annotations

from llamachat.core.cancel import CancelToken


class WaitingClock:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        """Seconds since 1970."""
        return self.time

    def monotonic(self) -> float:
        """The same."""
        return self.time


class WaitingToken(CancelToken):
    """A token whose `wait` moves the clock on and returns at once."""

    def __init__(self, clock: WaitingClock) -> None:
        super().__init__()
        self._clock = clock

    def wait(self, timeout_s: float) -> bool:
        """Let the time pass."""
        self._clock.time += timeout_s
        return self.cancelled

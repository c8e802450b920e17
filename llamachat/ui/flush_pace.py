"""How often what came of an answer is drawn, and how much of it at once. No Qt.

Thirty times a second, but nine while text comes no faster than people read: that reads the same and costs less.
More seldom where drawing is dear; and of a flood of text only some, lest the window stand still over the rest.
"""

from __future__ import annotations

FLUSH_MS, TRICKLE_MS = 33, 110
TRICKLE_CHARS_A_MS = 0.2  # about 45 tokens a second
REST_FACTOR = 3  # the next flush comes no sooner than three times what the last one cost
CHEAP_MS, DEAR_MS = 10, 50
ROOM_CHARS = 10_000  # how much text the first flush takes; later ones take more or less, as they are cheap or dear
LEAST_ROOM_CHARS, MOST_ROOM_CHARS = 1_000, 1_000_000


class FlushPace:
    """`room` is how many characters the next flush takes."""

    def __init__(self) -> None:
        self.room = ROOM_CHARS
        self._rested_ms = FLUSH_MS

    def rest_ms(self, *, cost_ms: float, chars: int) -> int:
        """How long to wait after a flush that took so long and drew so much text."""
        if cost_ms > DEAR_MS:
            self.room = max(self.room // 2, LEAST_ROOM_CHARS)
        elif cost_ms < CHEAP_MS:
            self.room = min(self.room * 2, MOST_ROOM_CHARS)
        trickles = 0 < chars < TRICKLE_CHARS_A_MS * self._rested_ms
        self._rested_ms = max(TRICKLE_MS if trickles else FLUSH_MS, round(REST_FACTOR * cost_ms))
        return self._rested_ms

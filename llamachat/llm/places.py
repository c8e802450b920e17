"""Places at a model server: turns of this program wait here, in their order, while others take up all of its slots.

A server would queue them too: docs/decisions/answers-at-once.md says why it is not left to it.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TypeAlias

from llamachat.core.cancel import CancelToken

Key: TypeAlias = tuple[str, str]


@dataclass(slots=True)
class _Line:
    """Those who are in, and those who wait, the next one first."""

    inside: set[Place] = field(default_factory=set)
    waiting: list[Place] = field(default_factory=list)


class Places:
    """For any thread."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self._lines: dict[Key, _Line] = defaultdict(_Line)

    def place(self, base_url: str, model: str, *, slots: int | None) -> Place:
        """One that is not taken yet. slots: how many answers the server writes at a time; None: nobody knows."""
        return Place(self, (base_url, model), slots)

    def line(self, key: Key) -> _Line:
        """The line for one model; the lock must be held."""
        return self._lines[key]


class Place:
    """Of one turn, in one thread: `enter`; if that fails `wait`; in any case `leave`, which may be called again."""

    def __init__(self, places: Places, key: Key, slots: int | None) -> None:
        self._places, self._key, self._slots = places, key, slots

    def enter(self) -> bool:
        """Take the place if it is free and nobody waits for it; False where this turn has to wait."""
        with self._places.changed:
            line = self._places.line(self._key)
            line.waiting.append(self)
            return self._is_let_in(line)

    def wait(self, cancel: CancelToken) -> None:
        """Take the place as soon as it is this one's turn; raises Cancelled."""
        with cancel.on_cancel(self._wake), self._places.changed:
            line = self._places.line(self._key)
            self._places.changed.wait_for(lambda: cancel.cancelled or self._is_let_in(line))
        cancel.raise_if_cancelled()

    def leave(self) -> None:
        """Give the place, or the wish for it, up."""
        with self._places.changed:
            line = self._places.line(self._key)
            line.inside.discard(self)
            if self in line.waiting:
                line.waiting.remove(self)
            self._places.changed.notify_all()

    def _is_let_in(self, line: _Line) -> bool:
        free = self._slots is None or len(line.inside) < max(self._slots, 1)
        if free and self in line.waiting[:1]:
            line.waiting.remove(self)
            line.inside.add(self)
        return self in line.inside

    def _wake(self) -> None:
        with self._places.changed:
            self._places.changed.notify_all()

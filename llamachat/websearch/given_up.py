"""Services that did not accept a key, or whose credit is used up: asking again at once would change nothing."""

from __future__ import annotations

import threading
from typing import TypeAlias

from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.seams import Clock

GIVEN_UP_S = 3600.0
_FINAL = frozenset({SearchCause.KEY_REJECTED, SearchCause.NO_CREDIT})
_Words: TypeAlias = tuple[str, str, SearchCause]


class GivenUp:
    """Remembers such an error for an hour, for one service with one key, until `clear`. For any thread."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._errors: dict[int, tuple[float, _Words]] = {}  # by hashes, which hold no secret

    def check(self, name: str, key: str) -> None:
        """Raise the error again while it counts."""
        with self._lock:
            at, words = self._errors.get(hash((name, key)), (0.0, None))
        if words and self._clock.monotonic() - at < GIVEN_UP_S:
            sentence, next_step, cause = words
            raise SearchError(sentence, next_step, cause=cause)

    def note(self, name: str, key: str, error: SearchError) -> None:
        """Remember the error, if it is one that stays. Without a key there is nothing that would have to change."""
        if key and error.cause in _FINAL:
            with self._lock:
                words = error.sentence, error.next_step, error.cause
                self._errors[hash((name, key))] = self._clock.monotonic(), words

    def clear(self) -> None:
        """Forget all: the settings have changed, or the user says so."""
        with self._lock:
            self._errors.clear()

"""Connections that tell of each statement before it runs, those of triggers too, and now and then while it runs."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable
from random import Random

TICK_STEPS = 20  # of SQLite's machine, from one tick to the next

_connect = sqlite3.connect


class Watch:
    """Called from every connection of the process. Before `begin` it does nothing.

    With the same `seed` a process that does the same makes the same uids.
    """

    def __init__(self, seed: str) -> None:
        self._chance = Random(f"uids {seed}")
        self.on_statement: Callable[[sqlite3.Connection, str], None] = _no_statement
        self.on_tick: Callable[[], int] = _nothing

    def tick(self) -> int:
        """What SQLite calls: whatever is to be called by then."""
        return self.on_tick()

    def begin(self) -> None:
        """Watch each connection that is opened from now on; for a process of its own."""
        watch, bits = self, self._chance.getrandbits
        uuid.uuid4 = lambda: uuid.UUID(int=bits(128), version=4)

        class Watched(sqlite3.Connection):
            def __init__(self, *given: object, **named: object) -> None:
                super().__init__(*given, **named)  # type: ignore[arg-type]  # handed on as they came
                self.set_trace_callback(lambda sql: watch.on_statement(self, sql))
                self.create_function("randomblob", 1, lambda size: bits(8 * size).to_bytes(size))
                self.set_progress_handler(watch.tick, TICK_STEPS)

        sqlite3.connect = lambda *given, **named: _connect(*given, factory=Watched, **named)  # type: ignore[assignment]  # one signature for all


def unwatched(address: str, *, timeout_s: float = 5.0) -> sqlite3.Connection:
    """A connection that tells nobody."""
    return _connect(address, uri=True, timeout=timeout_s, isolation_level=None)


def _nothing() -> int:
    """Nobody watches; the statement goes on."""
    return 0


def _no_statement(_connection: sqlite3.Connection, _sql: str) -> None:
    """Nobody watches."""

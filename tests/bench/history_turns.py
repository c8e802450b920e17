"""What it costs to store an answer while it streams: whole turns of the program from a paced stream."""

from __future__ import annotations

import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from llamachat.app import build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.events import Finish
from llamachat.turn_rows import TurnRequest
from tests.bench.figures import Bar, Figure
from tests.bench.stream_server import running_server

RATES = (20, 100, 500)  # tokens a second
TURN_S = 10.0
_SHARE = 0.02


@dataclass
class Turn:
    """Seconds of a turn: of the clock, of all threads' work, and of both in the statements of the store."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    store_wall_s: float = 0.0
    store_cpu_s: float = 0.0


def storing(history: Path, *, turn_s: float = TURN_S) -> Figure:
    """Turns at each pace, of which the tokens take so many seconds, stored in the history and in memory."""
    bars, details = [], {}
    for rate in RATES:
        with running_server(rate=rate, tokens=round(rate * turn_s)) as address:
            stored, forgotten = _turn(address, history), _turn(address, None)
        share = stored.store_wall_s / stored.wall_s
        own = stored.store_cpu_s / stored.wall_s
        bars.append(Bar(f"storing at {rate} tokens/s, of the time of the turn", share, _SHARE, "wall", own=own))
        details[f"{rate} tokens/s"] = {
            "turn_s": stored.wall_s,
            "statements_ms": 1000 * stored.store_wall_s,
            "statements_own_ms": 1000 * stored.store_cpu_s,
            "cpu_s": stored.cpu_s,
            "cpu_s_in_memory": forgotten.cpu_s,
        }
    return Figure(bars, details)


def _turn(address: str, history: Path | None) -> Turn:
    """Ask something as the window does, but that nothing is drawn; the history is as before in the end."""
    with tempfile.TemporaryDirectory() as folder, timed_statements() as turn:
        config = Path(folder) / "config.toml"
        config.write_text(f'base_url = "{address}"\n', encoding="utf-8")
        paths = resolve_paths(config, Path(folder) / "data")
        if history:
            paths.database.parent.mkdir()
            paths.database.symlink_to(history.absolute())
        app = build_app(paths)
        with app.database(memory=history is None) as db:
            asked = app.start_turn(db, TurnRequest("send", text="Go on."), CancelToken())
            turn.store_wall_s = turn.store_cpu_s = 0.0
            began, work = time.perf_counter(), time.process_time()
            *_, (_, end) = asked.events()
            turn.wall_s, turn.cpu_s = time.perf_counter() - began, time.process_time() - work
            db.write("DELETE FROM conversations WHERE id = ?", (asked.conversation.id,))
        app.close()
    if not isinstance(end, Finish) or end.error:
        raise ValueError(f"the turn did not end well: {end}")
    return turn


@contextmanager
def timed_statements() -> Iterator[Turn]:
    """Count what the statements of all connections take that are opened meanwhile, in whatever thread."""
    turn, lock, connect = Turn(), threading.Lock(), sqlite3.connect

    class Timed(sqlite3.Connection):
        def execute(self, *given: object) -> sqlite3.Cursor:
            began, work = time.perf_counter(), time.thread_time()
            try:
                return super().execute(*given)  # type: ignore[arg-type]  # handed on as they came
            finally:
                took, worked = time.perf_counter() - began, time.thread_time() - work
                with lock:
                    turn.store_wall_s += took
                    turn.store_cpu_s += worked

    sqlite3.connect = lambda *given, **named: connect(*given, factory=Timed, **named)  # type: ignore[assignment]  # one signature for all
    try:
        yield turn
    finally:
        sqlite3.connect = connect

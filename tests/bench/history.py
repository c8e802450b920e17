"""How a large history opens and is searched: `python -m tests.bench history --messages N --chats N` prints one JSON.

The history is made anew, which takes a quarter of an hour for a million messages. `--database FILE` keeps it there,
and measures it as it is where it exists already.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from llamachat.core.messages import Role, Status
from llamachat.storage.conversations import create_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.fulltext import operator_values, search_history
from llamachat.storage.growing_message import FLUSH_S, GrowingMessage
from llamachat.storage.index_queue import refresh_index
from llamachat.storage.messages import add_message, load_branch
from tests.bench.figures import Bar, Figure, percentile, spread
from tests.bench.history_queries import queries
from tests.bench.history_store import LONG_CHAT, make_history
from tests.bench.history_texts import Texts

_RUNS = 3
_PAGE = 200
_HITS = 50
_SHOWN = 50
_FLUSHES = 150
_SEARCH_MS = 50
_LIST_MS = 100


def main(arguments: Sequence[str]) -> None:
    """Make the history, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench history", description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--chats", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = options.database or Path(folder) / "history.db"
        if not path.exists():
            make_history(path, messages=options.messages, chats=options.chats, texts=Texts(options.seed))
        print(json.dumps(measure(path, Texts(options.seed)), indent=1))


def measure(path: Path, texts: Texts) -> dict[str, object]:
    """All figures; times are milliseconds."""
    with Database.open(path) as db:
        while refresh_index(db):  # a history from before may have to be indexed anew
            pass
        figures = {
            "sizes": _sizes(db),
            "search": _searches(db, queries(texts)),
            "list": _times("open the file and list the first page", partial(_open_and_list, path), _LIST_MS),
            "long_chat": _long_chat(db),
            "storing": _storing(db),
            "operator_values": _times("values to complete operators with", partial(operator_values, db), _LIST_MS),
        }
    return {name: figure.as_json() for name, figure in figures.items()}


def _sizes(db: Database) -> Figure:
    (texts,) = db.rows("SELECT count(*) AS n, sum(length(CAST(content AS BLOB))) AS bytes FROM messages")
    (chats,) = db.rows("SELECT count(*) AS n FROM conversations")
    (index,) = db.rows("SELECT sum(length(block)) AS bytes FROM messages_fts_data")
    return Figure(
        [
            Bar("bytes of the index to bytes of text", index["bytes"] / texts["bytes"], 1.5),
            Bar("bytes of the file to bytes of text", db.path.stat().st_size / texts["bytes"], 3),
        ],
        {"messages": texts["n"], "chats": chats["n"], "text_mb": round(texts["bytes"] / 1e6, 1)},
    )


def _searches(db: Database, kinds: dict[str, list[str]]) -> Figure:
    bars, details = [], {}
    for kind, texts in kinds.items():
        times = [
            (time_, text) for text in texts for time_ in _times_of(partial(search_history, db, text, limit=_HITS))
        ]
        on_wall, own = ([getattr(time_, name) for time_, _ in times] for name in ("wall_ms", "own_ms"))
        p95, own_p95 = percentile(on_wall, 95), percentile(own, 95)
        bars.append(Bar(f"search, {kind}, p95", p95, _SEARCH_MS, "wall", own=own_p95))
        details[kind] = spread(on_wall) | {"slowest": max(times)[1]}
    return Figure(bars, details)


def _long_chat(db: Database) -> Figure:
    """SQLite's work for a message at the end of the longest chat, where the view loads that end and no more."""
    long = _steps(db, lambda: load_branch(db, 1, limit=_SHOWN))
    whole = _steps(db, lambda: load_branch(db, 1))
    shown = len(load_branch(db, 1, limit=_SHOWN))
    per_message = long / shown
    return Figure(
        [Bar("steps for a message shown, to those for one of the whole chat", per_message * LONG_CHAT / whole, 1.5)],
        {"shown": shown, "steps": long, "steps_whole": whole},
    )


def _storing(db: Database) -> Figure:
    """What an answer costs that streams for half a minute and is written as it comes, to its place in the index."""
    chat = create_conversation(db)
    row = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.ASSISTANT, status=Status.STREAMING)
    answer, times = GrowingMessage(row), []
    for number in range(_FLUSHES):
        answer.add_text("content", f"and so the answer number {number} goes on. ")
        if number == _FLUSHES - 1:
            answer.set(status=Status.COMPLETE)
        started = time.perf_counter()
        answer.write(db)
        times.append(1000 * (time.perf_counter() - started))
    db.write("DELETE FROM conversations WHERE id = ?", (chat.id,))
    share = sum(times) / (1000 * FLUSH_S * _FLUSHES)
    return Figure([Bar("time for storing, of the time of a turn", share, 0.02, "wall")], {"ms": spread(times)})


def _steps(db: Database, act: Callable[[], object]) -> int:
    """How many hundreds of instructions SQLite carries out."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    db.connection.set_progress_handler(step, 100)
    try:
        act()
    finally:
        db.connection.set_progress_handler(None, 0)
    return count


def _open_and_list(path: Path) -> None:
    with Database.open(path) as db:
        list_conversations(db, limit=_PAGE)


def _times(what: str, act: Callable[[], object], at_most: float) -> Figure:
    times = [time_ for _ in range(7) for time_ in _times_of(act)]
    on_wall, own = [time_.wall_ms for time_ in times], [time_.own_ms for time_ in times]
    bar = Bar(f"{what}, p95", percentile(on_wall, 95), at_most, "wall", own=percentile(own, 95))
    return Figure([bar], {"ms": spread(on_wall)})


class _Time(NamedTuple):
    """How long something took, and the work of the thread itself in it."""

    wall_ms: float
    own_ms: float


def _times_of(act: Callable[[], object]) -> list[_Time]:
    times = []
    for _ in range(_RUNS):
        started, own = time.perf_counter(), time.thread_time()
        act()
        times.append(_Time(1000 * (time.perf_counter() - started), 1000 * (time.thread_time() - own)))
    return times

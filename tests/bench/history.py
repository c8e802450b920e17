"""How a large history opens, is searched and grows: `python -m tests.bench history` prints one JSON.

`--messages 1000000 --chats 50000` makes the history that the figures speak of, which takes ten minutes. `--database
FILE` keeps it there, and measures it as it is where it exists already, brought up to date. Times on the wall want a
machine that does nothing else; `own` beside them is the thread's own work. The exit code is 1 when a bar is not met.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.fulltext import operator_values, search_history
from llamachat.storage.index_queue import refresh_index
from tests.bench.figures import Bar, Figure, percentile, spread
from tests.bench.history_queries import queries
from tests.bench.history_reading import opening
from tests.bench.history_store import make_history
from tests.bench.history_texts import Texts
from tests.bench.history_turns import storing
from tests.bench.transcript import what_missed

_RUNS = 3
_PAGE = 200
_HITS = 50
_SEARCH_MS = 50
_LIST_MS = 100


def main(arguments: Sequence[str]) -> None:
    """Make the history, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench history", description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--chats", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", type=Path, metavar="FILE")
    parser.add_argument("--only", action="append", choices=FIGURES, metavar="NAME", help=", ".join(FIGURES))
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = options.database or Path(folder) / "history.db"
        if not path.exists():
            unfinished = path.with_suffix(".part")
            unfinished.unlink(missing_ok=True)
            make_history(unfinished, messages=options.messages, chats=options.chats, texts=Texts(options.seed))
            unfinished.rename(path)
        bring_up_to_date(path)
        figures = measure(path, Texts(options.seed), only=options.only or FIGURES)
    missed = [line for name, figure in figures.items() for line in what_missed(name, figure.as_json())]
    report = {"figures": {name: figure.as_json() for name, figure in figures.items()}, "missed": missed}
    print(json.dumps(report, indent=1))
    sys.exit("\n".join(missed) or 0)


def bring_up_to_date(path: Path) -> None:
    """Update a history from before, and index it anew where that is due."""
    with Database.open(path) as db:
        if db.report.copy:
            db.report.copy.unlink()  # it can be made again
        while refresh_index(db):
            pass


def measure(path: Path, texts: Texts, *, only: Collection[str]) -> dict[str, Figure]:
    """Figures; times are milliseconds."""
    return {name: figure(path, texts) for name, figure in FIGURES.items() if name in only}


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


def _with_database(figure: Callable[[Database], Figure]) -> Callable[[Path, Texts], Figure]:
    def measured(path: Path, _: Texts) -> Figure:
        with Database.open(path) as db:
            return figure(db)

    return measured


def _long_list(path: Path, _: Texts) -> Figure:
    from tests.bench.history_list import list_figure  # the only figure that needs Qt

    return list_figure(path)


def _search(path: Path, texts: Texts) -> Figure:
    with Database.open(path) as db:
        return _searches(db, queries(texts))


FIGURES: Mapping[str, Callable[[Path, Texts], Figure]] = {
    "sizes": _with_database(_sizes),
    "search": _search,
    "list": lambda path, _: _times("open the file and list the first page", partial(_open_and_list, path), _LIST_MS),
    "long_list": _long_list,
    "opening": lambda path, _: opening(path),
    "storing": lambda path, _: storing(path),
    "operator_values": _with_database(
        lambda db: _times("values to complete operators with", partial(operator_values, db), _LIST_MS)
    ),
}

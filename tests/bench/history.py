"""How fast a large history opens and is searched: `python -m tests.bench history [--messages N]` prints one JSON."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import load_branch
from tests.bench.history_texts import Texts
from tests.storage.stories import rebuild_index

_MESSAGES_A_CHAT = 20
_RUNS = 20
_PAGE = 200


def main(arguments: Sequence[str]) -> None:
    """Build the history, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench history", description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(Path(folder) / "history.db", options.messages, Texts(options.seed)), indent=1))


def measure(path: Path, messages: int, texts: Texts) -> dict[str, object]:
    """All figures; times are milliseconds."""
    with Database.open(path) as db:
        started = time.perf_counter()
        text_bytes = _fill(db, messages, texts)
        filled = time.perf_counter()
        rebuild_index(db)
        indexed = time.perf_counter()
        index_bytes = db.connection.execute("SELECT sum(length(block)) FROM messages_fts_data").fetchone()[0]
        searches = {query: _milliseconds(partial(search_history, db, query)) for query in _queries(texts)}
    return {
        "messages": messages,
        "text_mb": round(text_bytes / 1e6, 1),
        "file_mb": round(path.stat().st_size / 1e6, 1),
        "index_to_text": round(index_bytes / text_bytes, 2),
        "fill_s": round(filled - started, 1),
        "index_s": round(indexed - filled, 1),
        "open_checked": _milliseconds(lambda: Database.open(path, check=True).close(), runs=3),
        "open_and_list": _milliseconds(lambda: _open_and_list(path)),
        "load_long_chat": _milliseconds(lambda: _load_long_chat(path)),
        "search": searches,
    }


def _fill(db: Database, messages: int, texts: Texts) -> int:
    """Fast, by SQL: 20 messages a chat, and one chat with 2,000 of them."""
    size = 0
    with db.transaction() as connection:
        for number, text in enumerate(texts.messages(messages), start=1):
            chat = 1 if number <= 2000 else 2 + (number - 2001) // _MESSAGES_A_CHAT
            is_first = number == 1 or (number > 2000 and (number - 2001) % _MESSAGES_A_CHAT == 0)
            if is_first:
                connection.execute(
                    "INSERT INTO conversations (id, uid, title, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
                    (chat, f"c{chat}", f"Chat {chat}", number, number),
                )
            connection.execute(
                "INSERT INTO messages (uid, conversation_id, parent_id, role, content, created_at) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (
                    f"m{number}",
                    chat,
                    None if is_first else number - 1,
                    ("assistant", "user")[number % 2],
                    text,
                    number,
                ),
            )
            size += len(text.encode())
        connection.execute(
            "UPDATE conversations SET head_id = "
            "(SELECT max(id) FROM messages WHERE conversation_id = conversations.id)"
        )
    return size


def _queries(texts: Texts) -> list[str]:
    rare = texts.words[20_000]
    identifier = f"{texts.words[5]}_{texts.words[9]}"
    han = texts.han_words
    return [
        "the",
        "th",
        "t*",
        "an",
        "the and to in",
        "of the",
        '"of the"',
        '"in the of and"',
        "with this",
        rare,
        rare[:4],
        texts.words[60],
        f"{texts.words[40]} {rare}",
        identifier,
        han[0],
        han[0][0],
        han[1] + han[2],
        "strom",
        "zzz",
    ]


def _open_and_list(path: Path) -> None:
    with Database.open(path) as db:
        list_conversations(db, limit=_PAGE)


def _load_long_chat(path: Path) -> None:
    with Database.open(path) as db:
        load_branch(db, 1, limit=50)


def _milliseconds(act: Callable[[], object], *, runs: int = _RUNS) -> dict[str, float]:
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        act()
        times.append(1000 * (time.perf_counter() - started))
    times.sort()
    return {"p50": round(times[len(times) // 2], 1), "p95": round(times[int(len(times) * 0.95)], 1)}

"""Recorded answers of real servers, and what is expected of each: one JSON object a line in replies.jsonl.

The name says which server it was: SearXNG 2026.8 (`basic`, `fails`, `failing`, `nojson`, `limiter`, `public`),
SearXNG 2025.8 (`...-2025.8`), `granian`, `searx-1.1.0`, or SearXNG behind `nginx`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from llamachat.searxng.reply import Reply

DATA = Path(__file__).resolve().parent.parent / "data" / "searxng"


@dataclass(frozen=True)
class Recorded:
    """A reply with its expectation: either a cause with words of the sentence, or a number of results."""

    name: str
    reply: Reply
    cause: str
    words: tuple[str, ...]
    results: int
    first: tuple[str, ...]
    engines: tuple[tuple[str, str], ...] | None


def load_recorded() -> list[Recorded]:
    """All of them."""
    lines = (DATA / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    return [_recorded(json.loads(line)) for line in lines]


def _recorded(row: dict[str, object]) -> Recorded:
    expect, headers = row["expect"], row["headers"]
    assert isinstance(expect, dict)
    assert isinstance(headers, dict)
    status, body = row["status"], row["body"]
    assert isinstance(status, int)
    engines = expect.get("engines")
    return Recorded(
        name=str(row["name"]),
        reply=Reply(status, headers, str(body).encode()),
        cause=expect.get("cause", ""),
        words=tuple(expect.get("words", ())),
        results=expect.get("results", 0),
        first=tuple(expect.get("first", ())),
        engines=None if engines is None else tuple((name, reason) for name, reason in engines),
    )

"""What the program adds to a search, beside the time of the server, and what an answer from memory costs."""

from __future__ import annotations

import argparse
import http.client
import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.egress import NoEgressLog
from llamachat.search import SearxngSettings
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.providers.searxng import SearxngProvider
from llamachat.websearch.service import SearchManners, WebSearch
from tests.bench.figures import Bar, Figure, percentile, spread
from tests.fakes.replay import answer, replay

ADDED_MS, REMEMBERED_MS = 10.0, 1.0


def main(arguments: list[str]) -> None:
    """Measure and print; exit code 1 where a bar is not met."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench search")
    parser.add_argument("--searches", type=int, default=200)
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as folder,
        replay(answer(200, {"Content-Type": "application/json"}, _body())) as at,
    ):
        figure = measured(at.url, Path(folder) / "search.json", options.searches)
    sys.stdout.write(json.dumps(figure.as_json(), indent=1) + "\n")
    sys.exit(any(bar.value > bar.at_most for bar in figure.bars))


def measured(url: str, guard_file: Path, searches: int) -> Figure:
    """Bare requests, searches that are sent, and searches that memory answers, in turn."""
    clock = SystemClock()
    guard = Guard(GuardLimits(burst=10 * searches), guard_file, clock=clock)
    search = WebSearch(
        SearxngProvider(SearxngSettings(url), log=NoEgressLog(), clock=clock), SearchManners(guard), clock=clock
    )
    bare, sent, remembered = [], [], []
    for number in range(searches):
        query = f"copper heron number {number}"
        bare.append(_ms(partial(_bare, url)))
        sent.append(_ms(partial(search.find, query, CancelToken())))
        remembered.append(_ms(partial(search.find, query, CancelToken())))
    added = percentile(sent, 95) - percentile(bare, 50)
    return Figure(
        [
            Bar(
                "ms that the program adds to a search, p95 over the median of a bare request", added, ADDED_MS, "wall"
            ),
            Bar("ms of an answer from memory, p95", percentile(remembered, 95), REMEMBERED_MS, "wall"),
        ],
        {"bare": spread(bare), "sent": spread(sent), "remembered": spread(remembered)},
    )


def _body() -> bytes:
    """Twenty results, as a SearXNG gives them."""
    results = [
        {
            "url": f"https://site{number}.example/page?id={number}",
            "title": f"The <b>copper</b> heron, part {number}",
            "content": "A bird of the inner harbour, of about 900 grams. " * 8,
            "engine": "local",
            "engines": ["local", "other"],
            "positions": [number],
            "score": 1 / (number + 1),
            "category": "general",
            "publishedDate": None,
        }
        for number in range(20)
    ]
    return json.dumps({"query": "q", "results": results, "answers": [], "unresponsive_engines": []}).encode()


def _bare(url: str) -> None:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    connection.request("POST", "/search", body=b"q=x&format=json")
    connection.getresponse().read()
    connection.close()


def _ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000

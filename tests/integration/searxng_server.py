"""The real SearXNG of a test run: started once, before the first test that asks for it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

_ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Searxng:
    """A running SearXNG. `url` is what goes into search_url; the web behind it is `tests/fakes/searxng_world.py`."""

    url: str
    world: str

    def asked(self) -> list[tuple[str, str, str]]:
        """(service, query, language) of everything SearXNG's engines were asked so far, also by other tests."""
        with httpx.Client(trust_env=False) as client:
            rows: list[list[str]] = client.get(f"{self.world}/asked").json()
        return [(service, query, language) for service, query, language in rows]

    def searches(self, query: str) -> int:
        """How often the engine `pages` was asked for exactly this query."""
        return sum((service, words) == ("pages", query) for service, words, _ in self.asked())


@contextmanager
def start_searxng(*flags: str) -> Iterator[Searxng]:
    """Run one with flags of `tests.fakes.searxng`. The first run ever installs it, which takes half a minute."""
    command = [sys.executable, "-m", "tests.fakes.searxng", "--port", "0", *flags]
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        words: list[bytes] = []
        while words[:1] != [b"READY"]:  # the web framework has a banner of its own
            line = process.stdout.readline()
            if not line:
                log.seek(0)
                pytest.fail("SearXNG did not start:\n" + log.read().decode(errors="replace")[-3000:])
            words = line.split()
        try:
            yield Searxng(url=words[1].decode(), world=words[2].decode())
        finally:
            process.stdin.close()  # that ends it
            process.wait(10)


@pytest.fixture(scope="session")
def searxng() -> Iterator[Searxng]:
    """One for the whole run, with JSON on."""
    with start_searxng() as server:
        yield server

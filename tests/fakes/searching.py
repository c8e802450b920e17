"""The program's search through a SearXNG, and an EgressLog that keeps what it was told."""

from __future__ import annotations

from pathlib import Path

from llamachat.core.clock import SystemClock
from llamachat.core.egress import Egress
from llamachat.core.seams import Clock, EgressLog
from llamachat.search import SearxngSettings
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.provider import Provider
from llamachat.websearch.providers.searxng import SearxngProvider
from llamachat.websearch.service import SearchManners, WebSearch

NO_FILE = Path(__file__) / "none"  # a guard with this file keeps to itself, and no other one knows of it


class KeptEgress:
    """Keeps every row."""

    def __init__(self) -> None:
        self.rows: list[Egress] = []

    def record(self, egress: Egress) -> None:
        """Keep it."""
        self.rows.append(egress)


def searxng_search(url: str, *, clock: Clock | None = None, log: EgressLog | None = None) -> WebSearch:
    """A search through the SearXNG at this address. `clock` is that of the records."""
    provider = SearxngProvider(SearxngSettings(url), log=log or KeptEgress(), clock=SystemClock())
    return search_through(provider, clock=clock)


def search_through(provider: Provider, *, clock: Clock | None = None) -> WebSearch:
    """A search through a provider."""
    clock = clock or SystemClock()
    guard = Guard(GuardLimits(burst=10_000), NO_FILE, clock=clock)
    return WebSearch(provider, SearchManners(guard, fresh=True), clock=clock)

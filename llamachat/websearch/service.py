"""From a query to the record of its search: what the conversation sees of the web search."""

from __future__ import annotations

from dataclasses import dataclass

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.search_record import SearchRecord
from llamachat.core.seams import Clock


@dataclass(frozen=True, slots=True)
class SearxngSettings:
    """The search keys of the settings, as plain values."""

    url: str
    count: int = 5
    snippet_chars: int = 300
    timeout_s: float = 10.0
    language: str = ""
    categories: str = ""
    ca_file: str = ""


class WebSearch:
    """Searches through SearXNG: the program's SearchService."""

    def __init__(self, settings: SearxngSettings, *, clock: Clock | None = None) -> None:
        self._settings = settings
        self._clock = clock or SystemClock()

    @property
    def provider(self) -> str:
        """The provider's name for people."""
        return "SearXNG"

    def search(self, query: str, cancel: CancelToken) -> SearchRecord:
        """Search once; a failure is a record with `error` and `cause`. Raises Cancelled only."""
        return SearchRecord(query=query)

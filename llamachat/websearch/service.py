"""From a query to the record of its search: what the conversation sees of the web search."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchError
from llamachat.core.events import Phase
from llamachat.core.seams import Clock
from llamachat.core.search_record import SearchRecord
from llamachat.search import SearchAnswer, SearxngSettings, plain_query, search_searxng

__all__ = ["SearxngSettings", "WebSearch"]


class WebSearch:
    """Searches through SearXNG: the program's SearchService."""

    def __init__(self, settings: SearxngSettings, *, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    @property
    def provider(self) -> str:
        """The provider's name for people."""
        return "SearXNG"

    def search(self, queries: Sequence[str], cancel: CancelToken) -> Generator[Phase, None, list[SearchRecord]]:
        """Search for each; a failure is a record with `error` and `cause`. Raises Cancelled only."""
        yield from ()
        return [self.find(query, cancel) for query in queries]

    def find(self, query: str, cancel: CancelToken) -> SearchRecord:
        """Search once, with nothing to tell meanwhile."""
        started = self._clock.monotonic()
        error, cause = "", ""
        try:
            answer = search_searxng(query, self._settings, cancel=cancel)
        except SearchError as failed:
            answer = SearchAnswer((), failed.engines, plain_query(query))
            error, cause = str(failed), failed.cause.value
        return SearchRecord(
            query=query,
            results=answer.results,
            error=error,
            cause=cause,
            asked="" if answer.asked == query else answer.asked,
            provider=self.provider,
            engines=answer.engines,
            seconds=self._clock.monotonic() - started,
        )

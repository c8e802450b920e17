"""From a query to the record of its search: what the conversation sees of the web search."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchError
from llamachat.core.events import Phase
from llamachat.core.seams import Clock
from llamachat.core.search_record import SearchRecord
from llamachat.search import plain_query
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.provider import Provider
from llamachat.websearch.search_many import search_many


class WebSearch:
    """Searches through a provider: the program's SearchService."""

    def __init__(self, provider: Provider, *, clock: Clock) -> None:
        self._provider = provider
        self._clock = clock

    @property
    def provider(self) -> str:
        """The provider's name for people."""
        return self._provider.name

    def search(self, queries: Sequence[str], cancel: CancelToken) -> Generator[Phase, None, list[SearchRecord]]:
        """Search for each; a failure is a record with `error` and `cause`. Raises Cancelled only."""
        yield from ()
        return search_many(queries, self.find, cancel=cancel)

    def find(self, query: str, cancel: CancelToken) -> SearchRecord:
        """Search once, with nothing to tell meanwhile."""
        started = self._clock.monotonic()
        error, cause = "", ""
        try:
            answer = self._provider.search(query, cancel)
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

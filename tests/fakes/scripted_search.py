"""A SearchService that answers from a dict and keeps the queries it got."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchCause
from llamachat.core.events import Phase
from llamachat.core.search_record import SearchRecord, SearchResult


class ScriptedSearch:
    """Finds two results for every query, but nothing for "nothing" and an error for "broken"."""

    provider = "SearXNG"

    def __init__(self, *, before: Callable[[], None] = lambda: None) -> None:
        self.queries: list[str] = []
        self.fresh: list[bool] = []  # what each call was told
        self._before = before

    def search(
        self, queries: Sequence[str], cancel: CancelToken, *, fresh: bool = False
    ) -> Generator[Phase, None, list[SearchRecord]]:
        """Search for each."""
        self.fresh.append(fresh)
        yield from ()
        return [self.find(query, cancel) for query in queries]

    def find(self, query: str, cancel: CancelToken) -> SearchRecord:
        """Search once."""
        self.queries.append(query)
        self._before()
        cancel.raise_if_cancelled()
        if query == "broken":
            error = "SearXNG is not reachable."
            return SearchRecord(query=query, error=error, cause=SearchCause.UNREACHABLE, provider=self.provider)
        results = () if query == "nothing" else tuple(found(query, number) for number in (1, 2))
        return SearchRecord(query=query, results=results, provider=self.provider, seconds=0.5)


def found(query: str, number: int) -> SearchResult:
    """What it finds."""
    return SearchResult(
        f"{query} {number}", f"http://site{number}.example/{query.replace(' ', '-')}", f"About {query}."
    )

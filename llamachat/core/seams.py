"""Protocols between the rooms: what one needs, and another (or a test) gives."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Protocol

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, Delta
from llamachat.core.egress import Egress
from llamachat.core.events import Phase
from llamachat.core.raw_page import PageText, RawPage
from llamachat.core.search_record import SearchRecord


class Completer(Protocol):
    """Runs chat completions on a model server."""

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Iterator[Delta]:
        """Yield the deltas of one answer; raises ServerError, or Cancelled once the token is set.

        A normal end has yielded a FinishDelta. Closing the iterator hangs up.
        """
        ...


class SearchService(Protocol):
    """Runs web searches; never raises but Cancelled: a failure is a record with `error` and `cause`."""

    @property
    def provider(self) -> str:
        """The provider's name for people, such as "SearXNG"."""
        ...

    def search(
        self, queries: Sequence[str], cancel: CancelToken, *, fresh: bool = False
    ) -> Generator[Phase, None, Sequence[SearchRecord]]:
        """Search for each of the queries, which differ; return their records in order, with `query` as given.

        fresh: nothing from memory.
        """
        ...


class EgressLog(Protocol):
    """Takes down what leaves for anything but the model server."""

    def record(self, egress: Egress) -> None:
        """Take one request down, from any thread; never raises."""
        ...


class PageExtractor(Protocol):
    """Finds the main text in the bytes of a page."""

    def extract(self, page: RawPage, cancel: CancelToken) -> PageText:
        """The text, at most MAX_PAGE_CHARS of it; raises PageError, or Cancelled once the token is set."""
        ...


class Secrets(Protocol):
    """The keys of search providers."""

    def get(self, name: str) -> str:
        """The key of the provider with this id, "" where there is none. May ask the system, and block."""
        ...


class Consent(Protocol):
    """Asks the user before a query goes out."""

    def ask(
        self, query: str, *, provider: str, host: str, cancel: CancelToken, chat_id: int | None = None
    ) -> str | None:
        """The query to send, perhaps edited; None where it was refused. Blocks; raises Cancelled on Stop.

        chat_id: the chat that wants to search; None where it is none.
        """
        ...


class Clock(Protocol):
    """Time, so that tests can give their own."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that only run forward."""
        ...

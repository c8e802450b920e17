"""From a query to the record of its search: what the conversation sees of the web search."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.events import Phase, PhaseName
from llamachat.core.seams import Clock, Consent
from llamachat.core.search_record import SearchRecord
from llamachat.core.text import tr
from llamachat.search import plain_query
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.guard import Guard, Guarded
from llamachat.websearch.provider import Provider
from llamachat.websearch.reader import PageReader, read_pages
from llamachat.websearch.remembered_pages import RememberedPages
from llamachat.websearch.search_many import search_many

Confirm: TypeAlias = Literal["never", "always", "cloud"]


@dataclass(frozen=True, slots=True)
class PageReading:
    """The pages of a search: how many are read, the characters of all together, and of each (0: no limit)."""

    reader: PageReader
    count: int
    limit_chars: int
    page_limit: int


@dataclass(frozen=True, slots=True)
class SearchManners:
    """How searches are made, whoever the provider is.

    scope: what an answer depends on beside the query and the provider. confirm: when `consent` is asked before a
    query goes out; "cloud": where it goes to a third party. pages: None reads none. fresh: nothing from memory.
    chat_id: the chat that searches.
    """

    guard: Guard
    scope: Hashable = ()
    confirm: Confirm = "cloud"
    consent: Consent | None = None
    pages: PageReading | None = None
    fresh: bool = False
    chat_id: int | None = None


class WebSearch:
    """Searches through a provider, behind the guard: the program's SearchService."""

    def __init__(self, provider: Provider, manners: SearchManners, *, clock: Clock) -> None:
        self._provider, self._manners, self._clock = provider, manners, clock

    @property
    def provider(self) -> str:
        """The provider's name for people."""
        return self._provider.name

    def search(
        self, queries: Sequence[str], cancel: CancelToken, *, fresh: bool = False
    ) -> Generator[Phase, None, list[SearchRecord]]:
        """Search for each, then read pages; a failure is a record with `error` and `cause`. Raises Cancelled only.

        fresh: nothing from memory.
        """
        fresh = fresh or self._manners.fresh
        allowed: dict[str, str | None] = {}
        for query in queries:
            if self._must_ask(query, fresh=fresh):
                yield Phase(PhaseName.CONSENT)
                allowed[query] = self._ask(query, cancel)
            else:
                allowed[query] = query
        records = search_many(
            queries, lambda query, token: self._find(query, allowed[query], token, fresh=fresh), cancel=cancel
        )
        for number, record in enumerate(records):
            records[number] = yield from self._with_pages(record, cancel)
        return records

    def find(
        self,
        query: str,
        cancel: CancelToken,
        *,
        told: Callable[[Phase], object] = lambda _: None,
        fresh: bool = False,
    ) -> SearchRecord:
        """Search once; `told` hears what goes on. fresh: nothing from memory."""
        searching = self.search([query], cancel, fresh=fresh)
        while True:
            try:
                told(next(searching))
            except StopIteration as end:
                record: SearchRecord = end.value[0]
                return record

    # One search

    def _find(self, query: str, allowed: str | None, cancel: CancelToken, *, fresh: bool) -> SearchRecord:
        started, now = self._clock.monotonic(), self._clock.now()
        record = SearchRecord(query=query, provider=self.provider, at=now)
        try:
            found = self._guarded(allowed, cancel, fresh=fresh)
        except SearchError as failed:
            asked = plain_query(query if allowed is None else allowed)
            record = replace(record, error=str(failed), cause=failed.cause.value, engines=failed.engines, asked=asked)
        else:
            record = replace(
                record,
                results=found.answer.results,
                engines=found.answer.engines,
                asked=found.answer.asked,
                cached_age_s=found.age_s,
                at=now - (found.age_s or 0.0),
            )
        asked = "" if record.asked == query else record.asked
        return replace(record, asked=asked, seconds=self._clock.monotonic() - started)

    def _guarded(self, query: str | None, cancel: CancelToken, *, fresh: bool) -> Guarded:
        if query is None:
            raise SearchError(
                tr("You did not let this search go out."), tr("Answer without it."), cause=SearchCause.DECLINED
            )
        if self._provider.configured():  # it will say what is missing; nothing goes out
            return Guarded(self._ask_provider(query, cancel))
        return self._manners.guard.search(
            query,
            lambda: self._ask_provider(query, cancel),
            provider=self._provider.id,
            scope=self._manners.scope,
            fresh=fresh,
        )

    def _ask_provider(self, query: str, cancel: CancelToken) -> SearchAnswer:
        cancel.raise_if_cancelled()
        return self._provider.search(query, cancel)

    # The user's word

    def _must_ask(self, query: str, *, fresh: bool) -> bool:
        """Whether the user is asked: only about what would go out."""
        manners = self._manners
        wanted = manners.confirm == "always" or (manners.confirm == "cloud" and self._provider.is_cloud)
        if not wanted or manners.consent is None or self._provider.configured():
            return False
        if not fresh and manners.guard.knows(query, provider=self._provider.id, scope=manners.scope):
            return False
        return manners.guard.refusal(self._provider.id) is None

    def _ask(self, query: str, cancel: CancelToken) -> str | None:
        consent, chat_id = self._manners.consent, self._manners.chat_id
        assert consent is not None
        return consent.ask(query, provider=self.provider, host=self._provider.host, cancel=cancel, chat_id=chat_id)

    # Pages

    def _with_pages(self, record: SearchRecord, cancel: CancelToken) -> Generator[Phase, None, SearchRecord]:
        pages = self._manners.pages
        if pages is None or not pages.count or not record.results:
            return record
        started = self._clock.monotonic()
        results = yield from read_pages(
            record.results,
            count=pages.count,
            limit_chars=pages.limit_chars,
            page_limit=pages.page_limit,
            reader=self._remembered(pages.reader, record),
            cancel=cancel,
        )
        return replace(record, results=results, seconds=record.seconds + self._clock.monotonic() - started)

    def _remembered(self, reader: PageReader, record: SearchRecord) -> RememberedPages:
        """The reader; for an answer from memory, the pages that were read for it come from there too."""
        guard = self._manners.guard
        after = None if record.cached_age_s is None else guard.oldest
        return RememberedPages(reader, guard.memory, scope=reader.settings, after=after, clock=self._clock)

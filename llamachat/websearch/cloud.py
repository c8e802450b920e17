"""A search service behind an adapter, as a provider: key, request, reply, and an error for each way to fail."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from llamachat import __version__
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchError
from llamachat.core.in_thread import in_thread
from llamachat.core.plain_text import cut_at_word
from llamachat.core.result_text import found_page
from llamachat.core.seams import Clock, EgressLog, Secrets
from llamachat.core.search_record import SearchResult
from llamachat.core.web_address import page_key
from llamachat.searxng.answer import MAX_COUNT, SearchAnswer
from llamachat.searxng.reply import Reply
from llamachat.searxng.request import plain_query
from llamachat.searxng.secrets import mask_for_key
from llamachat.web_request import Exchange, RequestFailed, Traffic, WebReply
from llamachat.websearch import sentences
from llamachat.websearch.adapter import Adapter, Found, Question
from llamachat.websearch.given_up import GivenUp
from llamachat.websearch.journaling import journaled
from llamachat.websearch.refusals import wait_named

_MAX_BYTES = 2_000_000
_LOOKING_S, _UNLOCKING_S = 2.0, 60.0
_HEADERS = {"User-Agent": f"llamachat/{__version__}", "Accept-Encoding": "gzip"}


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is wanted of a search, and how long it may take in all."""

    count: int = 5
    snippet_chars: int = 300
    timeout_s: float = 10.0


class CloudProvider:
    """Asks a service of somebody else. `address` stands in the place of the service's own.

    given_up: what is known of keys that were not accepted, shared by all that are made.
    """

    is_cloud = True
    requires_upload_warning = True

    def __init__(
        self,
        adapter: Adapter,
        extent: Extent,
        *,
        secrets: Secrets,
        log: EgressLog,
        clock: Clock,
        given_up: GivenUp,
        address: str = "",
    ) -> None:
        self._adapter, self._extent = adapter, extent
        self._secrets, self._log, self._clock, self._given_up = secrets, log, clock, given_up
        self._address = (address or adapter.address).rstrip("/")

    @property
    def id(self) -> str:
        """The value of `search_provider`."""
        return self._adapter.id

    @property
    def name(self) -> str:
        """The name for people."""
        return self._adapter.name

    @property
    def host(self) -> str:
        """Where queries end up, for people."""
        return self._adapter.host

    def configured(self) -> str:
        """ "" where it needs no key or has one, else what to do.

        A keyring that is being unlocked is not waited for: its key counts as there, and `search` waits for it.
        """
        if not self._adapter.key_variable:
            return ""
        try:
            key = in_thread(lambda: self._secrets.get(self.id), _LOOKING_S, cancel=CancelToken(), name="keyring")
        except SearchError as failed:
            return str(failed)
        except TimeoutError:
            return ""
        return "" if key else str(sentences.no_key(self._adapter))

    def search(self, query: str, cancel: CancelToken) -> SearchAnswer:
        """Search once; raises SearchError, or Cancelled as soon as the token is set."""
        cancel.raise_if_cancelled()
        words = cut_at_word(plain_query(query), self._adapter.max_chars).removesuffix("…")
        if not words:
            raise sentences.no_words()
        count = min(max(self._extent.count, 1), MAX_COUNT, self._adapter.most)
        question = Question(words, count, self._address, self._key(cancel))
        self._given_up.check(self.id, question.key)
        try:
            with journaled(self._log, self._clock, host=self._site, what="search", query=words) as traffic:
                return self._answered(question, traffic, cancel)
        except SearchError as failed:
            self._given_up.note(self.id, question.key, failed)
            raise

    @property
    def _site(self) -> str:
        return urlsplit(self._address).netloc.rpartition("@")[2]

    def _key(self, cancel: CancelToken) -> str:
        """The key, "" only where none is needed. Whoever owns the keyring may have to unlock it first."""
        if not self._adapter.key_variable:
            return ""
        try:
            key = in_thread(lambda: self._secrets.get(self.id), _UNLOCKING_S, cancel=cancel, name="keyring")
        except TimeoutError:
            raise sentences.locked_keyring(self._adapter) from None
        if not key:
            raise sentences.no_key(self._adapter)
        if not key.isascii() or not key.isprintable() or " " in key:
            raise sentences.unusable_key(self._adapter)
        return key

    def _answered(self, question: Question, traffic: Traffic, cancel: CancelToken) -> SearchAnswer:
        request = self._adapter.request(question)
        request = replace(request, headers={**_HEADERS, **request.headers})
        exchange = Exchange(self._extent.timeout_s, _MAX_BYTES, traffic=traffic)
        try:
            results = exchange.run(lambda: self._read(exchange.send(request), question), cancel=cancel)
        except RequestFailed as failed:
            raise sentences.not_answered(
                self._adapter, failed, site=self._site, timeout_s=self._extent.timeout_s
            ) from None  # what lies behind it holds the request
        return SearchAnswer(results, asked=question.words)

    def _read(self, came: WebReply, question: Question) -> tuple[SearchResult, ...]:
        """The results in a reply, or its error; within the deadline too, since it may be long."""
        reply = Reply(came.status, came.headers, came.body, mask=mask_for_key(question.key))
        refusal = self._adapter.refusal(reply)
        if refusal:
            wait_s = refusal.wait_s
            if wait_s is None:
                wait_s = wait_named(reply, refusal.words, now=self._clock.now())
            raise sentences.refused(self._adapter, refusal, site=self._site, status=reply.status, wait_s=wait_s)
        found = self._adapter.results(reply)
        if found is None:
            raise sentences.unreadable(self._adapter, status=reply.status)
        return _results(found, count=question.count, snippet_chars=self._extent.snippet_chars)


def _results(found: Iterable[Found], *, count: int, snippet_chars: int) -> tuple[SearchResult, ...]:
    """The results with an address, in order; a page that comes twice counts once."""
    pages = (found_page(item.title, item.url, item.content) for item in found)
    kept: dict[str, SearchResult] = {}
    for page in pages:
        if page is not None:
            kept.setdefault(page_key(page.url), replace(page, content=cut_at_word(page.content, snippet_chars)))
    return tuple(kept.values())[:count]

"""Reading the pages that a search found: three at a time, each with its text or the reason that it has none."""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, PageError
from llamachat.core.events import Phase, PhaseName
from llamachat.core.late import LateModule
from llamachat.core.plain_text import cut_at_word, plain_block
from llamachat.core.raw_page import PageText
from llamachat.core.seams import Clock, EgressLog, PageExtractor
from llamachat.core.search_record import SearchResult
from llamachat.core.text import tr
from llamachat.websearch.addresses import AddressError
from llamachat.websearch.budget import shares
from llamachat.websearch.page_reply import FetchLimits
from llamachat.websearch.read_page import ReadPage
from llamachat.websearch.remembered_pages import ReadsPages

if TYPE_CHECKING:
    from llamachat.websearch import page_fetch
    from llamachat.websearch.providers import jina
else:  # what opens connections is imported when pages are first read
    page_fetch = LateModule("llamachat.websearch.page_fetch")
    jina = LateModule("llamachat.websearch.providers.jina")

_log = logging.getLogger(__name__)

AT_ONCE = 3
DIRECT, JINA_FALLBACK, JINA = "direct", "jina_fallback", "jina"


@dataclass(frozen=True, slots=True)
class PageSettings:
    """How pages are read. mode: "direct", "jina_fallback" or "jina". jina_url: "" for the public one.

    off_limits: hosts of the user's own servers, which are never read.
    """

    mode: str = DIRECT
    jina_url: str = ""
    off_limits: tuple[str, ...] = ()


class PageReader:
    """Reads a page in the way that the settings say. `network` and `limits` are those of a test."""

    def __init__(
        self,
        settings: PageSettings,
        *,
        extractor: PageExtractor,
        log: EgressLog,
        clock: Clock,
        network: page_fetch.Network | None = None,
        limits: FetchLimits | None = None,
    ) -> None:
        self._settings = settings
        self._extractor = extractor
        self._log, self._clock = log, clock
        self._network, self._limits = network, limits

    @property
    def settings(self) -> PageSettings:
        """The settings that it goes by."""
        return self._settings

    @cached_property
    def _fetcher(self) -> page_fetch.PageFetcher:
        return page_fetch.PageFetcher(
            log=self._log,
            clock=self._clock,
            off_limits=self._settings.off_limits,
            network=self._network or page_fetch.Network(),
            limits=self._limits or FetchLimits(),
        )

    @cached_property
    def _jina(self) -> jina.JinaReader:
        return jina.JinaReader(self._log, self._clock, address=self._settings.jina_url)

    def read(self, url: str, cancel: CancelToken) -> ReadPage:
        """What came of the page at `url`; raises Cancelled only, at once on Stop."""
        if self._settings.mode == JINA:
            return self._through_jina(url, cancel)
        try:
            page = self._fetcher.fetch(url, cancel)
            return _read(self._extractor.extract(page, cancel), DIRECT, page.note)
        except PageError as failed:
            if self._settings.mode != JINA_FALLBACK or isinstance(failed, AddressError):
                return ReadPage(error=failed.sentence)
            direct = failed.sentence
        read = self._through_jina(url, cancel)
        return replace(read, error=f"{direct}; {read.error}") if read.error else read

    def _through_jina(self, url: str, cancel: CancelToken) -> ReadPage:
        """An address that is not of the public internet is none of a stranger's business: it is not sent."""
        try:
            self._fetcher.check(url, cancel)
        except PageError as failed:
            return ReadPage(error=failed.sentence)
        try:
            return _read(self._jina.read(url, cancel), JINA)
        except PageError as failed:
            return ReadPage(error=tr("Jina Reader: {reason}").format(reason=failed.sentence))


def read_pages(
    results: Sequence[SearchResult],
    *,
    count: int,
    limit_chars: int,
    page_limit: int,
    reader: ReadsPages,
    cancel: CancelToken,
) -> Generator[Phase, None, tuple[SearchResult, ...]]:
    """Read the first `count` pages; return all results, those with text or with a reason. Raises Cancelled only.

    limit_chars: what all pages may have together (`budget.search_budget`). page_limit: of each, 0 for no limit.
    """
    chosen = [number for number, result in enumerate(results) if result.url][:count]
    reads = yield from _read_all([results[number].url for number in chosen], reader, cancel)
    texts = shares([len(read.text) for read in reads], total=limit_chars, page_limit=page_limit)
    found = list(results)
    for number, read, chars in zip(chosen, reads, texts, strict=True):
        found[number] = _with_page(results[number], read, chars)
    return tuple(found)


def _read_all(urls: Sequence[str], reader: ReadsPages, cancel: CancelToken) -> Generator[Phase, None, list[ReadPage]]:
    """What came of each page. Whoever closes the generator hangs up as Stop does."""
    todo, done = SimpleQueue[int](), SimpleQueue[tuple[int, ReadPage] | None]()
    for number in range(len(urls)):
        todo.put(number)
    given_up = CancelToken()

    def work() -> None:
        with suppress(Empty, Cancelled):
            while True:
                number = todo.get_nowait()
                done.put((number, _attempt(reader, urls[number], given_up)))

    reads: dict[int, ReadPage] = {}
    with cancel.on_cancel(given_up.cancel), given_up.on_cancel(lambda: done.put(None)):
        try:
            for _ in range(min(AT_ONCE, len(urls))):
                threading.Thread(target=work, name="page reader", daemon=True).start()
            while len(reads) < len(urls):
                yield Phase(PhaseName.READING, done=len(reads) + 1, total=len(urls))
                item = done.get()
                if item is None:
                    raise Cancelled
                reads[item[0]] = item[1]
        finally:
            given_up.cancel()
    return [reads[number] for number in range(len(urls))]


def _attempt(reader: ReadsPages, url: str, cancel: CancelToken) -> ReadPage:
    try:
        return reader.read(url, cancel)
    except Cancelled:
        raise
    except Exception:  # noqa: BLE001  # the outermost frame of the thread; without an answer the turn would wait
        _log.exception("a page could not be read")
        return ReadPage(error=tr("reading it failed inside llamachat; the log has the details"))


def _read(page: PageText, via: str, note: str = "") -> ReadPage:
    text = plain_block(page.text)
    if not text.strip():
        return ReadPage(error=tr("there is no text in it"))
    return ReadPage(text, via, " ".join(filter(None, (note, page.note))))


def _with_page(result: SearchResult, read: ReadPage, chars: int) -> SearchResult:
    if read.error:
        return replace(result, read_error=read.error)
    if not chars:
        return replace(result, read_error=tr("the model's context has no room for it"))
    text, note = cut_at_word(read.text, chars), read.note
    if len(text) < len(read.text):
        note = f"{note} {tr('The page has {count:,}.').format(count=len(read.text))}".strip()
    return replace(
        result, content=text, snippet=result.content, read_via=read.via, read_note=note, read_chars=len(text)
    )

"""Pages on loopback that are found by their paths, a stand-in for Jina Reader, and a reader that sees both."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from llamachat.core.cancel import CancelToken
from llamachat.core.events import Phase
from llamachat.core.raw_page import PageText, RawPage
from llamachat.core.seams import PageExtractor
from llamachat.core.search_record import SearchResult
from llamachat.websearch.page_reply import FetchLimits
from llamachat.websearch.page_text import page_texts
from llamachat.websearch.reader import PageReader, PageSettings, read_pages
from tests.fakes.page_world import PageWorld
from tests.fakes.replay import Behaviour, Replay, answer, read_request, replay
from tests.fakes.still_clock import StillClock

HTML = {"Content-Type": "text/html; charset=utf-8"}
SITE = "http://pages.example"


class InThisProcess:
    """The PageExtractor seam without a process of its own."""

    def extract(self, page: RawPage, cancel: CancelToken) -> PageText:
        """The best text."""
        return list(page_texts(page))[-1]


def article(words: str) -> Behaviour:
    """A page with some words."""
    return answer(200, HTML, f"<html><nav>menu</nav><main><p>{words}</p></main></html>".encode())


def jina_page(words: str) -> Behaviour:
    """An answer of Jina Reader."""
    return answer(200, {}, json.dumps({"code": 200, "data": {"content": words}}).encode())


def found(*urls: str) -> list[SearchResult]:
    """Results at addresses, or at paths of SITE."""
    addresses = [f"{SITE}{url}" if url.startswith("/") else url for url in urls]
    return [SearchResult(f"T{number}", url, f"snippet {number}") for number, url in enumerate(addresses)]


@dataclass
class Reading:
    """What stands where, what was asked for, and what went on."""

    world: PageWorld
    jina: Replay
    asked: list[str] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)

    @property
    def sent_to_jina(self) -> list[str]:
        """The addresses that the stand-in was given."""
        return [json.loads(request.partition(b"\r\n\r\n")[2])["url"] for request in self.jina.received]

    def reader(
        self,
        mode: str = "direct",
        *,
        timeout_s: float = 20,
        off_limits: tuple[str, ...] = (),
        extractor: PageExtractor | None = None,
    ) -> PageReader:
        """A reader in this world."""
        return PageReader(
            PageSettings(mode, jina_url=self.jina.url, off_limits=off_limits),
            extractor=extractor or InThisProcess(),
            log=self.world,
            clock=StillClock(),
            network=self.world.network(),
            limits=FetchLimits(timeout_s=timeout_s),
        )

    def read(
        self,
        *urls: str,
        mode: str = "direct",
        count: int = 5,
        limit_chars: int = 100_000,
        page_limit: int = 5000,
        timeout_s: float = 20,
        extractor: PageExtractor | None = None,
    ) -> tuple[SearchResult, ...]:
        """The results at these addresses or paths, read."""
        steps = read_pages(
            found(*urls),
            count=count,
            limit_chars=limit_chars,
            page_limit=page_limit,
            reader=self.reader(mode, timeout_s=timeout_s, extractor=extractor),
            cancel=CancelToken(),
        )
        while True:
            try:
                self.phases.append(next(steps))
            except StopIteration as end:
                results: tuple[SearchResult, ...] = end.value
                return results


@contextmanager
def reading(
    pages: Mapping[str, Behaviour],
    *,
    jina: Behaviour | None = None,
    names: Mapping[str, list[list[str]]] | None = None,
    patient: bool = False,
) -> Iterator[Reading]:
    """Serve pages by their paths, and a stand-in for Jina that answers everything in one way."""
    asked: list[str] = []

    def behave(connection: socket.socket, closing: threading.Event) -> None:
        path = read_request(connection).split(b" ")[1].decode()
        asked.append(path)
        pages[path](connection, closing)

    with (
        replay(behave, read_first=False, patient=patient) as server,
        replay(jina or jina_page("from Jina"), patient=patient) as reader_service,
    ):
        yield Reading(PageWorld(server.url, names), reader_service, asked)

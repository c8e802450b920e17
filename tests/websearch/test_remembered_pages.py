"""A search that is answered from memory asks nobody for its pages either, within the same time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled
from llamachat.core.search_record import SearchRecord
from llamachat.search import SearxngSettings
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.providers.searxng import SearxngProvider
from llamachat.websearch.read_page import ReadPage
from llamachat.websearch.remembered_pages import RememberedPages
from llamachat.websearch.search_memory import MOST_PAGE_CHARS, SearchMemory
from llamachat.websearch.service import PageReading, SearchManners, WebSearch
from tests.fakes.replay import Replay, answer, replay
from tests.fakes.searching import NO_FILE, KeptEgress
from tests.fakes.still_clock import StillClock
from tests.websearch.reading_world import SITE, Reading, article, reading
from tests.websearch.test_service_pages import found


class Searching:
    """Searches in one world, by one guard; a SearXNG that finds these paths."""

    def __init__(self, world: Reading, searxng: Replay) -> None:
        self.clock = StillClock()
        self.world = world
        self.log = KeptEgress()
        self.provider = SearxngProvider(SearxngSettings(searxng.url), log=self.log, clock=self.clock)
        self.guard = Guard(GuardLimits(burst=100, cache_s=900), NO_FILE, clock=self.clock)

    def search(
        self, query: str = "tides", *, fresh: bool = False, mode: str = "direct", limit: int = 5000
    ) -> SearchRecord:
        """The record of a search."""
        pages = PageReading(self.world.reader(mode), count=2, limit_chars=10_000, page_limit=limit)
        manners = SearchManners(self.guard, pages=pages)
        return WebSearch(self.provider, manners, clock=self.clock).find(query, CancelToken(), fresh=fresh)


def test_pages_of_an_answer_from_memory_are_not_fetched_again() -> None:
    pages = {"/a": article("Words of a."), "/b": article("Words of b.")}
    with reading(pages) as world, replay(found("/a", "/b", "/c")) as searxng:
        searching = Searching(world, searxng)
        first = searching.search()
        searching.clock.move(899)
        again = searching.search()
        assert sorted(world.asked) == ["/a", "/b"]
        assert len(searching.log.rows) == 1
    assert again.cached_age_s == 899
    assert [result.content for result in again.results] == ["Words of a.", "Words of b.", "said of /c"]
    assert again.results == first.results


def test_with_the_answer_its_pages_are_forgotten() -> None:
    with reading({"/a": article("Words.")}) as world, replay(found("/a"), found("/a")) as searxng:
        searching = Searching(world, searxng)
        searching.search()
        searching.clock.move(900)
        assert searching.search().cached_age_s is None
        assert world.asked == ["/a", "/a"]


def test_a_new_or_a_fresh_search_reads_them_anew() -> None:
    with reading({"/a": article("Words.")}) as world, replay(found("/a"), found("/a"), found("/a")) as searxng:
        searching = Searching(world, searxng)
        searching.search("tides")
        searching.search("moon")
        searching.search("tides", fresh=True)
        assert world.asked == ["/a"] * 3


def test_what_could_not_be_read_is_tried_again() -> None:
    pages = {"/a": answer(500, {}, b""), "/b": article("Words of b.")}
    with reading(pages) as world, replay(found("/a", "/b")) as searxng:
        searching = Searching(world, searxng)
        assert searching.search().results[0].read_error
        pages["/a"] = article("Words of a.")
        assert searching.search().results[0].content == "Words of a."
        assert sorted(world.asked) == ["/a", "/a", "/b"]


def test_a_page_read_in_another_way_is_another_text_and_the_limits_are_those_of_now() -> None:
    with reading({"/a": article("Many words of a page.")}) as world, replay(found("/a")) as searxng:
        searching = Searching(world, searxng)
        assert searching.search().results[0].content == "Many words of a page."
        assert searching.search(limit=11).results[0].content == "Many words…"
        assert searching.search(mode="jina").results[0].content == "from Jina"
        assert world.asked == ["/a"]


class Counting:
    """Reads every page in the same way."""

    def __init__(self, page: ReadPage) -> None:
        self.page = page
        self.read_urls: list[str] = []

    def read(self, url: str, cancel: CancelToken) -> ReadPage:
        """Count and give the page."""
        self.read_urls.append(url)
        return self.page


def test_the_pages_remembered_have_a_bound_and_the_oldest_go_first() -> None:
    memory, clock = SearchMemory(), StillClock()
    counting = Counting(ReadPage("x" * (MOST_PAGE_CHARS // 3)))
    reader = RememberedPages(counting, memory, scope=(), after=0.0, clock=clock)
    for url in ("a", "b", "c", "c", "d", "b", "a"):
        reader.read(url, CancelToken())
    assert counting.read_urls == ["a", "b", "c", "d", "a"]
    counting.page = replace(counting.page, text="x" * (MOST_PAGE_CHARS + 1))
    assert reader.read("e", CancelToken()) is counting.page
    assert memory.page(((), "e"), after=0.0) is None


def test_stop_counts_for_what_is_remembered_too() -> None:
    memory, cancel = SearchMemory(), CancelToken()
    memory.keep_page(((), SITE), ReadPage("Words."), at=1.0)
    cancel.cancel()
    reader = RememberedPages(Counting(ReadPage()), memory, scope=(), after=0.0, clock=StillClock())
    with pytest.raises(Cancelled):
        reader.read(SITE, cancel)

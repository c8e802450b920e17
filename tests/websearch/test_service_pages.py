"""A search that reads pages: the record has their text for the model, and searches that failed have none to read."""

from __future__ import annotations

import json

from llamachat.chat.router_prompts import results_block
from llamachat.chat.web_search_tool import tool_text
from llamachat.core.cancel import CancelToken
from llamachat.core.events import Phase, PhaseName
from llamachat.core.search_record import SearchRecord
from llamachat.search import SearxngSettings
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.providers.searxng import SearxngProvider
from llamachat.websearch.service import PageReading, SearchManners, WebSearch
from tests.fakes.replay import Behaviour, answer, replay
from tests.fakes.searching import NO_FILE, KeptEgress
from tests.fakes.still_clock import StillClock
from tests.websearch.reading_world import SITE, Reading, article, reading


def found(*paths: str) -> Behaviour:
    """A SearXNG that finds these pages."""
    results = [{"url": f"{SITE}{path}", "title": "T", "content": f"said of {path}"} for path in paths]
    return answer(200, {}, json.dumps({"results": results}).encode())


def search(world: Reading, searxng: str, *queries: str) -> tuple[list[SearchRecord], list[Phase]]:
    """The records of these searches, and what went on."""
    provider = SearxngProvider(SearxngSettings(searxng), log=KeptEgress(), clock=StillClock())
    pages = PageReading(world.reader(), count=2, limit_chars=10_000, page_limit=5000)
    guard = Guard(GuardLimits(burst=100), NO_FILE, clock=StillClock())
    steps = WebSearch(provider, SearchManners(guard, pages=pages), clock=StillClock()).search(queries, CancelToken())
    phases = []
    while True:
        try:
            phases.append(next(steps))
        except StopIteration as end:
            records: list[SearchRecord] = end.value
            return records, phases


def test_the_text_of_pages_stands_in_the_place_of_snippets() -> None:
    pages = {"/a": article("Words of a."), "/b": article("Words of b.")}
    with reading(pages) as world, replay(found("/a", "/b", "/c")) as searxng:
        (record,), phases = search(world, searxng.url, "tides")
    assert phases == [Phase(PhaseName.READING, done=1, total=2), Phase(PhaseName.READING, done=2, total=2)]
    assert json.loads(tool_text(record).partition("\n")[2])["results"] == [
        {"title": "T", "url": f"{SITE}/a", "content": "Words of a."},
        {"title": "T", "url": f"{SITE}/b", "content": "Words of b."},
        {"title": "T", "url": f"{SITE}/c", "content": "said of /c"},
    ]


def test_the_model_learns_which_page_could_not_be_read() -> None:
    with reading({"/a": answer(404, {}, b"")}) as world, replay(found("/a")) as searxng:
        (record,), _ = search(world, searxng.url, "tides")
    told = "said of /a [The page could not be read: the page is not there any more (404)]"
    assert json.loads(tool_text(record).partition("\n")[2])["results"][0]["content"] == told
    assert told in results_block(record)


def test_a_search_that_failed_or_found_nothing_reads_nothing() -> None:
    for behaviour in (found(), answer(500, {}, b"")):
        with reading({}) as world, replay(behaviour) as searxng:
            (record,), phases = search(world, searxng.url, "tides")
            assert (record.results, phases, world.asked) == ((), [], [])


def test_pages_of_several_searches_are_read_for_each() -> None:
    pages = {path: article(f"Words of {path}.") for path in ("/a", "/b")}
    with reading(pages) as world, replay(found("/a"), found("/b")) as searxng:
        records, phases = search(world, searxng.url, "tides", "moon")
    texts = {result.content for record in records for result in record.results}
    assert texts == {"Words of /a.", "Words of /b."}
    assert phases == [Phase(PhaseName.READING, done=1, total=1)] * 2

"""Pages of results: each has its text or its reason, by whom it was to be read, and within the room there is."""

from __future__ import annotations

import json

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.events import Phase, PhaseName
from llamachat.core.search_record import (
    STORED_PAGE_CHARS,
    SearchRecord,
    SearchResult,
    record_from_json,
    record_to_json,
)
from llamachat.websearch.budget import search_budget
from tests.fakes.page_world import PUBLIC
from tests.fakes.replay import answer, stall
from tests.websearch.reading_world import HTML, SITE, article, reading

GONE = answer(404, HTML, b"gone")
BROKEN = answer(500, {}, b"{}")


@pytest.mark.claim("ST-017", "ST-020")
def test_the_first_pages_are_read_by_this_program_alone() -> None:
    with reading({f"/{n}": article(f"Words of page {n}.") for n in range(5)}) as world:
        results = world.read(*(f"/{n}" for n in range(5)), count=2)
        assert sorted(world.asked) == ["/0", "/1"]
        assert world.sent_to_jina == []
    assert [result.content for result in results] == [
        "Words of page 0.", "Words of page 1.", "snippet 2", "snippet 3", "snippet 4"
    ]  # fmt: skip
    assert [result.read_via for result in results] == ["direct", "direct", "", "", ""]
    assert results[0].snippet == "snippet 0"
    assert results[0].read_chars == len("Words of page 0.")
    assert world.phases == [Phase(PhaseName.READING, done=n, total=2) for n in (1, 2)]
    assert {row.host for row in world.world.journal} == {"pages.example"}


def test_results_without_an_address_have_no_page() -> None:
    with reading({"/a": article("Words.")}) as world:
        results = world.read("", "/a", count=1)
    assert [result.content for result in results] == ["snippet 0", "Words."]
    assert results[0] == SearchResult("T0", "", "snippet 0")


def test_nothing_to_read() -> None:
    with reading({}) as world:
        assert world.read() == ()
        assert world.read("/a", count=0) == (SearchResult("T0", f"{SITE}/a", "snippet 0"),)
        assert (world.asked, world.phases) == ([], [])


@pytest.mark.claim("ST-036")
def test_each_page_that_cannot_be_read_says_why() -> None:
    pages = {
        "/good": article("Words."),
        "/image": answer(200, {"Content-Type": "image/png"}, b"\x89PNG"),
        "/gone": GONE,
        "/slow": stall(),
        "/empty": answer(200, HTML, b"<html></html>"),
    }
    with reading(pages) as world:
        results = world.read(*pages, timeout_s=0.5)
    assert [(result.content, result.read_error) for result in results] == [
        ("Words.", ""),
        ("snippet 1", "it is no text (image/png)"),
        ("snippet 2", "the page is not there any more (404)"),
        ("snippet 3", "no whole answer within 0.5 s"),
        ("snippet 4", "there is no text in it; it may be made by scripts"),
    ]
    assert not [result for result in results if result.read_error and (result.read_via or result.read_chars)]


@pytest.mark.claim("ST-021", "ST-023")
def test_as_a_fallback_jina_reads_what_failed_and_nothing_else() -> None:
    with reading({"/good": article("Words."), "/gone": GONE}) as world:
        results = world.read("/good", "/gone", mode="jina_fallback")
        assert world.sent_to_jina == [f"{SITE}/gone"]
        assert b"authorization" not in world.jina.received[0].lower()
    assert [(result.content, result.read_via) for result in results] == [("Words.", "direct"), ("from Jina", "jina")]


@pytest.mark.claim("ST-022", "ST-023")
def test_jina_can_read_every_page() -> None:
    with reading({}) as world:
        results = world.read("/a", "/b", mode="jina")
        assert sorted(world.sent_to_jina) == [f"{SITE}/a", f"{SITE}/b"]
        assert (world.asked, world.world.dialled) == ([], [])
    assert {(result.content, result.read_via) for result in results} == {("from Jina", "jina")}
    assert {row.host for row in world.world.journal} == {"127.0.0.1"}


@pytest.mark.claim("ST-024")
def test_when_both_fail_one_reason_has_both() -> None:
    with reading({"/gone": GONE}, jina=BROKEN) as world:
        (result,) = world.read("/gone", mode="jina_fallback")
    assert result.read_error == ("the page is not there any more (404); Jina Reader: it answered with the error 500")
    assert result.content == "snippet 0"


@pytest.mark.claim("ST-057")
def test_a_stored_result_has_the_keys_of_what_became_of_its_page() -> None:
    found: tuple[SearchResult, ...] = ()
    with reading({"/good": article("Words."), "/gone": GONE}) as world:
        found += world.read("/good", "/gone") + world.read("/gone", mode="jina_fallback")
    with reading({"/gone": GONE}, jina=BROKEN) as world:
        found += world.read("/gone", mode="jina_fallback")
    record = SearchRecord("q", found)
    rows = json.loads(record_to_json(record))["results"]
    read = {"title", "url", "content", "read_via", "read_chars", "snippet"}
    failed = {"title", "url", "content", "read_error"}
    assert [set(row) for row in rows] == [read, failed, read, failed]
    assert [row.get("read_via") for row in rows] == ["direct", None, "jina", None]
    assert record_from_json(record_to_json(record)) == record


@pytest.mark.parametrize("mode", ["direct", "jina_fallback", "jina"])
@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://printer/", "http://me:pw@pages.example/", "http://home.example/", "file:///etc/x",
     "http://pages.example:8080/", "http://own.example/"],
)  # fmt: skip
def test_what_is_not_public_is_nobody_elses_business(url: str, mode: str) -> None:
    with reading({}, names={"home.example": [["192.168.1.1"]]}) as world:
        reader = world.reader(mode, off_limits=("own.example",))
        read = reader.read(url, CancelToken())
        assert (world.sent_to_jina, world.asked, world.world.dialled) == ([], [], [])
    assert read.error.startswith("address not allowed: ")


def test_a_page_that_sends_on_home_is_not_asked_for_through_jina() -> None:
    home = answer(302, {"Location": "http://127.0.0.1/"}, b"")
    with reading({"/home": home}) as world:
        (result,) = world.read("/home", mode="jina_fallback")
        assert world.sent_to_jina == []
        assert world.world.dialled == [(PUBLIC, 80)]
    assert result.read_error == "address not allowed: 127.0.0.1 is not on the public internet"


@pytest.mark.claim("ST-019")
def test_a_long_page_is_cut_to_its_limit_or_to_the_budget() -> None:
    with reading({"/long": article("word " * 8000)}) as world:
        (limited,) = world.read("/long")
        budget = search_budget(16_384, pages=1, page_limit=0)
        (lifted,) = world.read("/long", page_limit=0, limit_chars=budget)
    assert 4990 < len(limited.content) <= 5000
    assert limited.read_note == "The page has 39,999."
    assert budget - 10 < len(lifted.content) <= budget == 12_288


def test_pages_share_the_room_and_what_has_none_says_so() -> None:
    with reading({"/a": article("word " * 400), "/b": article("word " * 400), "/c": article("few")}) as world:
        results = world.read("/a", "/b", "/c", limit_chars=1003)
        assert [result.read_chars for result in results] == [500, 500, 3]
        (nothing,) = world.read("/a", limit_chars=0)
    assert (nothing.content, nothing.read_error) == ("snippet 0", "the model's context has no room for it")


def test_stored_text_has_a_bound_and_says_how_much_there_was() -> None:
    with reading({"/long": article("word " * 8000)}) as world:
        results = world.read("/long", page_limit=0)
    (stored,) = record_from_json(record_to_json(SearchRecord("q", results))).results
    assert len(results[0].content) == stored.read_chars == 39_999
    assert len(stored.content) == STORED_PAGE_CHARS

"""Values that are stored or printed: search records, events, cleaned text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.core.completion import Endpoint, PromptProgress
from llamachat.core.events import Event, Finish, FinishReason, Kind, Phase, PhaseName, event_to_json
from llamachat.core.messages import Usage
from llamachat.core.search_record import (
    SearchRecord,
    SearchResult,
    numbered_results,
    record_from_json,
    record_to_json,
    records_from_json,
)
from llamachat.core.text import clean

FULL = SearchRecord(
    query="tide table",
    results=(
        SearchResult("Tides", "https://tides.example/", "High water at nine."),
        SearchResult(
            "Moon",
            "https://moon.example/",
            "The whole page.",
            read_via="jina",
            read_note="It is cut.",
            read_chars=15,
            snippet="The page.",
        ),
        SearchResult("Sun", "https://sun.example/", "", read_error="no connection"),
    ),
    error="",
    asked="tide table today",
    route="user",
    provider="SearXNG",
    cached_age_s=12.5,
    engines=(("brave", "too many requests"),),
    first_number=4,
    seconds=0.25,
    note="answer now",
)


def test_a_record_comes_back_as_it_was() -> None:
    assert record_from_json(record_to_json(FULL)) == FULL
    failed = SearchRecord("x", error="down", cause="timeout")
    assert records_from_json(f"[{record_to_json(FULL)}, {record_to_json(failed)}]") == (FULL, failed)


def test_results_have_their_numbers_once() -> None:
    a, b, c = (SearchResult(name, "", "") for name in "abc")
    first = SearchRecord("x", (a, b))
    assert numbered_results((first, SearchRecord("y", (c,), first_number=3), first)) == {1: a, 2: b, 3: c}


def test_what_is_not_known_of_a_page_takes_no_room() -> None:
    read = json.loads(record_to_json(FULL))["results"]
    assert read[0].keys() == {"title", "url", "content"}
    assert read[1].keys() == {"title", "url", "content", "read_via", "read_note", "read_chars", "snippet"}
    assert read[2].keys() == {"title", "url", "content", "read_error"}


def test_the_text_of_a_page_is_stored_within_bounds_and_a_snippet_whole() -> None:
    page = SearchResult("T", "https://t.example/", "x" * 50_000, read_via="direct", read_chars=50_000)
    snippet = SearchResult("T", "https://t.example/", "x" * 50_000)
    stored = record_from_json(record_to_json(SearchRecord("q", (page, snippet))))
    assert [(len(result.content), result.read_chars) for result in stored.results] == [(10_000, 50_000), (50_000, 0)]


def test_null_is_no_search() -> None:
    assert records_from_json(None) == ()


def test_a_record_of_the_three_first_fields_reads_with_defaults() -> None:
    text = '[{"query": "q", "results": [{"title": "t", "url": "u", "content": "c"}], "error": null}]'
    assert records_from_json(text) == (SearchRecord("q", (SearchResult("t", "u", "c"),)),)


@pytest.mark.parametrize("text", ["", "no json", "{}", "7", '["x", 3, null]'])
def test_other_shapes_hold_no_records(text: str) -> None:
    assert records_from_json(text) == ()


@pytest.mark.parametrize(
    "row",
    [
        {"query": None, "results": "x"},
        {"engines": [["a"], 3]},
        {"cached_age_s": "old", "seconds": []},
        {"seconds": 10**400, "at": float("inf")},
        {"unknown": 1},
    ],
)
def test_fields_of_the_wrong_kind_get_their_defaults(row: object) -> None:
    assert record_from_json(json.dumps(row)) == SearchRecord("")


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Event(Kind.CONTENT, "a"), {"kind": "content", "data": "a"}),
        (
            Event(Kind.PHASE, Phase(PhaseName.LOADING, 2.0)),
            {"kind": "phase", "data": {"name": "loading", "waited_s": 2.0, "done": 0, "total": 0}},
        ),
        (
            Event(Kind.PROGRESS, PromptProgress(10, 4, 6)),
            {"kind": "progress", "data": {"total": 10, "cache": 4, "processed": 6, "time_ms": 0.0}},
        ),
        (
            Event(Kind.FINISH, Finish(FinishReason.STOP)),
            {"kind": "finish", "data": {"reason": "stop", "error": "", "next_step": "", "cause": ""}},
        ),
        (Event(Kind.MESSAGE, {"role": "tool"}), {"kind": "message", "data": {"role": "tool"}}),
    ],
)
def test_an_event_is_one_line_of_json(event: Event, line: object) -> None:
    text = event_to_json(event)
    assert "\n" not in text
    assert json.loads(text) == line


def test_a_search_event_holds_the_record_as_an_object() -> None:
    line = json.loads(event_to_json(Event(Kind.SEARCH_DONE, record_to_json(FULL))))
    assert line["data"]["results"][0]["title"] == "Tides"


def test_usage_event_names_its_counts() -> None:
    assert json.loads(event_to_json(Event(Kind.USAGE, Usage(cache_n=5))))["data"]["cache_n"] == 5


def test_the_key_is_not_in_the_repr_of_an_endpoint() -> None:
    assert "secret" not in repr(Endpoint("http://127.0.0.1:8080", api_key="secret"))


@pytest.mark.parametrize(
    ("dirty", "text"),
    [("a\ud83d\ude00b", "a😀b"), ("a\ud83db", "a\ufffdb"), ("\udc81", "\ufffd"), ("a\0b", "ab"), ("ü😀", "ü😀")],
)
def test_clean_joins_pairs_and_replaces_halves(dirty: str, text: str) -> None:
    assert clean(dirty) == text


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_cleaned_text_can_be_encoded_and_stays_as_it_is(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert once.encode("utf-8").decode("utf-8") == once
    assert "\0" not in once

"""What stands around an answer: wording, escaping, and which anchors it has."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest

from llamachat.core.messages import Role, StoredMessage, Usage
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.render.blocks import (
    draw_empty,
    draw_footer,
    draw_header,
    draw_notices,
    draw_search,
    draw_sources,
    draw_thinking,
    draw_waiting,
    format_seconds,
    model_name,
    usage_parts,
)

ANSWER = StoredMessage(7, "u", 1, 6, Role.ASSISTANT, "text", model="m")
RECORD = SearchRecord(
    "latest stable linux kernel",
    (
        SearchResult("The <b>Linux</b> Kernel", "https://www.kernel.org/", "stable: 6.18"),
        SearchResult("Bad", "javascript:alert(1)", '<img src="http://e.example/x">'),
    ),
    provider="SearXNG",
    seconds=1.24,
    first_number=3,
)


def lines_of(drawn: str) -> list[str]:
    return [html.unescape(re.sub(r"<[^>]*>", "", line)) for line in drawn.split("</p>")[:-1]]


def hrefs_of(drawn: str) -> list[str]:
    return [html.unescape(found) for found in re.findall(r'href="([^"]*)"', drawn)]


@pytest.mark.claim("LC-031", "LC-035")
def test_a_closed_search_is_one_line_that_opens_it() -> None:
    drawn = draw_search(RECORD, 7, 1, opened=False)
    assert lines_of(drawn) == ["▸ searched: latest stable linux kernel (2 results)"]
    assert hrefs_of(drawn) == ["x-llamachat-search:7/1"]


def test_one_result_is_told_as_one() -> None:
    drawn = draw_search(replace(RECORD, results=RECORD.results[:1]), 7, 0, opened=False)
    assert lines_of(drawn) == ["▸ searched: latest stable linux kernel (1 result)"]


def test_nothing_found_by_few_engines_is_not_told_as_nothing_found() -> None:
    record = SearchRecord("q", engines=(("brave", "timeout"),))
    assert lines_of(draw_search(record, 7, 0, opened=False)) == ["▸ searched: q (0 results; 1 engine did not answer)"]
    record = replace(record, engines=(("a", "timeout"), ("b", "blocked")))
    assert lines_of(draw_search(record, 7, 0, opened=False)) == [
        "▸ searched: q (0 results; 2 engines did not answer)"
    ]


@pytest.mark.claim("LC-034")
def test_a_failed_search_tells_why() -> None:
    record = SearchRecord("q <x>", error="connection refused.", cause="unreachable")
    assert lines_of(draw_search(record, 7, 0, opened=False)) == ["▸ search failed: q <x> — connection refused"]


@pytest.mark.claim("LC-033", "ST-016")
def test_an_opened_search_shows_results_as_text_and_why_it_was_made() -> None:
    record = replace(RECORD, asked="linux kernel", engines=(("brave", "timeout"),), cached_age_s=720.0)
    drawn = draw_search(record, 7, 0, opened=True)
    assert lines_of(drawn) == [
        "▾ searched: latest stable linux kernel (2 results)",
        "[3] The <b>Linux</b> Kernel",
        "https://www.kernel.org/",
        "stable: 6.18",
        "[4] Bad",
        "javascript:alert(1)",
        '<img src="http://e.example/x">',
        (
            "chosen by the model · asked for “latest stable linux kernel”, sent “linux kernel” · SearXNG"
            " · from cache, 12 min old · did not answer: brave: timeout · 1.2 s · Search again"
        ),
    ]
    page = "https://www.kernel.org/"
    assert hrefs_of(drawn) == ["x-llamachat-search:7/0", page, page, "x-llamachat-search-again:7"]
    assert "Search again" not in draw_search(replace(record, cached_age_s=None), 7, 0, opened=True)
    assert "<img" not in drawn


@pytest.mark.claim("ST-008")
def test_a_page_that_was_read_shows_its_excerpt_and_one_that_was_not_its_reason() -> None:
    read = SearchResult("A", "https://a.example/", "x" * 5000, read_via="direct", read_chars=5000, snippet="said <b>")
    failed = SearchResult("B", "https://b.example/", "said", read_error="no <b> connection")
    lines = lines_of(draw_search(replace(RECORD, results=(read, failed)), 7, 0, opened=True))
    assert lines[3:5] == ["said <b>", "page read: 5,000 characters"]
    assert lines[7:9] == ["said", "page not read: no <b> connection"]


def test_titles_cannot_forge_anchors() -> None:
    title = '</a><a href="x-llamachat-copy:7">Copy</a>'
    record = SearchRecord("q", (SearchResult(title, "x-llamachat-search:7/0", title),))
    drawn = draw_search(record, 7, 0, opened=True) + draw_sources((record,))
    assert hrefs_of(drawn) == ["x-llamachat-search:7/0"]


@pytest.mark.claim("LC-032")
def test_thinking_counts_itself() -> None:
    drawn = draw_thinking("one\n\n<two>\n", 7, opened=False)
    assert lines_of(drawn) == ["▸ thinking (10 chars, 3 lines)"]
    assert hrefs_of(drawn) == ["x-llamachat-reasoning:7"]
    assert lines_of(draw_thinking("one\n\n<two>\n", 7, opened=True))[1:] == ["one", "\u200b", "<two>"]
    assert draw_thinking(" \n", 7, opened=False) == ""


@pytest.mark.claim("ST-008", "ST-016")
def test_sources_are_numbered_as_in_the_answer() -> None:
    drawn = draw_sources((replace(RECORD, asked="linux kernel"),))
    assert lines_of(drawn) == [
        "Sources (SearXNG): [3] The <b>Linux</b> Kernel | [4] Bad · searched: “linux kernel”",
    ]
    assert hrefs_of(drawn) == ["https://www.kernel.org/"]
    assert draw_sources((SearchRecord("q"),)) == ""


def test_sources_of_a_search_that_was_repeated_are_named_once() -> None:
    again = replace(RECORD, asked="linux kernel", note="This search was made before.")
    other = replace(RECORD, first_number=5)
    assert draw_sources((again, other, again)) == draw_sources((again, other))


def test_what_an_answer_cost() -> None:
    usage = Usage(cache_n=800, prompt_n=434, predicted_n=512, predicted_ms=12_190.0)
    assert usage_parts(usage) == ["512 tokens", "42.0 tokens/s", "1,234 prompt tokens, 800 of them cached"]
    assert usage_parts(Usage(prompt_tokens=12, completion_tokens=1)) == ["1 token", "12 prompt tokens"]
    assert usage_parts(Usage()) == []
    assert hrefs_of(draw_footer(replace(ANSWER, usage=usage))) == ["x-llamachat-copy:7"]


def test_headers_name_who_speaks() -> None:
    assert lines_of(draw_header(replace(ANSWER, model="org/Qwen3-8B-GGUF:Q4"))) == ["Qwen3-8B-GGUF:Q4"]
    assert lines_of(draw_header(replace(ANSWER, role=Role.USER))) == ["You\tCopy"]
    assert [model_name(name) for name in ("/models/a.gguf", "", "<b>")] == ["a", "Assistant", "<b>"]
    assert lines_of(draw_header(replace(ANSWER, role=Role.USER), "1/2")) == ["You · 1/2\tCopy"]
    assert lines_of(draw_header(replace(ANSWER, model="m", edited=True), "2/2")) == ["m · edited by you · 2/2"]
    assert "<b>" not in draw_header(replace(ANSWER, model="<b>"))


def test_other_lines_are_plain_text() -> None:
    drawn = draw_waiting("searching: <x>") + draw_notices(["a\nb <c>"]) + draw_empty("one <d>\n\ntwo")
    assert lines_of(drawn) == ["searching: <x>", "a b <c>", "one <d>", "two"]


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "0.0 s"), (3.44, "3.4 s"), (9.96, "10 s"), (61.0, "61 s")])
def test_seconds(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text

"""SearXNG's JSON in good and bad shapes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.messages import JsonObject, JsonValue
from llamachat.core.search_record import SearchResult
from llamachat.searxng.answer import SearchAnswer, read_answer
from llamachat.searxng.reply import Reply

SITE = "http://box.example"
ONE_ANSWERED = {"server-timing": "total;dur=5, render;dur=0, total_0_pages;dur=3, load_0_pages;dur=2"}


def read(
    payload: JsonValue, *, count: int = 20, snippet_chars: int = 300, headers: dict[str, str] | None = None
) -> SearchAnswer:
    reply = Reply(200, headers or {}, json.dumps(payload).encode())
    return read_answer(reply, site=SITE, count=count, snippet_chars=snippet_chars)


def page(url: str, title: str = "T", content: str = "c") -> JsonValue:
    return {"url": url, "title": title, "content": content}


def test_missing_and_null_fields() -> None:
    payload: JsonObject = {
        "results": [
            {"url": "https://a.example/"},
            {"url": "https://b.example/", "title": None, "content": None},
            {"title": "No link", "content": "x"},
            {"url": None, "title": "Null link", "content": "x"},
            {"url": "https://c.example/", "title": "C <b>bold</b>", "content": "5 &lt; 6", "engines": None},
            "junk",
            7,
            {"url": 5, "title": [], "content": {}},
        ]
    }
    assert read(payload).results == (
        SearchResult("a.example", "https://a.example/", ""),
        SearchResult("b.example", "https://b.example/", ""),
        SearchResult("C bold", "https://c.example/", "5 < 6"),
    )


def test_the_servers_order_and_count_are_kept() -> None:
    payload: JsonObject = {"results": [page(f"https://e.example/{number}") for number in range(40)]}
    assert [r.url[-1] for r in read(payload, count=3).results] == ["0", "1", "2"]
    assert len(read(payload, count=0).results) == 1
    assert len(read(payload, count=99).results) == 20


def test_a_page_that_comes_twice_counts_once() -> None:
    urls = [
        "https://e.example/p/",
        "https://e.example/p",
        "http://www.e.example/p?utm_source=z",
        "https://e.example/p?id=2",
    ]
    results = read({"results": [page(url) for url in urls]}).results
    assert [result.url for result in results] == [urls[0], urls[3]]


@pytest.mark.parametrize("limit", [1, 40, 300, 10_000])
def test_snippets_are_cut(limit: int) -> None:
    text = "Lorem ipsum dolor sit amet. " * 8000
    (result,) = read({"results": [page("https://e.example/", content=text)]}, snippet_chars=limit).results
    assert len(result.content) <= limit
    assert result.content.endswith("…")


def test_addresses_that_are_not_http_stay_text() -> None:
    urls = [
        "javascript:alert(1)//",
        "data:text/html;base64,PHM",
        "file:///etc/passwd",
        "mailto:a@b.example",
        "ftp://f.example/x",
    ]
    assert [result.url for result in read({"results": [page(url) for url in urls]}).results] == urls


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://s.example/a b?q=c d", "https://s.example/a%20b?q=c%20d"),
        (" https://s.example/\n", "https://s.example/"),
        ("https://s.example/\u202ex\0", "https://s.example/x"),
        ("https://s.example/\ud83d", "https://s.example/\ufffd"),
        ("https://s.example/?q=" + "a" * 3000, "https://s.example/"),
        ("data:" + "a" * 3000, "data:" + "a" * 1995),
        ("http:///www.host/path", "http:///www.host/path"),
        ("http://[not-an-ip/", "http://[not-an-ip/"),
    ],
)
def test_addresses_are_one_visible_line(url: str, shown: str) -> None:
    (result,) = read({"results": [page(url)]}).results
    assert result.url == shown


def test_the_string_none_is_no_snippet() -> None:
    assert read({"results": [page("https://e.example/", content="None")]}).results[0].content == ""


def test_direct_answers_stand_first_and_leave_half_of_the_places() -> None:
    payload: JsonObject = {
        "results": [page(f"https://e.example/{number}") for number in range(9)],
        "answers": [
            "10 km = 6.2 mi",
            {"answer": "six", "url": "https://a.example/"},
            {"translations": []},
            {"answer": None},
        ],
        "infoboxes": [{"infobox": "Tide", "content": "Rise of the sea"}, {"infobox": "Empty", "content": ""}, "junk"],
    }
    assert read(payload, count=5).results[:3] == (
        SearchResult("Answer", "", "10 km = 6.2 mi"),
        SearchResult("Answer", "https://a.example/", "six"),
        SearchResult("T", "https://e.example/0", "c"),
    )
    assert read(payload, count=8).results[2] == SearchResult("Tide", "", "Rise of the sea")
    assert len(read(payload, count=1).results) == 1


def test_an_infobox_gives_its_facts_and_its_first_address() -> None:
    payload: JsonObject = {
        "results": [],
        "infoboxes": [
            {
                "infobox": "Copper Heron",
                "id": "Q17",
                "content": "A wading bird.",
                "urls": [{"title": "no address"}, "junk", {"url": "https://h.example/"}],
                "attributes": [{"label": "Weight", "value": "900 g"}, {"label": "Image", "image": {"src": "x"}}, 3],
            }
        ],
    }
    assert read(payload).results == (
        SearchResult("Copper Heron", "https://h.example/", "A wading bird. Weight: 900 g"),
    )


def test_no_results_of_working_engines_is_no_failure() -> None:
    assert read({"query": "x", "results": [], "unresponsive_engines": []}) == SearchAnswer(())


def test_no_results_where_some_engines_answered_is_no_failure_either() -> None:
    answer = read({"results": [], "unresponsive_engines": [["brave", "CAPTCHA"]]}, headers=ONE_ANSWERED)
    assert answer == SearchAnswer((), engines=(("brave", "CAPTCHA"),))


def test_engines_that_all_refuse_are_a_failure_with_their_reasons() -> None:
    engines: JsonValue = [["duckduckgo", "CAPTCHA"], ["brave", "Suspended: too many requests"]]
    with pytest.raises(SearchError) as failed:
        read({"results": [], "answers": [], "infoboxes": [], "unresponsive_engines": engines})
    assert failed.value.cause is SearchCause.ENGINES_REFUSED
    assert "(duckduckgo: CAPTCHA; brave: Suspended: too many requests)" in str(failed.value)
    assert failed.value.engines == (("duckduckgo", "CAPTCHA"), ("brave", "Suspended: too many requests"))


def test_results_beside_failed_engines_are_kept_with_them() -> None:
    payload: JsonObject = {
        "results": [page("https://e.example/")],
        "unresponsive_engines": [
            ["a", "timeout"],
            ["a", "timeout"],
            ["b<b>", "x\n\u202ey"],
            ["odd"],
            "junk",
            ["c", None],
        ],
    }
    assert read(payload).engines == (("a", "timeout"), ("b", "x y"), ("c", ""))


def test_many_failed_engines_make_no_endless_sentence() -> None:
    engines: JsonValue = [[f"engine {number}" + "x" * 500, "y" * 500] for number in range(500)]
    with pytest.raises(SearchError) as failed:
        read({"results": [], "unresponsive_engines": engines})
    assert len(str(failed.value)) < 1200
    assert len(failed.value.engines) == 30


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b"{}", b'{"results": null}', b'{"results": {}}', b"{", b"[" * 100_000, b"\xff\xfe"]
)
def test_what_is_no_answer_of_searxng(body: bytes) -> None:
    with pytest.raises(SearchError) as failed:
        read_answer(Reply(200, {}, body), site=SITE, count=5, snippet_chars=300)
    assert failed.value.cause is SearchCause.NOT_SEARXNG


def test_an_answer_with_a_mark_of_byte_order_is_read() -> None:
    reply = Reply(200, {}, b"\xef\xbb\xbf" + b'{"results": []}')
    assert read_answer(reply, site=SITE, count=5, snippet_chars=300) == SearchAnswer(())


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["https://e.example/", "<b>x</b>"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["url", "title", "content", "answer", "infobox", "urls", "attributes", "value"]), inner
        )
    ),
)
_LISTS = ("results", "answers", "infoboxes", "unresponsive_engines")


@settings(deadline=None, max_examples=60)
@given(st.fixed_dictionaries({name: st.lists(_JSON, max_size=4) | _JSON for name in _LISTS}))
def test_whatever_comes_is_an_answer_or_an_error(payload: dict[str, JsonValue]) -> None:
    try:
        answer = read(payload)
    except SearchError:
        return
    for result in answer.results:
        assert result.title or result.content
        json.dumps([result.title, result.url, result.content], ensure_ascii=False).encode()

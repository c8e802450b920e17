"""The search client against a real SearXNG, alone and behind a reverse proxy."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchCause, SearchError
from llamachat.search import SearchAnswer, SearxngSettings, search, search_searxng
from tests.fakes.front import front
from tests.fakes.replay import server_tls
from tests.fakes.searching import searxng_search
from tests.fakes.searxng_world import HOSTILE
from tests.integration.searxng_server import Searxng, start_searxng

CERTIFICATE = Path(__file__).parent.parent / "data" / "searxng" / "tls" / "local.pem"


def ask(url: str, query: str, *, categories: str = "", language: str = "", count: int = 5) -> SearchAnswer:
    settings = SearxngSettings(url, count=count, categories=categories, language=language)
    return search_searxng(query, settings, cancel=CancelToken())


def failure(url: str, query: str = "lighthouse", *, categories: str = "", language: str = "") -> SearchError:
    with pytest.raises(SearchError) as failed:
        ask(url, query, categories=categories, language=language)
    return failed.value


def test_a_search(searxng: Searxng) -> None:
    rows = search(searxng.url, "quillfeather latest release", 5, 300, 10)
    assert len(rows) == 4  # each page about it once, though two engines know some of them
    assert {row["url"] for row in rows} >= {"https://encyclopedia.example/quillfeather"}
    assert any("5.3 of 12 October 2026" in row["content"] for row in rows)


def test_an_infobox_and_an_answer_stand_first(searxng: Searxng) -> None:
    box = ask(searxng.url, "Tidewater Lighthouse").results[0]
    assert (box.title, box.url) == ("Tidewater Lighthouse", "https://en.wikipedia.example/wiki/Tidewater_Lighthouse")
    assert "4 May 1871" in box.content
    assert ask(searxng.url, "10 km to mi").results[0].content.startswith("6.2137")
    instant = ask(searxng.url, "what is the copper heron", categories="answers").results
    assert [result.title for result in instant][:2] == ["Answer", "Copper Heron"]
    assert instant[0].content == "Copper Heron is a bird."
    assert "Kind: bird" in instant[1].content


@pytest.mark.claim("LC-006", "LC-010")
def test_snippets_and_count_are_cut(searxng: Searxng) -> None:
    rows = search(searxng.url, "brasswick bridge", 2, 30, 10)
    assert len(rows) == 2
    assert all(len(row["content"]) <= 30 for row in rows)


@pytest.mark.parametrize(
    "query",
    [
        "!!g heron marshes",
        "heron !pages marshes",
        ":de heron marshes",
        "<1 heron marshes",
        "!! heron marshes",
        "?wp heron",
    ],
)
def test_commands_are_searched_as_words(searxng: Searxng, query: str) -> None:
    answer = ask(searxng.url, query)
    assert answer.results
    assert ("archive", answer.asked, "all") in searxng.asked()
    assert "heron" in answer.asked


def test_no_language_is_forced_and_one_that_is_set_is_passed_on(searxng: Searxng) -> None:
    ask(searxng.url, "ebbe flut tidewater")
    ask(searxng.url, "ebbe flut brasswick", language="de")
    assert ("pages", "ebbe flut tidewater", "all") in searxng.asked()
    assert ("pages", "ebbe flut brasswick", "de") in searxng.asked()


def test_a_language_that_searxng_does_not_know(searxng: Searxng) -> None:
    error = failure(searxng.url, language="xx-invalid")
    assert error.cause is SearchCause.BAD_QUERY
    assert "xx-invalid" in str(error)
    assert "search_language" in str(error)


@pytest.mark.claim("LC-049", "OP-029", "ST-035")
def test_working_engines_that_find_nothing(searxng: Searxng) -> None:
    assert ask(searxng.url, "zzyzx", categories="empty") == SearchAnswer((), asked="zzyzx")
    assert ask(searxng.url, "zzyzx").results == ()


@pytest.mark.claim("OP-029")
def test_engines_that_all_refuse(searxng: Searxng) -> None:
    error = failure(searxng.url, categories="broken")
    assert error.cause is SearchCause.ENGINES_REFUSED
    assert set(error.engines) == {
        ("busy engine", "too many requests"),
        ("captcha engine", "CAPTCHA"),
        ("closed engine", "HTTP connection error"),
        ("denied engine", "access denied"),
        ("fault engine", "HTTP error"),
        ("garbled engine", "parsing error"),
    }
    assert "busy engine: too many requests" in str(error)


def test_some_engines_that_refuse(searxng: Searxng) -> None:
    answer = ask(searxng.url, "brasswick bridge toll", categories="broken,general")
    assert len(answer.results) == 4
    assert ("captcha engine", "CAPTCHA") in answer.engines
    nothing = ask(searxng.url, "zzyzx", categories="broken,general")
    assert nothing.results == ()
    assert len(nothing.engines) == 6


def test_a_slow_engine_costs_its_results_and_not_the_search(searxng: Searxng) -> None:
    settings = SearxngSettings(searxng.url, categories="slow,general", timeout_s=1.2)
    answer = search_searxng("kestrel probe", settings, cancel=CancelToken())
    assert answer.results
    assert answer.engines == (("slow engine", "timeout"),)


def test_hostile_results_become_plain_text(searxng: Searxng) -> None:
    answer = ask(searxng.url, "anything", categories="hostile", count=20)
    assert len(answer.results) == len(HOSTILE)
    text = " ".join(f"{result.title} {result.url} {result.content}" for result in answer.results)
    text.encode()
    assert "<script" not in text
    assert "<img" not in text
    assert not {"\0", "\x1b", "\u202e", "\u200b", "\u2028", "\n"} & set(text)
    assert "javascript:alert(1)//" in [result.url for result in answer.results]
    assert max(len(result.content) for result in answer.results) <= 300


def test_a_long_query(searxng: Searxng) -> None:
    answer = ask(searxng.url, "heron " * 20_000)
    assert answer.results
    assert answer.engines == ()


def test_a_sub_path(searxng: Searxng) -> None:
    with front(searxng.url, base="/searxng") as url:
        for path in ("/searxng", "/searxng/", "/searxng/search", "/searxng/search?q=%s&format=json"):
            assert ask(url + path, "heron").results
        assert failure(url).cause is SearchCause.NOT_FOUND


def test_a_password(searxng: Searxng) -> None:
    with front(searxng.url, credentials="me:p@ss") as url:
        assert ask(url.replace("://", "://me:p%40ss@"), "heron").results
        assert failure(url).cause is SearchCause.UNAUTHORIZED
        wrong = failure(url.replace("://", "://me:wrong@"))
    assert wrong.cause is SearchCause.UNAUTHORIZED
    assert "wrong" not in str(wrong)


def test_tls_and_the_way_to_it(searxng: Searxng) -> None:
    with front(searxng.url, tls=server_tls(CERTIFICATE)) as secure, front(searxng.url, moved_to=secure) as url:
        settings = SearxngSettings(url, ca_file=str(CERTIFICATE))
        assert search_searxng("heron", settings, cancel=CancelToken()).results
        assert failure(secure).cause is SearchCause.TLS


def test_a_record(searxng: Searxng) -> None:
    record = searxng_search(searxng.url).find("copper heron pairs", CancelToken())
    assert record.results
    assert not record.failed
    assert record.seconds > 0
    assert searxng.searches("copper heron pairs") == 1


@pytest.mark.claim("LC-025", "LC-048")
@pytest.mark.slow
def test_json_that_is_off() -> None:
    with start_searxng("--no-json") as server:
        error = failure(server.url)
    assert error.cause is SearchCause.JSON_OFF
    assert "formats: [html, json]" in str(error)

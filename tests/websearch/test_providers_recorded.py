"""Every recorded answer of every search service, served on loopback: results, or the cause and the wait."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.search_record import SearchResult
from tests.fakes.replay import replay
from tests.websearch.provider_world import CLOUD, KEY, Case, provider_at, recorded, success_of

CAUSES = {
    "bad_key": SearchCause.KEY_REJECTED,
    "quota": SearchCause.NO_CREDIT,
    "rate_limited": SearchCause.LIMITED,
    "bad_request": SearchCause.BAD_QUERY,
    "blocked": SearchCause.BOT_PAGE,
    "forbidden": SearchCause.FORBIDDEN,
    "disabled": SearchCause.SWITCHED_OFF,
    "unsupported": SearchCause.TOO_OLD,
    "timeout": SearchCause.TIMEOUT,
    "server": SearchCause.SERVER_FAULT,
    "unreadable": SearchCause.UNREADABLE,
    "format_disabled": SearchCause.JSON_OFF,
}
RESULTS = [case for case in recorded() if "results" in case.expect]
REFUSALS = [case for case in recorded() if "error" in case.expect]
WITH_KEY = [name for name in CLOUD if name not in ("duckduckgo", "ollama")]


def name_of(case: Case) -> str:
    return f"{case.provider}: {case.case}"


def expected(case: Case) -> list[SearchResult]:
    rows = case.expect["results"]
    assert isinstance(rows, list)
    return [
        SearchResult(str(row["title"]), str(row["url"]), str(row["snippet"])) for row in rows if isinstance(row, dict)
    ]


@pytest.mark.claim("AD-006", "ST-051", "ST-033")
@pytest.mark.parametrize("case", RESULTS, ids=name_of)
def test_results(case: Case) -> None:
    with replay(case.behaviour) as server:
        answer = provider_at(case.provider, server.url).search("lock gates", CancelToken())
    assert list(answer.results) == expected(case)
    assert answer.asked == "lock gates"


@pytest.mark.claim("ST-031", "AD-007", "ST-033")
@pytest.mark.parametrize("case", REFUSALS, ids=name_of)
def test_refusals(case: Case) -> None:
    with replay(case.behaviour) as server, pytest.raises(SearchError) as failed:
        provider_at(case.provider, server.url).search("lock gates", CancelToken())
    error = failed.value
    assert error.cause is CAUSES[str(case.expect["error"])]
    assert error.retry_after_s == case.expect.get("retry_after")
    assert error.sentence.endswith(".")
    assert error.next_step
    assert provider_at(case.provider, "http://127.0.0.1:1").name in str(error)


def test_every_service_is_recorded_with_results_and_with_refusals() -> None:
    assert {case.provider for case in RESULTS} == {case.provider for case in REFUSALS} == {*CLOUD, "searxng"}
    empty = {case.provider for case in RESULTS if not case.expect["results"]}
    assert empty >= set(CLOUD)


@pytest.mark.parametrize("name", CLOUD)
def test_results_are_cut_in_number_and_length(name: str) -> None:
    with replay(success_of(name).behaviour) as server:
        answer = provider_at(name, server.url, count=1, snippet_chars=10).search("lock gates", CancelToken())
    (result,) = answer.results
    assert 0 < len(result.content) <= 10


@pytest.mark.claim("ST-051")
@pytest.mark.parametrize("name", WITH_KEY)
def test_the_key_travels_in_a_header_but_for_serpapi(name: str) -> None:
    with replay(success_of(name).behaviour) as server:
        provider_at(name, server.url).search("lock gates", CancelToken())
    head, _, body = server.received[0].decode().partition("\r\n\r\n")
    line, _, headers = head.partition("\r\n")
    assert (KEY in line) == (name == "serpapi")
    assert (KEY in headers) == (name != "serpapi")
    assert KEY not in body
    assert "user-agent: llamachat/" in headers.lower()
    assert "accept-encoding: gzip\r\n" in headers.lower() + "\r\n"
    if name == "exa":
        assert f"authorization: bearer {KEY}" in headers.lower()


@pytest.mark.parametrize("name", CLOUD)
def test_the_words_and_the_number_are_asked_for(name: str) -> None:
    with replay(success_of(name).behaviour) as server:
        provider_at(name, server.url, count=7).search('lock "gates" & ümlaut', CancelToken())
    head, _, body = server.received[0].decode().partition("\r\n\r\n")
    method, target, _ = head.split("\r\n")[0].split(" ")
    if method == "GET":
        fields: dict[str, object] = {key: value[0] for key, value in parse_qs(urlsplit(target).query).items()}
    elif "application/json" in head.partition("content-type")[2] + head.partition("Content-Type")[2]:
        fields = json.loads(body)
    else:
        fields = {key: value[0] for key, value in parse_qs(body).items()}
    assert 'lock "gates" & ümlaut' in fields.values()
    counts = [str(fields[key]) for key in ("count", "max_results", "num", "numResults", "limit") if key in fields]
    assert counts == {"duckduckgo": [], "serpapi": [], "serper": ["10"]}.get(name, ["7"])


@pytest.mark.claim("ST-034")
def test_duckduckgo_is_asked_on_its_lite_page_by_a_program_that_names_itself() -> None:
    with replay(success_of("duckduckgo").behaviour) as server:
        provider_at("duckduckgo", server.url).search("!g lock gates", CancelToken())
    head, _, body = server.received[0].decode().partition("\r\n\r\n")
    assert head.startswith("POST /lite/ ")
    assert "mozilla" not in head.lower()
    assert parse_qs(body)["q"] == ["g lock gates"]


@pytest.mark.claim("AD-008", "AD-009")
def test_ollama_is_asked_where_the_setting_says_and_without_a_key() -> None:
    with replay(success_of("ollama").behaviour) as server:
        provider_at("ollama", server.url + "/").search("lock gates", CancelToken())
    head = server.received[0].decode().lower()
    assert head.startswith("post /api/experimental/web_search ")
    assert "authorization" not in head
    assert KEY not in head


def test_ollama_says_where_to_sign_in_but_follows_no_strange_address() -> None:
    for link, shown in (
        ("https://ollama.com/connect?name=host&key=abc", "https://ollama.com/connect?name=host&key=abc"),
        ("javascript:alert(1)", "https://ollama.com"),
        ("https://x.example/" + "a" * 400, "https://ollama.com"),
    ):
        body: dict[str, object] = {"error": "unauthorized", "signin_url": link}
        case = Case("ollama", "", 401, {}, json.loads(json.dumps(body)), {})
        with replay(case.behaviour) as server, pytest.raises(SearchError) as failed:
            provider_at("ollama", server.url).search("tides", CancelToken())
        assert f"open {shown}, then" in failed.value.next_step

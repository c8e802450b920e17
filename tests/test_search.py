"""The tool, the thin door and what goes over the wire. Failures and Stop have files of their own."""

from __future__ import annotations

import gzip
import json
import logging
import os
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchCause, SearchError
from llamachat.search import (
    TOOL_SCHEMA,
    SearchAnswer,
    SearxngSettings,
    check_ca_file,
    check_search_url,
    search,
    search_searxng,
)
from tests.fakes.replay import answer, replay

JSON = {"Content-Type": "application/json"}
FOUND = {
    "query": "tides",
    "results": [
        {"url": "https://e.example/", "title": "T", "content": "long " * 100, "engine": "x", "score": 1.0},
        {"url": "https://f.example/", "title": "U", "content": "c"},
    ],
}
OK = answer(200, JSON, json.dumps(FOUND).encode())


def ask(url: str, query: str = "tides", *, ca_file: str = "") -> SearchAnswer:
    return search_searxng(query, SearxngSettings(url, ca_file=ca_file), cancel=CancelToken())


def parts(request: bytes) -> tuple[str, dict[str, str], dict[str, list[str]]]:
    """First line, headers, form."""
    head, _, body = request.decode().partition("\r\n\r\n")
    first, *lines = head.split("\r\n")
    return first, dict(line.lower().split(": ", 1) for line in lines), parse_qs(body)


@pytest.mark.claim("LC-009")
def test_the_tool_has_the_shape_of_an_openai_function() -> None:
    assert TOOL_SCHEMA["type"] == "function"
    function = TOOL_SCHEMA["function"]
    assert isinstance(function, dict)
    assert function["name"] == "web_search"
    assert "[n]" in str(function["description"])
    parameters = function["parameters"]
    assert isinstance(parameters, dict)
    assert parameters["required"] == ["query"]
    properties = parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["query"]


@pytest.mark.claim("LC-010")
def test_the_door_gives_dicts_with_three_keys() -> None:
    with replay(OK) as server:
        rows = search(server.url, "tides", 1, 40, 5)
    assert [list(row) for row in rows] == [["title", "url", "content"]]
    assert len(rows[0]["content"]) <= 40


@pytest.mark.claim("LC-010")
@pytest.mark.parametrize("longest", [1, 300, 10_000])
def test_a_snippet_of_216_kb_is_cut_to_what_was_asked_for(longest: int) -> None:
    row = {"title": "T", "url": "https://tides.example/", "content": "High water. " * 18_000, "score": 1.0}
    with replay(answer(200, JSON, json.dumps({"results": [row]}).encode())) as server:
        (found,) = search(server.url, "tides", 5, longest, 5)
    assert sorted(found) == ["content", "title", "url"]
    assert longest * 0.9 - 1 <= len(found["content"]) <= longest


@pytest.mark.claim("LC-011")
def test_the_request() -> None:
    with replay(OK) as server:
        found = ask(f"{server.url}/search?q=%s&token=abc", "!g Ebbe\n& Flut")
    first, headers, form = parts(server.received[0])
    assert first == "POST /search?token=abc HTTP/1.1"
    assert (form["q"], form["format"], form["locale"]) == (["g Ebbe & Flut"], ["json"], ["en"])
    assert "language" not in form
    assert found.asked == "g Ebbe & Flut"
    # What the limiter of SearXNG asks for; no language of ours, which an instance could take for the search's.
    assert "text/html" in headers["accept"]
    assert headers["accept-language"] == "*"
    assert headers["accept-encoding"] == "gzip"
    assert headers["user-agent"].startswith("llamachat/")
    assert "authorization" not in headers
    assert "cookie" not in headers


def test_user_and_password_go_into_a_header_and_nowhere_else(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    denied = answer(401, {"WWW-Authenticate": "Basic"}, b"<h1>401</h1>")
    with replay(OK, denied) as server:
        url = server.url.replace("://", "://me:p%40ssw%C3%B6rd@")
        ask(url)
        with pytest.raises(SearchError) as failed:
            ask(url)
    first, headers, _ = parts(server.received[0])
    assert headers["authorization"].lower() == "basic bWU6cEBzc3fDtnJk".lower()
    assert "@" not in first + headers["host"]
    assert failed.value.cause is SearchCause.UNAUTHORIZED
    for text in (caplog.text, str(failed.value), repr(failed.value), repr(SearxngSettings(url))):
        assert "p@ss" not in text
        assert "p%40ss" not in text


def test_a_redirect_to_the_same_server_is_followed_with_the_form() -> None:
    with replay(answer(301, {"Location": "/searxng/search"}, b""), OK) as server:
        assert ask(server.url).results
    first, _, form = parts(server.received[1])
    assert first == "POST /searxng/search HTTP/1.1"
    assert form["q"] == ["tides"]


def test_a_redirect_to_another_host_is_not_followed() -> None:
    with (
        replay(OK) as other,
        replay(answer(307, {"Location": other.url.replace("127.0.0.1", "localhost")}, b"")) as server,
    ):
        with pytest.raises(SearchError) as failed:
            ask(server.url)
        assert other.received == []
    assert failed.value.cause is SearchCause.REDIRECTED


@pytest.mark.parametrize(
    "place", ["javascript:alert(1)//search", "http:search", "http:///search", "/a\x01b/search", "http://[::1/search"]
)
def test_a_redirect_to_no_place_at_all_is_told(place: str) -> None:
    with replay(answer(302, {"Location": place}, b"")) as server, pytest.raises(SearchError):
        ask(server.url)


def test_a_redirect_in_a_circle_ends() -> None:
    with replay(answer(302, {"Location": "/search"}, b"")) as server, pytest.raises(SearchError) as failed:
        ask(server.url)
    assert failed.value.cause is SearchCause.REDIRECTED
    assert len(server.received) == 4


def test_a_packed_answer_is_unpacked() -> None:
    packed = gzip.compress(json.dumps(FOUND).encode())
    with replay(answer(200, JSON | {"Content-Encoding": "gzip"}, packed)) as server:
        assert len(ask(server.url).results) == 2


def test_nothing_is_sent_for_a_query_without_words() -> None:
    with replay(OK) as server, pytest.raises(SearchError) as failed:
        ask(server.url, "!! \n")
    assert failed.value.cause is SearchCause.BAD_QUERY
    assert server.received == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:8888", "nas/searxng", "https://box.example/search?q=%s"])
def test_a_good_address_has_no_complaint(url: str) -> None:
    assert check_search_url(url) is None


BAD_HOSTS = [
    "http://-..example:port",
    "http://a..lan",
    "http://.lan",
    f"http://{'a' * 64}.lan",
    "http://xn--a.lan",
    "http://256.1.1.1",
]


@pytest.mark.claim("ST-040")
@pytest.mark.parametrize("url", ["", "ftp://box.example", "http://a b", *BAD_HOSTS])
def test_a_bad_address_has_a_complaint(url: str) -> None:
    assert "search_url" in (check_search_url(url) or "")
    with pytest.raises(SearchError) as failed:
        ask(url)
    assert failed.value.cause in (SearchCause.BAD_ADDRESS, SearchCause.NOT_CONFIGURED)


def test_a_ca_file_is_looked_at_before_it_is_needed(tmp_path: Path) -> None:
    junk = tmp_path / "junk.pem"
    junk.write_text("no certificate")
    assert check_ca_file("") is None
    assert check_ca_file(str(Path(__file__).parent / "data/searxng/tls/local.pem")) is None
    for path in (junk, tmp_path / "missing.pem", tmp_path):
        assert "search_ca_file" in (check_ca_file(str(path)) or "")
    assert "search_ca_file" in (check_ca_file("nul\0") or "")
    assert "search_ca_file" in (check_ca_file("~nobody-of-this-name/ca.pem") or "")
    os.mkfifo(tmp_path / "pipe.pem")
    assert "no file" in (check_ca_file(str(tmp_path / "pipe.pem")) or "")


def test_a_failing_ca_file_stops_the_search_rather_than_the_check(tmp_path: Path) -> None:
    with pytest.raises(SearchError) as failed:
        ask("https://127.0.0.1:1", ca_file=str(tmp_path / "missing.pem"))
    assert failed.value.cause is SearchCause.TLS

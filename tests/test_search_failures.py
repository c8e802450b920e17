"""Connections that bring no answer: each with a cause and words of its own."""

from __future__ import annotations

import gzip
import json
import socket
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchCause, SearchError
from llamachat.search import SearchAnswer, SearxngSettings, search_searxng
from tests.fakes.replay import Behaviour, answer, drip, full_listener, raw, replay, reset, server_tls, stall
from tests.searxng.recorded import Recorded, load_recorded

TLS = Path(__file__).parent / "data" / "searxng" / "tls"
JSON = {"Content-Type": "application/json"}
OK = answer(200, JSON, b'{"results": []}')
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"


def ask(url: str, *, timeout_s: float = 20, ca_file: str = "") -> SearchAnswer:
    return search_searxng("tides", SearxngSettings(url, timeout_s=timeout_s, ca_file=ca_file), cancel=CancelToken())


def failure(url: str, *, timeout_s: float = 20, ca_file: str = "") -> SearchError:
    with pytest.raises(SearchError) as failed:
        ask(url, timeout_s=timeout_s, ca_file=ca_file)
    return failed.value


@pytest.mark.claim("LC-012", "ST-032")
def test_nothing_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    error = failure(url)
    assert error.cause is SearchCause.UNREACHABLE
    assert (
        str(error) == f"SearXNG at {url[:-1]} is not reachable (connection refused). Start it or pick another engine."
    )


def test_a_connection_that_is_never_taken() -> None:
    with full_listener() as listener:
        error = failure(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout_s=0.3)
    assert error.cause in (SearchCause.TIMEOUT, SearchCause.UNREACHABLE)


@pytest.mark.claim("LC-020", "LC-012")
@pytest.mark.parametrize(
    "behaviour",
    [
        stall(),
        stall(b"HTTP/1.1 200 OK\r\n"),
        stall(HEAD + b'{"results"'),
        drip(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50, every_s=0.05),
        drip(HEAD + b" " * 900, every_s=0.01),
    ],
    ids=["no head", "half a head", "half a body", "dripping head", "dripping body"],
)
def test_the_deadline_is_over_the_whole(behaviour: Behaviour) -> None:
    with replay(behaviour) as server:
        error = failure(server.url, timeout_s=0.3)
    assert error.cause is SearchCause.TIMEOUT
    assert "0.3 s" in str(error)
    assert "search_timeout" in str(error)


@pytest.mark.parametrize(
    "behaviour",
    [
        raw(b""),
        raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n"),
        raw(HEAD + b'{"results": ['),
        answer(200, JSON | {"Content-Encoding": "gzip"}, b"not packed"),
        reset,
    ],
    ids=["no word", "another protocol", "bad length", "half a body", "bad packing", "reset"],
)
def test_an_answer_that_breaks_off(behaviour: Behaviour) -> None:
    with replay(behaviour) as server:
        error = failure(server.url)
    assert error.cause is SearchCause.SERVER_FAULT
    assert server.url in str(error)


def test_a_packed_answer_that_breaks_off_is_none() -> None:
    packed = gzip.compress(json.dumps({"results": list(range(3000))}).encode())[:-500]
    with replay(answer(200, JSON | {"Content-Encoding": "gzip"}, packed)) as server:
        assert failure(server.url).cause is SearchCause.NOT_SEARXNG


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({}, b" " * 4_100_000),
        ({"Content-Encoding": "gzip"}, gzip.compress(b" " * 100_000_000)),
        ({"Content-Encoding": "gzip"}, gzip.compress(b"{}") * 250_000),
    ],
    ids=["plain", "a bomb", "without end"],
)
def test_no_more_than_4_mb_are_read(headers: dict[str, str], body: bytes) -> None:
    with replay(answer(200, JSON | headers, body)) as server:
        error = failure(server.url)
    assert error.cause is SearchCause.SERVER_FAULT
    assert "4 MB" in str(error)


def test_a_certificate_nobody_vouches_for_needs_the_ca_file() -> None:
    with replay(OK, tls=server_tls(TLS / "local.pem")) as server:
        error = failure(server.url)
        assert ask(server.url, ca_file=str(TLS / "local.pem")).results == ()
    assert error.cause is SearchCause.TLS
    assert "self-signed certificate" in str(error)
    assert "search_ca_file" in str(error)


def test_a_certificate_for_another_host_is_refused_also_with_the_ca_file() -> None:
    with replay(OK, tls=server_tls(TLS / "other.pem")) as server:
        error = failure(server.url, ca_file=str(TLS / "other.pem"))
    assert error.cause is SearchCause.TLS
    assert "127.0.0.1" in str(error)


def test_http_is_sent_on_to_https_on_the_same_host() -> None:
    with replay(OK, tls=server_tls(TLS / "local.pem")) as secure:
        with replay(answer(301, {"Location": f"{secure.url}/search"}, b"")) as server:
            assert ask(server.url, ca_file=str(TLS / "local.pem")).results == ()
            untrusted = failure(server.url)
        assert secure.received[0].startswith(b"POST /search ")
        assert b"q=tides" in secure.received[0]
    assert untrusted.cause is SearchCause.TLS
    assert secure.url in str(untrusted)


def test_https_to_a_server_without_tls() -> None:
    with replay(raw(b"HTTP/1.1 400 Bad Request\r\n\r\n"), read_first=False) as server:
        error = failure(server.url.replace("http:", "https:"))
    assert error.cause is SearchCause.TLS
    assert "http://" in str(error)


def test_http_to_a_server_with_tls() -> None:
    with replay(OK, tls=server_tls(TLS / "local.pem")) as server:
        assert failure(server.url.replace("https:", "http:")).cause is SearchCause.SERVER_FAULT


@pytest.mark.claim("LC-012")
@pytest.mark.parametrize("case", load_recorded(), ids=lambda case: case.name)
def test_recorded_replies_over_the_wire(case: Recorded) -> None:
    with replay(answer(case.reply.status, case.reply.headers, case.reply.body)) as server:
        if case.cause:
            assert failure(server.url).cause == case.cause
        else:
            assert len(ask(server.url).results) == min(case.results, 5)


@pytest.fixture
def no_proxy_variables(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


def test_a_public_host_is_asked_through_the_environments_proxy(no_proxy_variables: pytest.MonkeyPatch) -> None:
    with replay(OK) as proxy:
        no_proxy_variables.setenv("HTTP_PROXY", proxy.url.removeprefix("http://"))
        ask("http://searxng.example")
    assert proxy.received[0].startswith(b"POST http://searxng.example/search ")


BAD_NO_PROXY = "localhost,127.0.0.1,::1,fc00::/7,[::1],10.0.0.0/8, ,*.lan,searxng.example"


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:1", "not a url", "socks5h://127.0.0.1:1", "ftp://me:secret@x"])
def test_no_proxy_stands_before_ones_own_hosts(no_proxy_variables: pytest.MonkeyPatch, proxy: str) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        no_proxy_variables.setenv(name, proxy)
    with replay(OK) as server:
        assert ask(server.url).results == ()
        no_proxy_variables.setenv("NO_PROXY", BAD_NO_PROXY)
        assert ask(server.url).results == ()


UNUSABLE = [
    *("not a url", "socks5h://127.0.0.1:1", "ftp://me:secret@x", "http://me:secret@[bad", "http://127.0.0.1:1"),
    *("http://a..b:3128", f"http://{'a' * 70}.example"),
]


@pytest.mark.parametrize("proxy", UNUSABLE)
def test_a_proxy_that_cannot_be_used_is_not_passed_by(no_proxy_variables: pytest.MonkeyPatch, proxy: str) -> None:
    no_proxy_variables.setenv("ALL_PROXY", proxy)
    no_proxy_variables.setenv("NO_PROXY", "fc00::/7,[::1]")
    error = failure("http://searxng.example")
    assert error.cause is SearchCause.UNREACHABLE
    assert "NO_PROXY" in str(error)
    assert "secret" not in str(error)


def test_an_answer_of_json_with_half_a_character_can_be_stored() -> None:
    body = b'{"results": [{"url": "https://e.example/", "title": "\\ud83d", "content": "a\\u0000b"}]}'
    with replay(answer(200, JSON, body)) as server:
        (result,) = ask(server.url).results
    assert json.dumps([result.title, result.content], ensure_ascii=False).encode().decode() == '["\ufffd", "ab"]'

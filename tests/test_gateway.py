"""The gateway's door: what is let in, and what each answer looks like. The search behind it is the real one."""

from __future__ import annotations

import http.client
import json
import logging
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchCause, SearchError, UserFacingError
from llamachat.core.search_record import SearchResult
from llamachat.gateway import MOST_BYTES, GatewayParts, running_gateway
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.service import SearchManners, WebSearch
from tests.fakes.still_clock import StillClock

JSON = {"Content-Type": "application/json"}


@dataclass
class FakeProvider:
    """The Provider seam: so many results, or `failure`."""

    failure: Exception | None = None
    results: int = 3
    asked: list[str] = field(default_factory=list)
    id: str = "searxng"
    name: str = "SearXNG"
    host: str = "127.0.0.1"
    is_cloud: bool = False
    requires_upload_warning: bool = False

    def configured(self) -> str:
        return ""

    def search(self, query: str, cancel: CancelToken) -> SearchAnswer:
        self.asked.append(query)
        if self.failure:
            raise self.failure
        return SearchAnswer(
            tuple(SearchResult(f"T{n}", f"https://example.com/{n}", f"<b>ü\ud83d {n}") for n in range(self.results)),
            asked=query,
        )


@dataclass
class Gateway:
    """A gateway that runs, and what stands behind it."""

    address: str
    parts: GatewayParts
    provider: FakeProvider
    clock: StillClock
    missing: list[str]

    def ask(
        self,
        method: str = "POST",
        path: str = "/v1/search",
        body: object = None,
        headers: Mapping[str, str] = JSON,
    ) -> tuple[int, Any, Mapping[str, str]]:
        """Status, JSON and headers of one request; a body that is no bytes is sent as JSON."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=10)
        connection.request(method, path, sent if method == "POST" else None, dict(headers))
        reply = connection.getresponse()
        read = reply.read()
        connection.close()
        assert reply.getheader("Content-Type") == "application/json; charset=utf-8"
        return reply.status, json.loads(read), dict(reply.getheaders())

    def search(self, query: str = "tides", **fields: object) -> tuple[int, Any]:
        """Status and JSON of one search."""
        return self.ask(body={"query": query, **fields})[:2]


@contextmanager
def gateway(folder: Path, limits: GuardLimits | None = None) -> Iterator[Gateway]:
    """Run one on a free port."""
    provider, clock, missing = FakeProvider(), StillClock(), [""]
    guard = Guard(limits or GuardLimits(), folder / "search.json", clock=clock)
    parts = GatewayParts(
        missing=lambda: missing[0],
        search=lambda count: WebSearch(provider, SearchManners(guard, scope=count), clock=clock),
        status=lambda: guard.status("searxng"),
        refusal=lambda: guard.refusal("searxng"),
    )
    with running_gateway(parts, port=0) as address:
        yield Gateway(address, parts, provider, clock, missing)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway that remembers nothing and paces nobody."""
    with gateway(tmp_path_factory.mktemp("gateway"), GuardLimits(cache_s=0, burst=100_000)) as running:
        yield running


@pytest.fixture
def door(shared: Gateway) -> Gateway:
    """The same, with nothing asked yet and nothing wrong."""
    shared.provider.failure, shared.provider.results, shared.missing[0] = None, 3, ""
    shared.provider.asked.clear()
    return shared


@pytest.mark.claim("OP-010")
def test_a_search_gives_title_address_and_snippet(door: Gateway) -> None:
    assert door.search(max_results=2) == (
        200,
        {
            "results": [
                {"title": f"T{n}", "url": f"https://example.com/{n}", "snippet": f"<b>ü? {n}"} for n in range(2)
            ]
        },
    )


@pytest.mark.claim("ST-060")
@pytest.mark.parametrize(("wanted", "found"), [(None, 3), (0, 1), (-5, 1), (2, 2), (1000, 3)])
def test_the_number_of_results_is_clamped(door: Gateway, wanted: int | None, found: int) -> None:
    status, answer = door.search(max_results=wanted)
    assert (status, len(answer["results"])) == (200, found)


def test_nothing_found_is_an_answer(door: Gateway) -> None:
    door.provider.results = 0
    assert door.search() == (200, {"results": []})


@pytest.mark.claim("ST-055")
def test_the_caller_cannot_choose_who_is_asked(door: Gateway) -> None:
    status, _ = door.search("tides", engine="evil", provider="brave", url="http://evil.example/")
    assert (status, door.provider.asked) == (200, ["tides"])


@pytest.mark.claim("ST-037", "ST-038")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({}, 415),
        ({**JSON, "Origin": "http://127.0.0.1:8790"}, 403),
        ({**JSON, "Origin": "null"}, 403),
        ({**JSON, "Host": "evil.example"}, 403),
        ({**JSON, "Host": "127.0.0.1:1"}, 403),
        ({**JSON, "Host": "127.0.0.1"}, 403),
        ({**JSON, "Content-Length": "-5"}, 411),
        ({**JSON, "Content-Length": str(MOST_BYTES + 1)}, 413),
        ({**JSON, "Content-Length": "9" * 5000}, 413),
        ({**JSON, "Content-Type": "Application/JSON; charset=utf-8"}, 200),
    ],
    ids=lambda one: str(one)[:80],
)
def test_only_json_from_programs_on_this_machine_is_taken(
    door: Gateway, headers: dict[str, str], status: int
) -> None:
    got, answer, _ = door.ask(body={"query": "tides"}, headers=headers)
    assert got == status
    assert door.provider.asked == (["tides"] if status == 200 else [])
    assert ("error" in answer) == (status != 200)


def test_a_web_page_does_not_see_the_state_either(door: Gateway) -> None:
    assert door.ask("GET", "/status", headers={"Origin": "https://evil.example"})[0] == 403


NONSENSE: list[object] = [b"", b"{", b"[]", b"\xff", b'"tides"', b"[" * 60_000, {}, {"query": ""}, {"query": " \n"}]
WRONG_NUMBERS: list[object] = [True, "3", 1.5, []]


@pytest.mark.parametrize(
    "body",
    [*NONSENSE, {"query": 5}, *({"query": "tides", "max_results": wrong} for wrong in WRONG_NUMBERS)],
    ids=lambda body: str(body)[:30],
)
def test_a_request_that_says_nothing_sensible_is_refused(door: Gateway, body: object) -> None:
    status, answer, _ = door.ask(body=body)
    assert (status, door.provider.asked) == (400, [])
    assert answer["error"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 404), ("POST", "/v1/searches", 404), ("GET", "/v1/search", 405), ("POST", "/status", 405)]
    + [(method, "/v1/search", 405) for method in ("PUT", "DELETE", "OPTIONS", "PATCH")],
)
def test_nothing_else_is_there(door: Gateway, method: str, path: str, status: int) -> None:
    assert door.ask(method, path, {"query": "tides"})[0] == status


@pytest.mark.claim("AD-015")
def test_what_is_missing_is_told_with_503(door: Gateway) -> None:
    door.missing[0] = "SearXNG has no address. Set search_url."
    assert door.search() == (503, {"error": "SearXNG has no address. Set search_url."})
    assert door.provider.asked == []


@pytest.mark.claim("OP-036")
def test_over_the_pace_it_is_refused_with_the_seconds_to_wait(tmp_path: Path) -> None:
    with gateway(tmp_path, GuardLimits(burst=2, refill_s=20)) as door:
        words = ["tides", "lighthouses", "canals"]
        assert [door.search(word)[0] for word in words] == [200, 200, 503]
        status, answer, headers = door.ask(body={"query": "canals"})
        assert (status, headers["Retry-After"]) == (503, "20")
        assert "20 s" in answer["error"]
        door.clock.move(15.5)
        assert door.ask(body={"query": "canals"})[2]["Retry-After"] == "5"
        assert door.provider.asked == words[:2]  # nothing was sent later by itself
        assert door.search("tides")[0] == 200  # what is remembered is answered all the same


@pytest.mark.claim("OP-039", "OP-049")
def test_two_refusals_pause_and_the_status_says_why(tmp_path: Path) -> None:
    with gateway(tmp_path) as door:
        door.provider.failure = SearchError(
            "The search engines are refusing requests.",
            cause=SearchCause.ENGINES_REFUSED,
            engines=(("brave", "too many requests"),),
        )
        words = ("tides", "lighthouses", "canals", "ferries")
        assert [door.search(word)[0] for word in words] == [503] * 4
        assert door.provider.asked == ["tides", "lighthouses"]
        _, answer, headers = door.ask(body={"query": "canals"})
        assert "brave: too many requests" in answer["error"]
        assert headers["Retry-After"] == "300"
        _, state, _ = door.ask("GET", "/status")
        assert "brave: too many requests" in state.pop("reason")
        assert state == {
            "sent": 2,
            "from_cache": 0,
            "paced": 0,
            "paused": True,
            "paused_s": 300,
            "refused_while_paused": 3,
        }
        door.provider.failure = None
        door.clock.move(301)
        assert door.search("canals")[0] == 200
        assert door.ask("GET", "/status")[1]["paused"] is False


def test_a_search_that_failed_is_a_502_with_its_reason(door: Gateway) -> None:
    door.provider.failure = SearchError("SearXNG is not reachable.", cause=SearchCause.UNREACHABLE)
    assert door.search() == (502, {"error": "SearXNG is not reachable."})


@pytest.mark.claim("ST-058")
def test_what_nobody_expected_is_a_502_and_stands_in_the_log(door: Gateway, caplog: pytest.LogCaptureFixture) -> None:
    for failure in (ZeroDivisionError("by zero"), OSError("the disk is full")):
        door.provider.failure = failure
        status, answer = door.search()
        assert (status, "llamachat" in answer["error"]) == (502, True)
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2
    door.provider.failure = None
    assert door.search()[0] == 200


def test_a_client_that_goes_away_in_the_middle_of_its_request_harms_nobody(door: Gateway) -> None:
    site = urlsplit(door.address)
    for sent in (b"", b"POST /v1/search", b"GARBAGE\r\n\r\n"):
        with socket.create_connection((site.hostname or "", site.port or 0), timeout=10) as connection:
            connection.sendall(sent)
    with socket.create_connection((site.hostname or "", site.port or 0), timeout=10) as connection:
        connection.sendall(b"POST /v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        connection.shutdown(socket.SHUT_WR)
        assert connection.makefile("rb").readline().split()[1] == b"403"
    assert door.search()[0] == 200


def test_no_name_service_is_asked_for_it(door: Gateway) -> None:
    called: list[str] = []
    sys.setprofile(lambda _, event, what: called.append(what.__name__) if event == "c_call" else None)
    try:
        with running_gateway(door.parts, port=0):
            pass
    finally:
        sys.setprofile(None)
    assert "listen" in called
    assert "gethostbyaddr" not in called


def test_a_port_that_is_taken_is_told(door: Gateway) -> None:
    for port in (urlsplit(door.address).port or 0, 70_000):
        with pytest.raises(UserFacingError, match=f"Port {port}"), running_gateway(door.parts, port=port):
            pass

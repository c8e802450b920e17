"""Every search ends in a record."""

from __future__ import annotations

import json
import socket
from dataclasses import replace

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled
from llamachat.core.search_record import SearchRecord, SearchResult, record_from_json, record_to_json
from tests.fakes.replay import answer, replay
from tests.fakes.searching import searxng_search


class SteppingClock:
    """Each look at it is a second later."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def now(self) -> float:
        return self.monotonic()

    def monotonic(self) -> float:
        self._seconds += 1
        return self._seconds


def record(url: str, query: str = "tides") -> SearchRecord:
    service = searxng_search(url, clock=SteppingClock())
    return service.find(query, CancelToken())


def reply(payload: dict[str, object]) -> bytes:
    return json.dumps({"results": []} | payload).encode()


def test_results() -> None:
    body = reply(
        {
            "results": [{"url": "https://e.example/", "title": "T", "content": "c"}],
            "unresponsive_engines": [["brave", "CAPTCHA"]],
        }
    )
    with replay(answer(200, {}, body)) as server:
        found = record(server.url)
    assert found.seconds > 0 < found.at
    assert replace(found, seconds=0.0, at=0.0) == SearchRecord(
        query="tides",
        results=(SearchResult("T", "https://e.example/", "c"),),
        provider="SearXNG",
        engines=(("brave", "CAPTCHA"),),
    )
    assert record_from_json(record_to_json(found)) == found


def test_a_password_that_the_server_repeats_is_not_recorded() -> None:
    result = {"url": "https://e.example/", "title": "T", "content": "Authorization: Basic bWU6c2VjcmV0LXdvcmQ="}
    with replay(answer(200, {}, reply({"results": [result]}))) as server:
        found = record(server.url.replace("//", "//me:secret-word@"))
        assert b"Basic bWU6c2VjcmV0LXdvcmQ=" in server.received[0]
    assert found.results[0].content == "Authorization: Basic ***"


def test_no_results_are_no_failure() -> None:
    with replay(answer(200, {}, reply({}))) as server:
        found = record(server.url)
    assert not found.failed
    assert (found.results, found.cause) == ((), "")


def test_what_was_sent_is_told_where_it_differs() -> None:
    with replay(answer(200, {}, reply({}))) as server:
        found = record(server.url, "!!g tides\n")
    assert (found.query, found.asked) == ("!!g tides\n", "g tides")


def test_a_failure_is_a_record_with_its_next_step() -> None:
    body = reply({"unresponsive_engines": [["brave", "CAPTCHA"]]})
    with replay(answer(200, {}, body)) as server:
        found = record(server.url, "!g tides")
    assert found.failed
    assert found.cause == "engines_refused"
    assert "brave: CAPTCHA" in found.error
    assert "Try again" in found.error
    assert (found.engines, found.asked, found.provider) == ((("brave", "CAPTCHA"),), "g tides", "SearXNG")
    assert found.seconds > 0


def test_a_server_that_is_away() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    found = record(url)
    assert found.cause == "unreachable"
    assert "connection refused" in found.error


@pytest.mark.parametrize(("url", "cause"), [("", "not_configured"), ("ftp://x", "bad_address")])
def test_an_address_that_is_none(url: str, cause: str) -> None:
    found = record(url)
    assert found.cause == cause
    assert "search_url" in found.error


def test_a_password_in_the_address_reaches_no_record() -> None:
    with replay(answer(401, {}, b"")) as server:
        found = record(server.url.replace("://", "://me:hunter2@"))
    assert found.cause == "unauthorized"
    assert "hunter2" not in record_to_json(found)


def test_only_stop_is_raised() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        searxng_search("http://127.0.0.1:1", clock=SteppingClock()).find("tides", cancel)

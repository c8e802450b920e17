"""One request to an endpoint of the user's: what it sends, counts and never does. Failures: test_search_failures."""

from __future__ import annotations

import json
import logging

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled
from llamachat.web_request import Exchange, Fault, RequestFailed, WebReply, WebRequest
from tests.fakes.replay import answer, replay, stall

SECRET = "sk-0123456789abcdef"


def exchange() -> Exchange:
    return Exchange(20, max_bytes=1000)


def sent(request: WebRequest, means: Exchange | None = None) -> WebReply:
    means = means or exchange()
    return means.run(lambda: means.send(request), cancel=CancelToken())


def test_a_form_and_json_go_into_the_body_with_their_type() -> None:
    with replay(answer(200, {"X-Y": "z"}, b"yes")) as server:
        form = WebRequest("POST", server.url, headers={"A": "b"}, form={"q": "ü &"})
        reply = sent(form)
        sent(WebRequest("POST", server.url, json={"q": "ü"}))
    assert (reply.status, reply.headers["x-y"], reply.body) == (200, "z", b"yes")
    first, second = (request.partition(b"\r\n\r\n") for request in server.received)
    assert first[2] == b"q=%C3%BC+%26"
    assert b"content-type: application/x-www-form-urlencoded" in first[0].lower()
    assert b"a: b" in first[0].lower()
    assert json.loads(second[2]) == {"q": "ü"}
    assert b"content-type: application/json" in second[0].lower()


def test_nothing_is_followed_and_no_cookie_is_kept() -> None:
    moved = answer(302, {"Location": "/elsewhere", "Set-Cookie": "a=b"}, b"")
    with replay(moved) as server:
        assert [sent(WebRequest("GET", server.url)).status for _ in range(2)] == [302, 302]
    assert len(server.received) == 2
    assert b"cookie" not in server.received[1].lower()


def test_bytes_are_counted_in_both_directions() -> None:
    means = exchange()
    with replay(answer(200, {"X-Long": "y" * 200}, b"z" * 300)) as server:
        sent(WebRequest("POST", server.url, form={"q": "x" * 100}), means)
    assert len(server.received[0]) - 60 < means.traffic.bytes_out <= len(server.received[0])
    assert means.traffic.bytes_in > 500


def test_nothing_is_sent_once_it_is_over() -> None:
    means, cancel = exchange(), CancelToken()
    cancel.cancel()
    with replay(stall()) as server:
        with pytest.raises(Cancelled):
            means.run(lambda: means.send(WebRequest("GET", server.url)), cancel=cancel)
        means.over.set()
        with pytest.raises(RequestFailed) as failed:
            means.send(WebRequest("GET", server.url))
    assert failed.value.fault is Fault.TIMEOUT
    assert server.received == []


@pytest.mark.parametrize("url", ["http://[::1", "http://x:port/", "http://a..b/", f"http://{'a' * 70}.example/"])
def test_an_address_that_is_none_is_not_quoted(url: str) -> None:
    with pytest.raises(RequestFailed) as failed:
        exchange().send(WebRequest("GET", f"{url}?key={SECRET}"))
    assert failed.value.fault is Fault.BAD_ADDRESS
    assert failed.value.__cause__ is None
    assert SECRET not in str(failed.value)


def test_no_secret_shows_in_a_repr_or_a_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with replay(answer(200, {"X-Echo": SECRET}, SECRET.encode())) as server:
        request = WebRequest("POST", f"{server.url}/?key={SECRET}", headers={"A": SECRET}, form={"key": SECRET})
        sent(request)
    assert SECRET.encode() in server.received[0]
    assert SECRET not in repr(request) + caplog.text

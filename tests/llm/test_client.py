"""Answers over real sockets: the cases of the streams, ends and cut-offs, waiting for a model to load."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import (
    CompletionRequest,
    ContentDelta,
    Delta,
    Endpoint,
    FinishDelta,
    ServerWait,
    ToolCallDelta,
)
from llamachat.core.errors import Cancelled, ServerCause, ServerError
from llamachat.core.messages import JsonObject
from llamachat.llm.client import ChatClient
from llamachat.llm.request import body_bytes, request_body
from tests.fakes.sse_server import (
    DONE,
    RESET,
    SseServer,
    chunk,
    chunked_head,
    content,
    event,
    finish,
    http,
    stream_head,
)
from tests.llm.cases import Collected, Run, runs
from tests.llm.waiting import WaitingClock, WaitingToken

REQUEST = CompletionRequest(({"role": "user", "content": "Hello \U0001f600"},))
ANSWER = [stream_head(), content("Hi"), finish(), DONE]


def stream(server: SseServer, api_key: str = "") -> Iterator[Delta]:
    """The deltas of an answer of the server."""
    client = ChatClient(Endpoint(server.base_url, api_key, request_timeout_s=20), clock=SystemClock())
    try:
        yield from client.stream(REQUEST, CancelToken())
    finally:
        client.close()


def failure(server: SseServer, api_key: str = "") -> ServerError:
    """The error of an answer that must have one."""
    with pytest.raises(ServerError) as caught:
        list(stream(server, api_key))
    return caught.value


@pytest.mark.parametrize("run", runs("stream"))
@pytest.mark.parametrize("bytewise", [False, True], ids=["as it came", "byte by byte"])
def test_case(run: Run, *, bytewise: bool) -> None:
    whole = b"".join(run.reads)
    pieces = [whole[i : i + 1] for i in range(len(whole))] if bytewise else run.reads
    collected = Collected()
    with SseServer([stream_head(), *pieces]) as server:
        collected.take(stream(server))
    collected.check(run.expected)


def test_what_is_sent() -> None:
    with SseServer(ANSWER) as server:
        assert list(stream(server, "k3y")) == [ContentDelta("Hi"), FinishDelta("stop")]
        assert list(stream(server)) == [ContentDelta("Hi"), FinishDelta("stop")]
    first, second = server.requests
    assert (first.method, first.path) == ("POST", "/v1/chat/completions")
    assert first.body == second.body == body_bytes(request_body(REQUEST))
    assert first.headers["authorization"] == "Bearer k3y"
    assert "authorization" not in second.headers
    assert first.headers["content-type"] == "application/json"
    assert first.headers["accept-encoding"] == "identity"


def test_done_ends_it_though_the_connection_stays() -> None:
    with SseServer([*ANSWER, b": still here\n\n", content("more")]) as server:
        assert list(stream(server)) == [ContentDelta("Hi"), FinishDelta("stop")]


def test_a_connection_lost_in_the_middle_keeps_what_came() -> None:
    collected = Collected()
    with SseServer([chunked_head(), chunk(content("The first half"))]) as server:
        collected.take(stream(server))
    error: JsonObject = {"cause": "cut_off", "says": "connection"}
    collected.check({"content": "The first half", "reasoning": "", "calls": [], "finish": None, "error": error})


def test_a_connection_lost_behind_the_end_does_not_matter() -> None:
    with SseServer([chunked_head(), chunk(content("Hi") + finish())]) as server:
        assert list(stream(server)) == [ContentDelta("Hi"), FinishDelta("stop")]


def test_a_reset_connection() -> None:
    with SseServer([stream_head(), RESET]) as server:
        assert failure(server).cause is ServerCause.CUT_OFF


def test_a_server_that_does_not_stream() -> None:
    body = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}
    for text in (json.dumps(body), json.dumps(body, indent=2)):
        with SseServer([http(text)]) as server:
            assert list(stream(server)) == [ContentDelta("Hi"), FinishDelta("stop")]


def test_text_cut_in_the_middle_of_a_character() -> None:
    data = event(choices=[{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f"}}]}}])
    text = b'data: {"choices":[{"delta":{"content":"' + "\U0001f600\u00e4".encode() + b'"}}]}\n\n'
    cut = text.index(b"\x9f")
    with SseServer([stream_head(), data, text[:cut], text[cut:], finish("tool_calls")]) as server:
        assert list(stream(server)) == [
            ToolCallDelta(0, "a", "f"),
            ContentDelta("\U0001f600\u00e4"),
            FinishDelta("tool_calls"),
        ]


@pytest.mark.parametrize(
    ("reply", "cause", "says"),
    [
        (
            http("<html><h1>Welcome</h1></html>", kind="text/html; charset=utf-8"),
            ServerCause.NOT_A_SERVER,
            "no answer",
        ),
        (http("<html>", kind="text/plain"), ServerCause.NOT_A_SERVER, "no answer"),
        (http(""), ServerCause.NOT_A_SERVER, "no answer"),
        (http('{"models": []}'), ServerCause.NOT_A_SERVER, "no answer"),
        (stream_head(), ServerCause.CUT_OFF, "broke off"),
        (
            http("", status=307, headers="Location: https://other.example/\r\n"),
            ServerCause.NOT_A_SERVER,
            "other.example",
        ),
        (http('{"error": {"message": "Invalid API Key"}}', status=401), ServerCause.UNAUTHORIZED, "Invalid API Key"),
        (http("<html><h1>Oops</h1></html>", status=500, kind="text/html"), ServerCause.SERVER_FAULT, "(HTTP 500)"),
    ],
)
def test_what_is_no_answer(reply: bytes, cause: ServerCause, says: str) -> None:
    with SseServer([reply]) as server:
        error = failure(server)
        assert len(server.requests) == 1
    assert error.cause is cause
    assert says in error.sentence
    assert "<" not in error.sentence
    assert error.next_step


@pytest.mark.parametrize("run", runs("refusal"))
def test_a_refusal(run: Run) -> None:
    with SseServer([http(str(run.given["body"]), status=int(str(run.given["status"])))]) as server:
        assert failure(server).cause == run.expected["cause"]


def replies(run: Run) -> list[list[bytes]]:
    """The answers of a case before the server is ready, one a request."""
    answers = run.given["answers"]
    assert isinstance(answers, list)
    return [
        [http(str(body), status=int(str(status)), kind=str(kind))]
        for status, kind, body in (answer for answer in answers if isinstance(answer, list))
    ]


@pytest.mark.parametrize("run", runs("waiting"))
def test_a_message_waits_until_the_server_is_ready(run: Run) -> None:
    clock = WaitingClock()
    with SseServer(*replies(run), ANSWER) as server:
        client = ChatClient(Endpoint(server.base_url), clock=clock)
        deltas = list(client.stream(REQUEST, WaitingToken(clock)))
        client.close()
        bodies = {request.body for request in server.requests}
        assert len(server.requests) == 4
    *waits, first, last = deltas
    assert [first, last] == [ContentDelta("Hi"), FinishDelta("stop")]
    assert bodies == {body_bytes(request_body(REQUEST))}
    times = [
        wait.waited_s for wait in waits if isinstance(wait, ServerWait) and wait.reason == run.expected["reason"]
    ]
    assert len(times) == len(waits) >= 3
    assert times[0] == 0
    assert all(0 < later - earlier <= 1 for earlier, later in pairwise(times))


@pytest.mark.parametrize("run", runs("waiting"))
def test_waiting_has_a_limit(run: Run) -> None:
    clock = WaitingClock()
    with SseServer(replies(run)[0]) as server:
        client = ChatClient(Endpoint(server.base_url, load_timeout_s=60), clock=clock)
        with pytest.raises(ServerError) as caught:
            list(client.stream(REQUEST, WaitingToken(clock)))
        client.close()
        assert 8 <= len(server.requests) <= 20  # the pauses grow
    assert clock.time == pytest.approx(1060, abs=11)
    assert "<" not in str(caught.value)
    assert caught.value.status in (502, 503)


def test_stop_ends_the_waiting() -> None:
    cancel = CancelToken()
    with SseServer([http("{}", status=503)]) as server:
        client = ChatClient(Endpoint(server.base_url), clock=SystemClock())
        deltas = client.stream(REQUEST, cancel)
        assert isinstance(next(deltas), ServerWait)
        cancel.cancel()
        with pytest.raises(Cancelled):
            next(deltas)
        client.close()
        assert len(server.requests) == 1


def test_stop_comes_through_in_the_middle_of_one_long_event() -> None:
    cancel = CancelToken()
    with SseServer([stream_head(), content("<tool_call>" * 100_000), finish(), DONE]) as server:
        client = ChatClient(Endpoint(server.base_url), clock=SystemClock())
        deltas = client.stream(REQUEST, cancel)
        first = next(deltas)
        cancel.cancel()
        with pytest.raises(Cancelled):
            next(deltas)
        client.close()
    assert isinstance(first, ContentDelta)
    assert len(first.text) < 20_000


def test_a_model_that_loads_first_is_waited_for_once() -> None:
    with SseServer(ANSWER) as server:
        client = ChatClient(Endpoint(server.base_url), clock=SystemClock(), loads=True)
        first, second = (list(client.stream(REQUEST, CancelToken())) for _ in range(2))
        client.close()
    assert first == [ServerWait("loading", 0.0), *second]
    assert second[0] == ContentDelta("Hi")


def test_a_token_that_is_set_sends_nothing() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with SseServer(ANSWER) as server:
        client = ChatClient(Endpoint(server.base_url), clock=SystemClock())
        with pytest.raises(Cancelled):
            list(client.stream(REQUEST, cancel))
        assert server.requests == []


def test_the_key_is_in_no_repr_and_no_message() -> None:
    with SseServer([http('{"error": {"message": "wrong key s3cret"}}', status=401)]) as server:
        endpoint = Endpoint(server.base_url, "s3cret")
        assert "s3cret" not in repr(endpoint) + repr(ChatClient(endpoint, clock=SystemClock()))
        assert "s3cret" not in str(failure(server, "s3cret"))


@pytest.mark.parametrize("key", ["with\nbreak", "\u201cquoted\u201d", "tab\t"])
def test_a_key_that_cannot_be_one(key: str) -> None:
    with SseServer(ANSWER) as server:
        error = failure(server, key)
        assert server.requests == []
    assert error.cause is ServerCause.UNAUTHORIZED
    assert key not in str(error)

"""Answers that a server keeps: cut at every byte, gone, refused, hostile, stopped."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from contextlib import closing

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
    StreamPosition,
)
from llamachat.core.errors import Cancelled, ServerCause, ServerError
from llamachat.llm.client import ChatClient
from llamachat.llm.server import ServerProbe
from llamachat.llm.streams import Patience, new_stream_id, server_digest
from tests.fakes.sse_server import (
    DONE,
    HOLD,
    RESET,
    Reply,
    SseServer,
    chunk,
    chunked_head,
    content,
    finish,
    http,
    stream_head,
)
from tests.recorder_parts import wait_until

HALVES = (
    b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\ndata: {"choices":[{"delta":{"content":"\\udc1d"}}]}\n\n'
)
STREAM = b":\n\n" + content("The bee, ") + HALVES + content("蜜蜂 é ") + content("hums.") + finish() + DONE
SAID = "The bee, 🐝蜜蜂 é hums."
REQUEST = CompletionRequest(({"role": "user", "content": "?"},), model="qwen", keep=True)


def client(server: SseServer, *pauses_s: float, silence_s: float = 20.0) -> ChatClient:
    """A client that knows that the server keeps streams."""
    endpoint = Endpoint(server.base_url, "s3cret", request_timeout_s=20)
    patience = Patience(silence_s, pauses_s or (0.0, 0.0, 0.0))
    return ChatClient(endpoint, clock=SystemClock(), keeps_streams=True, patience=patience)


def run(server: SseServer, request: CompletionRequest = REQUEST) -> list[Delta]:
    """All deltas of one answer."""
    with closing(client(server)) as made:
        return list(made.stream(request, CancelToken()))


def text(deltas: Sequence[Delta]) -> str:
    """The content."""
    return "".join(delta.text for delta in deltas if isinstance(delta, ContentDelta))


def rest(data: bytes) -> Reply:
    """What follows in a stream that is taken up."""
    return [stream_head(), data] if data else [http(b"", kind="text/event-stream")]


@pytest.mark.slow
def test_a_stream_that_is_cut_at_any_byte_is_whole() -> None:
    replies: list[Reply] = []
    for cut in range(len(STREAM)):
        replies += [[chunked_head(), *([chunk(STREAM[:cut])] if cut else []), RESET], rest(STREAM[cut:])]
    with SseServer(*replies) as server:
        for cut in range(len(STREAM) - len(DONE)):
            deltas = run(server)
            assert text(deltas) == SAID
            assert deltas.count(FinishDelta("stop")) == 1
            asked, again = server.requests[2 * cut : 2 * cut + 2]
            stream_id = asked.headers["x-conversation-id"]
            assert again.method == "GET"
            assert again.path.startswith(f"/v1/stream?conv_id={stream_id.replace(':', '%3A')}&from=")
            assert int(again.path.rpartition("=")[2]) <= cut


def test_a_stream_that_ends_too_early_again_and_again_is_taken_up_each_time() -> None:
    cuts = [0, 9, 60, 61, 130, 220, len(STREAM)]
    pieces = [STREAM[begin:end] for begin, end in itertools.pairwise(cuts)]
    with SseServer(*([stream_head(), piece] for piece in pieces)) as server:
        assert text(run(server)) == SAID
    offsets = [int(request.path.rpartition("=")[2]) for request in server.requests[1:]]
    assert offsets == cuts[1:-1]
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer s3cret"}


def test_positions_stand_behind_whole_events() -> None:
    long = b"".join(content("word " * 200) for _ in range(80))
    data = long + finish() + DONE
    with SseServer([stream_head(), *(data[at : at + 700] for at in range(0, len(data), 700))]) as server:
        deltas = run(server)
    positions = [delta.offset for delta in deltas if isinstance(delta, StreamPosition)]
    assert positions[0] == 0
    assert len(positions) > 2
    for place, delta in enumerate(deltas):
        if isinstance(delta, StreamPosition):
            assert data[: delta.offset].endswith(b"\n\n") or not delta.offset
            assert data[: delta.offset].count(b"data:") == sum(isinstance(d, ContentDelta) for d in deltas[:place])


@pytest.mark.parametrize(
    ("answers", "requests", "gone"),
    [
        ([[http('{"error": {"code": 404, "message": "File Not Found"}}', status=404)]], 2, True),
        ([[http('{"error": {"code": 400, "message": "Stream offset lost"}}', status=400)]], 2, True),
        ([[http('{"error": {"code": 401, "message": "key"}}', status=401)]], 2, False),
        ([[http(b"", kind="text/event-stream")]], 2, True),
        ([[RESET]], 4, False),
        ([[http('{"error": {"code": 503, "message": "loading"}}', status=503)]], 4, False),
        ([[http("<h1>Log in to this network</h1>", kind="text/html")]], 4, False),
    ],
    ids=["gone", "too old", "key", "at its end", "away", "loading", "a network's page"],
)
def test_what_cannot_be_taken_up_ends_as_cut_off(answers: list[Reply], requests: int, *, gone: bool) -> None:
    with SseServer([stream_head(), content("The bee")], *answers) as server:
        deltas: list[Delta] = []
        with closing(client(server)) as made, pytest.raises(ServerError) as failed:
            deltas.extend(made.stream(REQUEST, CancelToken()))
    assert failed.value.cause is ServerCause.CUT_OFF
    assert (deltas[-1] == StreamPosition("")) is gone
    assert len(server.requests) == requests
    assert all(request.method != "DELETE" for request in server.requests)


def test_how_long_the_connection_has_been_away_only_grows() -> None:
    replies: list[Reply] = [[stream_head(), content("The bee")], [http("", status=502)]]
    deltas: list[Delta] = []
    with SseServer(*replies) as server, closing(client(server, 0.02, 0.03, 0.02)) as made, pytest.raises(ServerError):
        deltas.extend(made.stream(REQUEST, CancelToken()))
    waits = [delta.waited_s for delta in deltas if isinstance(delta, ServerWait)]
    assert len(waits) >= 3
    assert waits == sorted(waits)


def test_a_server_that_has_ended_is_not_waited_for() -> None:
    with SseServer([stream_head(), content("The bee"), HOLD]) as server:
        made = client(server, 0.0, 0.0, 0.0, 60.0)
        deltas = made.stream(REQUEST, CancelToken())
        assert any(isinstance(delta, ContentDelta) for delta in deltas)
    with closing(made), pytest.raises(ServerError) as failed:
        list(deltas)
    assert failed.value.cause is ServerCause.CUT_OFF


def test_the_connection_may_be_away_for_a_while() -> None:
    with SseServer(
        [stream_head(), STREAM[:100]],
        [http("", status=502)],
        [http("<p>", kind="text/html")],
        [stream_head(), STREAM[100:150]],
        [RESET],
        [RESET],
        [stream_head(), STREAM[150:]],
    ) as server:
        assert text(run(server)) == SAID


def test_a_connection_on_which_nothing_comes_any_more_is_lost() -> None:
    replies: list[Reply] = [[stream_head(), STREAM[:100], HOLD], [stream_head(), STREAM[100:]]]
    with SseServer(*replies) as server, closing(client(server, silence_s=0.2)) as made:
        assert text(list(made.stream(REQUEST, CancelToken()))) == SAID
    assert server.requests[1].path.endswith("&from=100")


def test_waiting_is_told_and_stop_ends_it() -> None:
    cancel = CancelToken()
    replies = [stream_head(), content("The bee")], [http("", status=503)]
    with SseServer(*replies) as server, closing(client(server, 0.0, 60.0)) as made:
        deltas = made.stream(REQUEST, cancel)
        wait = next(delta for delta in deltas if isinstance(delta, ServerWait))
        assert wait.reason == "taking_up"
        threading.Timer(0.05, cancel.cancel).start()
        with pytest.raises(Cancelled):
            list(deltas)


def test_a_server_that_is_not_known_to_keep_streams_gets_no_odd_header() -> None:
    with SseServer([stream_head(), STREAM]) as server:
        made = ChatClient(Endpoint(server.base_url), clock=SystemClock())
        deltas = list(made.stream(REQUEST, CancelToken()))
    assert text(deltas) == SAID
    assert not any(isinstance(delta, StreamPosition) for delta in deltas)
    assert "x-conversation-id" not in server.requests[0].headers


def test_stop_has_the_server_stop() -> None:
    cancel = CancelToken()
    with SseServer([stream_head(), content("The bee"), HOLD], [http(b"", status=204)]) as server:
        with closing(client(server)) as made:
            deltas = made.stream(REQUEST, cancel)
            assert any(isinstance(delta, ContentDelta) for delta in deltas)
            server.asked.clear()
            cancel.cancel()
            with pytest.raises(Cancelled):
                list(deltas)
        assert server.asked.wait(10)
    asked, stopped = server.requests
    assert stopped.method == "DELETE"
    assert stopped.path == f"/v1/stream?conv_id={asked.headers['x-conversation-id'].replace(':', '%3A')}"
    assert stopped.headers["authorization"] == "Bearer s3cret"


def test_stop_before_anything_came_waits_until_the_server_knows_the_answer() -> None:
    cancel = CancelToken()
    gone, loads = http("{}", status=404), http("{}", status=503)
    with (
        SseServer([HOLD], [gone], [gone], [loads], [http(b"", status=204)]) as server,
        closing(client(server)) as made,
    ):
        deltas = made.stream(REQUEST, cancel)
        assert isinstance(next(deltas), StreamPosition)
        threading.Timer(0.1, cancel.cancel).start()
        with pytest.raises(Cancelled):
            list(deltas)
        wait_until(lambda: len(server.requests) == 5)
    assert [request.method for request in server.requests] == ["POST", "GET", "GET", "GET", "DELETE"]


def test_a_request_that_was_refused_needs_no_stop() -> None:
    with (
        SseServer(
            [http('{"error": {"code": 400, "message": "bad", "type": "invalid_request_error"}}', status=400)]
        ) as server,
        pytest.raises(ServerError),
    ):
        run(server)
    assert len(server.requests) == 1


def test_names_cannot_be_guessed_and_fit_into_a_header() -> None:
    names = {new_stream_id("Qwen/Qwen3:8B") for _ in range(100)}
    assert len(names) == 100
    assert all(name.endswith("::Qwen/Qwen3:8B") and len(name.partition(":")[0]) >= 22 for name in names)
    for model in ("", "mein Modell", "蜜蜂", "a\r\nHost: b"):
        assert ":" not in new_stream_id(model)


def test_the_digest_tells_servers_apart_and_holds_no_password() -> None:
    first, second = (server_digest(Endpoint(f"http://user:s3cret@{host}")) for host in ("a", "b"))
    assert first != second
    assert "s3cret" not in first


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (http('[{"conversation_id": "a", "is_done": false}, {"conversation_id": "other"}]'), {"a"}),
        (http("[]"), set()),
        (http('[1, null, "a", {"conversation_id": ["a"]}, {"conversation_id": 3}]'), set()),
        (http('{"conversation_id": "a"}'), None),
        (http("<h1>no</h1>", kind="text/html"), None),
        (http('{"error": {"code": 404}}', status=404), None),
        (http("", status=500), None),
        (http("[" * 100_000), None),
        (http(b'["' + b"x" * (5 * 1024 * 1024) + b'"]'), None),
    ],
    ids=["one", "none", "junk", "no list", "a page", "no such route", "broken", "deep", "5 MiB"],
)
def test_what_a_server_says_that_it_keeps(reply: bytes, expected: set[str] | None) -> None:
    with SseServer([reply]) as server, closing(ServerProbe(Endpoint(server.base_url))) as probe:
        assert probe.kept_streams(["a", "b"]) == expected
    assert (server.requests[0].method, server.requests[0].path) == ("POST", "/v1/streams/lookup")


def test_hanging_up_on_the_last_half_of_an_answer_that_is_gone_is_no_error() -> None:
    half = b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n'
    with SseServer([chunked_head(), chunk(half), RESET], [http(b"{}", status=404)]) as server:
        with closing(client(server)) as made, closing(made.stream(REQUEST, CancelToken())) as deltas:
            assert ContentDelta("\ufffd") in deltas  # reads as far as that
        assert [request.method for request in server.requests] == ["POST", "GET"]

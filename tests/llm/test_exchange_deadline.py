"""Servers that drip: what has a deadline over the whole, and what may last."""

from __future__ import annotations

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import ServerCause, ServerError
from tests.fakes.sse_server import DRIP, HOLD, Reply, SseServer, chunk, chunked_head
from tests.llm.test_exchange import SOON, exchange, failure

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
DRIPPING: dict[str, Reply] = {
    "head": [HEAD + b"X: ", DRIP],
    "body": [HEAD + b"Content-Length: 9999\r\n\r\n", DRIP],
    "size of a chunk": [chunked_head() + b"1;", DRIP],
    "nothing": [HOLD],
}


@SOON
@pytest.mark.parametrize("reply", DRIPPING.values(), ids=DRIPPING)
def test_a_question_has_a_deadline_over_the_whole(reply: Reply) -> None:
    with (
        SseServer(reply) as server,
        exchange(server.base_url) as made,
        pytest.raises(ServerError) as caught,
        made.open("GET", "/x", cancel=CancelToken(), within_s=0.2) as answer,
    ):
        answer.body()
    assert caught.value.cause is ServerCause.TIMEOUT
    assert server.hung_up.is_set()


@SOON
def test_a_stream_must_begin_in_time() -> None:
    with SseServer(DRIPPING["head"]) as server:
        assert failure(server.base_url, timeout_s=0.2).cause is ServerCause.TIMEOUT


@SOON
def test_the_body_of_a_failure_has_a_deadline_and_what_came_of_it_counts() -> None:
    reply: Reply = [b"HTTP/1.1 500 Status\r\nContent-Length: 9999\r\n\r\nOut of memory.", DRIP]
    with (
        SseServer(reply) as server,
        exchange(server.base_url, timeout_s=0.2) as made,
        made.open("POST", "/x", cancel=CancelToken(), content=b"") as answer,
    ):
        assert answer.body().startswith("Out of memory.")


@pytest.mark.slow
def test_a_stream_lasts_as_long_as_bytes_come() -> None:
    with SseServer([chunked_head() + chunk(b"whole")[:-2] + b"\r\n9999\r\n", DRIP], longest_wait_s=3) as server:
        error = failure(server.base_url, timeout_s=1)
    assert error.cause is ServerCause.CUT_OFF  # the server's end, after thrice the longest silence

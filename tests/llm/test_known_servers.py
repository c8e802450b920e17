"""What is remembered of servers, and that asking them can be stopped."""

from __future__ import annotations

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Endpoint
from llamachat.core.errors import Cancelled
from llamachat.llm.known_servers import KnownServers
from llamachat.llm.server import ServerProps
from tests.fakes.replay import answer, replay, stall
from tests.llm.test_exchange import stop_after


def test_whether_a_model_always_thinks_is_asked_once() -> None:
    servers = KnownServers()
    with replay(answer(200, {}, b'{"prompt": "user: ?\\nassistant: <think>\\n"}'), stall()) as server:
        for _ in range(2):
            assert servers.always_thinks(Endpoint(server.url), ServerProps(), "qwen", cancel=CancelToken())
    assert len(server.received) == 1


def test_stop_does_not_wait_for_a_server_that_is_asked_how_a_model_thinks() -> None:
    cancel = CancelToken()
    with replay(stall(), patient=True) as server:  # it is left only by whoever hangs up
        join = stop_after(server.asked, cancel)
        with pytest.raises(Cancelled):
            KnownServers().always_thinks(Endpoint(server.url), ServerProps(), "qwen", cancel=cancel)
        join()


LLAMA = ServerProps(build="b11434")


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (b'{"prompt": "user: ?\\nassistant: <think>\\nLet me see, half a tho"}', True),
        (b'{"prompt": "user: ?\\nassistant: "}', False),
    ],
)
def test_whether_a_thought_can_go_on_is_seen_in_the_prompt_and_asked_once(prompt: bytes, expected: bool) -> None:
    servers = KnownServers()
    with replay(answer(200, {}, prompt), stall()) as server:
        for _ in range(2):
            assert servers.thinks_on(Endpoint(server.url), LLAMA, "qwen", cancel=CancelToken()) is expected
    assert len(server.received) == 1


def test_a_server_that_is_silent_about_it_is_asked_again_the_next_time() -> None:
    servers = KnownServers()
    good = answer(200, {}, b'{"prompt": "<think>Let me see, half a tho"}')
    with replay(answer(404, {}, b"{}"), good) as server:
        assert not servers.thinks_on(Endpoint(server.url), LLAMA, "qwen", cancel=CancelToken())
        assert servers.thinks_on(Endpoint(server.url), LLAMA, "qwen", cancel=CancelToken())
        assert not servers.thinks_on(Endpoint(server.url), ServerProps(), "other", cancel=CancelToken())
    assert len(server.received) == 2


def test_whether_a_server_keeps_streams_is_asked_once_of_each_build() -> None:
    servers = KnownServers()
    with replay(answer(200, {}, b"[]"), answer(404, {}, b"{}"), stall()) as server:
        endpoint = Endpoint(server.url)
        for _ in range(2):
            assert servers.keeps_streams(endpoint, ServerProps(build="b2"), CancelToken())
            assert not servers.keeps_streams(endpoint, ServerProps(build="b1"), CancelToken())
    assert len(server.received) == 2


def test_a_server_that_is_no_llama_server_is_not_asked_whether_it_keeps_streams() -> None:
    with replay(stall()) as server:
        assert not KnownServers().keeps_streams(Endpoint(server.url), ServerProps(), CancelToken())
    assert server.received == []


def test_stop_does_not_wait_for_a_server_that_is_asked_whether_it_keeps_streams() -> None:
    cancel = CancelToken()
    with replay(stall(), patient=True) as server:
        join = stop_after(server.asked, cancel)
        with pytest.raises(Cancelled):
            KnownServers().keeps_streams(Endpoint(server.url), LLAMA, cancel)
        join()

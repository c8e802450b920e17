"""Stop in every phase of a request, TLS, proxies, and servers that are not there."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Endpoint
from llamachat.core.errors import Cancelled, ServerCause, ServerError
from llamachat.llm.exchange import Exchange
from tests.fakes.sse_server import HOLD, RESET, Reply, SseServer, chunk, chunked_head, http

CERTIFICATE = Path(__file__).resolve().parent.parent / "data" / "searxng" / "tls" / "local.pem"
SOON = pytest.mark.timeout(15)  # a Stop that does not wake would take 20 s or more


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    for thread in threading.enumerate():
        if thread.name == "llamachat-open":
            thread.join(10)
            assert not thread.is_alive()


@contextmanager
def exchange(base_url: str, *, key: str = "", timeout_s: float = 20) -> Iterator[Exchange]:
    """An exchange that is closed at the end."""
    made = Exchange(Endpoint(base_url, key), timeout_s)
    try:
        yield made
    finally:
        made.close()


def get(base_url: str, cancel: CancelToken | None = None, timeout_s: float = 20) -> tuple[int, str]:
    """Status and body of one request, read to the end."""
    with (
        exchange(base_url, timeout_s=timeout_s) as made,
        made.open("GET", "/x", cancel=cancel or CancelToken()) as answer,
    ):
        return answer.status, b"".join(answer.chunks()).decode()


def failure(base_url: str, timeout_s: float = 20) -> ServerError:
    """The error of a request that must have one."""
    with pytest.raises(ServerError) as caught:
        get(base_url, timeout_s=timeout_s)
    return caught.value


def stop_after(event: threading.Event, cancel: CancelToken) -> Callable[[], None]:
    """Have the token set a moment after the event, when the request is blocked; gives what waits for that."""

    def run() -> None:
        event.wait(10)
        threading.Event().wait(0.05)
        cancel.cancel()

    thread = threading.Thread(target=run)
    thread.start()
    return thread.join


def check_stop(server: SseServer) -> None:
    """Stop a request once it has reached the server, and see the server notice."""
    cancel = CancelToken()
    join = stop_after(server.asked, cancel)
    with pytest.raises(Cancelled):
        get(server.base_url, cancel)
    join()
    assert server.hung_up.wait(10)


@SOON
@pytest.mark.parametrize(
    "reply",
    [[HOLD], [b"HTTP/1.1 200 OK\r\n", HOLD], [chunked_head(), HOLD], [chunked_head(), chunk(b"a"), HOLD]],
    ids=["before the headers", "within the headers", "before the body", "within the body"],
)
def test_stop_wakes(reply: Reply) -> None:
    with SseServer(reply) as server:
        check_stop(server)


@SOON
@pytest.mark.parametrize("reply", [[HOLD], [chunked_head(), HOLD]], ids=["before the headers", "before the body"])
def test_stop_wakes_over_tls(reply: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with SseServer(reply, certificate=CERTIFICATE) as server:
        check_stop(server)


@SOON
def test_stop_wakes_during_the_tls_handshake() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        cancel = CancelToken()
        accepted = threading.Event()
        join = stop_after(accepted, cancel)
        held: list[socket.socket] = []

        def accept() -> None:
            held.append(listener.accept()[0])
            accepted.set()

        thread = threading.Thread(target=accept)
        thread.start()
        with pytest.raises(Cancelled):
            get(f"https://127.0.0.1:{listener.getsockname()[1]}", cancel)
        join()
        thread.join()
        held[0].close()


@SOON
@pytest.mark.slow
def test_stop_wakes_while_connecting() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = listener.getsockname()
        with socket.create_connection(address), suppress(OSError):  # fills the queue: the next one gets no answer
            cancel = CancelToken()
            ready = threading.Event()
            join = stop_after(ready, cancel)
            ready.set()
            with pytest.raises(Cancelled):
                get(f"http://127.0.0.1:{address[1]}", cancel)
            join()


@SOON
def test_leaving_the_block_hangs_up() -> None:
    with SseServer([chunked_head(), chunk(b"a"), HOLD]) as server, exchange(server.base_url) as made:
        with made.open("GET", "/x", cancel=CancelToken()) as answer:
            assert next(answer.chunks()) == b"a"
        assert server.hung_up.wait(10)


@SOON
def test_an_error_of_the_block_stays_what_it_is() -> None:
    with (
        SseServer([http("a")]) as server,
        exchange(server.base_url) as made,
        pytest.raises(OSError, match="disk full"),
        made.open("GET", "/x", cancel=CancelToken()),
    ):
        raise OSError("disk full")


def test_each_request_has_a_connection_of_its_own() -> None:
    with SseServer([http("a")]) as server, exchange(server.base_url) as made:
        for _ in range(2):
            with made.open("GET", "/x", cancel=CancelToken()) as answer:
                assert answer.body() == "a"
        assert [request.headers["connection"] for request in server.requests] == ["close", "close"]


def test_closed_before_anything_came_is_tried_once_more() -> None:
    with SseServer([], [http("a")]) as server:
        assert get(server.base_url) == (200, "a")
        assert len(server.requests) == 2
    with SseServer([]) as server:
        assert failure(server.base_url).cause is ServerCause.CUT_OFF
        assert len(server.requests) == 2
    with SseServer([RESET]) as server:
        assert failure(server.base_url).cause is ServerCause.CUT_OFF


def test_silence_has_a_limit() -> None:
    replies: list[Reply] = [[HOLD], [chunked_head(), HOLD]]
    for reply in replies:
        with SseServer(reply) as server:
            error = failure(server.base_url, timeout_s=0.2)
        assert error.cause is ServerCause.TIMEOUT
        assert "request_timeout" in error.next_step


@pytest.mark.slow
def test_pings_are_a_sign_of_life() -> None:
    pause = threading.Event()  # never set: the server waits for as long as it is told
    pings = [step for _ in range(4) for step in (pause, b"6\r\n: hi\n\n\r\n")]
    with SseServer([chunked_head(), *pings, b"0\r\n\r\n"], longest_wait_s=0.7) as server:
        assert get(server.base_url, timeout_s=2.0) == (200, ": hi\n\n" * 4)


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = failure(f"http://127.0.0.1:{port}")
    assert error.cause is ServerCause.UNREACHABLE
    assert f"http://127.0.0.1:{port}" in error.sentence
    assert f"llama-server -m model.gguf --port {port}" in error.next_step


def test_something_else_than_a_web_server() -> None:
    with SseServer([b"SSH-2.0-OpenSSH_9.2\r\n\r\n"]) as server:
        error = failure(server.base_url)
    assert error.cause is ServerCause.NOT_A_SERVER
    assert server.base_url in error.sentence


def test_tls_where_there_is_none() -> None:
    with SseServer([http("a")]) as server:
        error = failure(server.base_url.replace("http:", "https:"))
    assert error.cause is ServerCause.UNREACHABLE
    assert "TLS" in error.sentence
    assert "http://" in error.next_step


def test_a_certificate_counts_only_when_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    with SseServer([http("a")], certificate=CERTIFICATE) as server:
        error = failure(server.base_url)
        assert error.cause is ServerCause.UNREACHABLE
        assert "self-signed" in error.sentence
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        assert get(server.base_url) == (200, "a")


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY", "http_proxy", "NO_PROXY", "no_proxy"])
@pytest.mark.parametrize("value", ["http://127.0.0.1:9", "socks5://127.0.0.1:9", "[::1", "no such thing://"])
def test_no_proxy_stands_before_loopback(variable: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    with SseServer([http("a")]) as server:
        assert get(server.base_url) == (200, "a")


def test_a_proxy_stands_before_public_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    with SseServer([http("a")]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.base_url)
        assert get("http://model.example.org") == (200, "a")
        assert proxy.requests[0].path == "http://model.example.org/x"


def test_a_socks_proxy_is_refused_and_not_gone_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    error = failure("http://model.example.org")
    assert error.cause is ServerCause.UNREACHABLE
    assert "proxy" in error.sentence


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "NO_PROXY"])
def test_a_proxy_variable_that_cannot_be_read_stops_nothing(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "http://[::1")
    with SseServer([http("a")]) as server:
        address = server.base_url.replace("127.0.0.1", "127.1")  # the same machine under a name that looks public
        assert get(address) == (200, "a")


def test_a_body_has_a_limit() -> None:
    with (
        SseServer([http(b"x" * 6_000_000)]) as server,
        exchange(server.base_url) as made,
        made.open("GET", "/x", cancel=CancelToken()) as answer,
    ):
        assert 4_000_000 < len(answer.body()) < 5_000_000


@pytest.mark.parametrize(
    ("packing", "body", "told"),
    [
        ("gzip", gzip.compress(b"whole"), "whole"),
        ("UTF-8", b"whole", "whole"),
        ("gzip", b"whole", ServerCause.CUT_OFF),
        ("gzip, gzip", gzip.compress(gzip.compress(bytes(2**24))), ServerCause.NOT_A_SERVER),
        ("br", b"", ServerCause.NOT_A_SERVER),
        ("x, ZSTD", b"", ServerCause.NOT_A_SERVER),
    ],
)
def test_a_packed_answer(packing: str, body: bytes, told: str | ServerCause) -> None:
    reply = http(body, kind="text/plain", headers=f"Content-Encoding: {packing}\r\n")
    with SseServer([reply]) as server:
        if isinstance(told, ServerCause):
            assert failure(server.base_url).cause is told
        else:
            assert get(server.base_url) == (200, told)

"""Stop in every phase of a search: it ends long before the deadline, and the server sees the connection go."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled
from llamachat.search import SearxngSettings, search_searxng
from tests.fakes.replay import QUEUED, Behaviour, answer, drip, full_listener, replay, server_tls, stall

CERTIFICATE = Path(__file__).parent / "data" / "searxng" / "tls" / "local.pem"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"


def search_until_stopped(url: str, ready: Callable[[], object]) -> None:
    """Search with a deadline that the test's own limit would come before; Stop as soon as `ready` returns."""
    cancel = CancelToken()

    def stop() -> None:
        ready()
        cancel.cancel()

    stopper = threading.Thread(target=stop)
    stopper.start()
    settings = SearxngSettings(url, timeout_s=600, ca_file=str(CERTIFICATE))
    try:
        with pytest.raises(Cancelled):
            search_searxng("tides", settings, cancel=cancel)
    finally:
        stopper.join()


@pytest.mark.timeout(30)
@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
@pytest.mark.parametrize(
    "behaviour",
    [stall(), stall(b"HTTP/1.1 200 OK\r\n"), stall(HEAD + b"{"), drip(HEAD + b" " * 900, every_s=0.2)],
    ids=["no head", "half a head", "half a body", "dripping"],
)
def test_stop_while_the_server_answers(behaviour: Behaviour, secure: bool) -> None:
    # Leaving `replay` waits for the server's thread, which waits for the client to hang up.
    with replay(behaviour, tls=server_tls(CERTIFICATE) if secure else None, patient=True) as server:
        search_until_stopped(server.url, server.asked.wait)
    assert len(server.received) == 1


@pytest.mark.timeout(30)
def test_stop_while_tls_begins() -> None:
    with replay(stall(), read_first=False, patient=True) as server:
        search_until_stopped(server.url.replace("http:", "https:"), server.asked.wait)


@pytest.mark.timeout(30)
def test_stop_while_connecting() -> None:
    with full_listener() as listener:
        port = listener.getsockname()[1]
        search_until_stopped(f"http://127.0.0.1:{port}", lambda: wait_for_connecting(port))


@pytest.mark.slow  # the system tries to connect again after a second
@pytest.mark.timeout(30)
def test_a_connection_that_comes_about_after_stop_is_given_up() -> None:
    with full_listener() as listener:
        port = listener.getsockname()[1]
        search_until_stopped(f"http://127.0.0.1:{port}", lambda: wait_for_connecting(port))
        for _ in range(QUEUED):
            listener.accept()[0].close()
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(1) == b""


def wait_for_connecting(port: int) -> None:
    """Return once somebody waits for this port of loopback to take the connection (Linux: state SYN_SENT)."""
    goal, waiting = f"0100007F:{port:04X}", "02"
    while not any(row.split()[2:4] == [goal, waiting] for row in Path("/proc/net/tcp").read_text().splitlines()):
        threading.Event().wait(0.02)


@pytest.mark.timeout(30)
def test_stop_after_a_redirect() -> None:
    with ExitStack() as servers:
        second = servers.enter_context(replay(stall(), tls=server_tls(CERTIFICATE), patient=True))
        moved = answer(301, {"Location": f"{second.url}/search"}, b"")
        first = servers.enter_context(replay(moved))
        search_until_stopped(first.url, second.asked.wait)


def test_nothing_is_sent_once_stopped() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with replay(stall()) as server, pytest.raises(Cancelled):
        search_searxng("tides", SearxngSettings(server.url), cancel=cancel)
    assert server.received == []  # known only here: leaving `replay` waits for its threads

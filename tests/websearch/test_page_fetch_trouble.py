"""Servers that are slow or send too much, and Stop: every fetch ends, and in little memory."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress

import httpcore
import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, PageError
from llamachat.websearch.page_fetch import Network, PageFetcher
from llamachat.websearch.page_reply import FetchLimits
from tests.fakes.page_world import PUBLIC, PageWorld
from tests.fakes.replay import Behaviour, Replay, answer, drip, raw, replay, stall
from tests.fakes.still_clock import StillClock

START = "http://public.example/"
HTML = {"Content-Type": "text/html"}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
SHORT = FetchLimits(timeout_s=0.3)
MEGABYTE = 1024 * 1024


def endless(head: bytes, piece: bytes) -> Behaviour:
    """Send a piece over and over until nobody takes it."""

    def behave(connection: socket.socket, closing: threading.Event) -> None:
        with suppress(OSError):
            connection.sendall(head)
            while not closing.is_set():
                connection.sendall(piece)

    return behave


def refused(behaviour: Behaviour, *, limits: FetchLimits | None = None) -> tuple[str, PageWorld]:
    """Why a page is not fetched, while its server waits until the client hangs up."""
    with replay(behaviour, patient=True) as server:
        world = PageWorld(server.url)
        with pytest.raises(PageError) as failed:
            world.fetcher(limits=limits).fetch(START, CancelToken())
    return failed.value.sentence, world


def peak_of(work: Callable[[], object]) -> int:
    """The most memory that Python holds during some work, in bytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.claim("ST-056")
@pytest.mark.parametrize(
    "behaviour",
    [
        stall(),
        stall(HEAD),
        stall(HEAD + b"\r\n<p>some"),
        drip(HEAD + b"Content-Length: 100000\r\n\r\n" + b"x" * 100_000, every_s=0.02),
        drip(b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000, every_s=0.02),
    ],
    ids=["no answer", "half a head", "half a page", "a byte at a time", "only promises"],
)
def test_the_deadline_is_over_everything(behaviour: Behaviour) -> None:
    words, world = refused(behaviour, limits=SHORT)
    assert words == "no whole answer within 0.3 s"
    assert world.recorded.wait(20)
    assert world.journal[0].outcome == words


def test_a_handshake_that_hangs_is_within_the_deadline() -> None:
    with replay(stall(), read_first=False, patient=True) as server:
        world = PageWorld(server.url, trust=ssl.create_default_context())
        with pytest.raises(PageError, match="no whole answer within"):
            world.fetcher(limits=SHORT).fetch("https://public.example/", CancelToken())


@pytest.mark.slow
def test_the_deadline_is_over_all_redirects_together() -> None:
    slow = drip(b"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n", every_s=0.005)
    assert refused(slow, limits=FetchLimits(timeout_s=0.8, redirects=100))[0] == "no whole answer within 0.8 s"


@pytest.mark.slow
def test_a_look_up_that_hangs_is_left_behind_and_leads_nowhere() -> None:
    answered, dialled = threading.Event(), threading.Event()

    def hanging(host: str, port: int) -> list[str]:
        answered.wait(20)
        return [PUBLIC]

    def dial(number: str, port: int) -> httpcore.NetworkStream:
        dialled.set()
        raise httpcore.ConnectError

    world = PageWorld("http://127.0.0.1:1")
    network = Network(look_up=hanging, dial=dial)
    fetcher = PageFetcher(log=world, clock=StillClock(), network=network, limits=SHORT)
    with pytest.raises(PageError, match="no whole answer within"):
        fetcher.fetch(START, CancelToken())
    with pytest.raises(PageError, match="no whole answer within"):
        fetcher.check(START, CancelToken())
    left_behind = [thread for thread in threading.enumerate() if thread.name == "page"]
    answered.set()
    for thread in left_behind:
        thread.join(20)
    assert not dialled.is_set()


@pytest.mark.claim("ST-056")
@pytest.mark.parametrize(
    "behaviour",
    [
        endless(HEAD + b"\r\n", b"x" * 100_000),
        endless(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"2000\r\n" + b"x" * 0x2000 + b"\r\n"),
        endless(HEAD + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"", compresslevel=0) * 5000),
    ],
    ids=["without a length", "in chunks", "of empty gzip members"],
)
def test_a_page_without_end_takes_little_memory(behaviour: Behaviour) -> None:
    found: list[str] = []
    assert peak_of(lambda: found.append(refused(behaviour)[0])) < 16 * MEGABYTE
    assert found == ["it is larger than 2 MB"]


@pytest.mark.parametrize("name", ["no end", "one line"])
def test_a_head_without_end(name: str) -> None:
    line = b"X: y\r\n" if name == "no end" else b"x"
    assert refused(endless(HEAD, line * 1000))[0] == "the connection broke off"


def bomb(megabytes: int) -> bytes:
    """So many megabytes of nothing as gzip."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(MEGABYTE)) for _ in range(megabytes)) + packer.flush()


@pytest.mark.slow
def test_gzip_that_unpacks_to_more_than_it_should_takes_little_memory() -> None:
    packed, found = answer(200, HTML | {"Content-Encoding": "gzip"}, bomb(100)), list[str]()
    assert peak_of(lambda: found.append(refused(packed)[0])) < 32 * MEGABYTE
    assert found == ["it unpacks to more than 8 MB"]


@pytest.mark.parametrize("encoding", ["br", "zstd"])
def test_what_was_not_asked_for_is_not_unpacked(encoding: str) -> None:
    packed = HEAD + f"Content-Encoding: {encoding}\r\n\r\n".encode()
    assert refused(endless(packed, b"\0" * 1000))[0].startswith("it is packed in a way that was not asked for")


def stopped(server: Replay, world: PageWorld, *, when: threading.Event) -> None:
    """Fetch, and press Stop once `when` is set."""
    cancel = CancelToken()

    def stop() -> None:
        assert when.wait(20)
        cancel.cancel()

    stopping = threading.Thread(target=stop)
    stopping.start()
    with pytest.raises(Cancelled):
        world.fetcher(limits=FetchLimits(timeout_s=60)).fetch(START, cancel)
    stopping.join()


@pytest.mark.parametrize(
    "behaviour",
    [stall(), stall(HEAD), stall(HEAD + b"\r\n<p>some"), drip(HEAD * 10_000, every_s=0.02)],
    ids=["no answer", "half a head", "half a page", "a byte at a time"],
)
def test_stop_hangs_up_at_once(behaviour: Behaviour) -> None:
    """The server waits until it does."""
    with replay(behaviour, patient=True) as server:
        world = PageWorld(server.url)
        stopped(server, world, when=server.asked)
    assert world.recorded.wait(20)
    assert world.journal[0].outcome == "stopped"


def test_stop_before_the_beginning_asks_nobody() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with replay(raw(b"")) as server:
        world = PageWorld(server.url)
        with pytest.raises(Cancelled):
            world.fetcher().fetch(START, cancel)
        with pytest.raises(Cancelled):
            world.fetcher().check(START, cancel)
    assert (world.looked_up, server.received) == ([], [])

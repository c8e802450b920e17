"""A server on loopback that reads one request a connection and then does to it what a test says, byte for byte."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

Behaviour = Callable[[socket.socket, threading.Event], None]


@dataclass
class Replay:
    """Where it listens, and what it was sent; `asked` is set once a connection is served."""

    url: str
    received: list[bytes] = field(default_factory=list)
    asked: threading.Event = field(default_factory=threading.Event)


def answer(status: int, headers: Mapping[str, str], body: bytes, *, length: int | None = None) -> Behaviour:
    """Send a whole HTTP answer; `length` is the Content-Length where it is to lie."""
    lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in headers.items())]
    head = "\r\n".join([*lines, f"Content-Length: {len(body) if length is None else length}", "Connection: close"])
    return raw(head.encode("latin-1") + b"\r\n\r\n" + body)


def raw(data: bytes) -> Behaviour:
    """Send bytes and hang up."""

    def behave(connection: socket.socket, closing: threading.Event) -> None:
        connection.sendall(data)

    return behave


def stall(data: bytes = b"") -> Behaviour:
    """Send bytes, then nothing, until the client hangs up or the test ends."""

    def behave(connection: socket.socket, closing: threading.Event) -> None:
        connection.sendall(data)
        connection.settimeout(0.05)
        while not closing.is_set():
            with suppress(TimeoutError):
                if not connection.recv(1):
                    return

    return behave


def drip(data: bytes, *, every_s: float) -> Behaviour:
    """Send a byte at a time."""

    def behave(connection: socket.socket, closing: threading.Event) -> None:
        for byte in data:
            connection.sendall(bytes([byte]))
            if closing.wait(every_s):
                return

    return behave


def reset(connection: socket.socket, closing: threading.Event) -> None:
    """Break the connection off without a goodbye."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


@contextmanager
def replay(
    *behaviours: Behaviour, tls: ssl.SSLContext | None = None, read_first: bool = True, patient: bool = False
) -> Iterator[Replay]:
    """Serve; the first connection gets the first behaviour, those after the last one get that again.

    At the end what still stalls is told to close, or, with `patient`, waited for until its client hangs up.
    """
    closing = threading.Event()
    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        scheme = "https" if tls else "http"
        server = Replay(f"{scheme}://127.0.0.1:{listener.getsockname()[1]}")

        def serve(connection: socket.socket, behave: Behaviour) -> None:
            with suppress(OSError), connection:
                spoken = tls.wrap_socket(connection, server_side=True) if tls else connection
                with spoken:
                    if read_first:
                        server.received.append(read_request(spoken))
                    server.asked.set()
                    behave(spoken, closing)

        def accept() -> None:
            for number in range(1_000_000):
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                behave = behaviours[min(number, len(behaviours) - 1)]
                threads.append(threading.Thread(target=serve, args=(connection, behave)))
                threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield server
        finally:
            if not patient:
                closing.set()
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for thread in threads:
                thread.join()


QUEUED = 1  # connections that the queue of `full_listener` holds


@contextmanager
def full_listener() -> Iterator[socket.socket]:
    """A listening socket that takes no more connections until somebody accepts one: its queue is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = [socket.socket() for _ in range(QUEUED)]
        for client in waiting:
            client.connect(listener.getsockname())
        yield listener
        for client in waiting:
            client.close()


def server_tls(certificate: Path) -> ssl.SSLContext:
    """The server's side of TLS with a certificate and its key in one file."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def read_request(connection: socket.socket) -> bytes:
    """A whole request, head and body."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return data
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    missing = int(fields.get(b"content-length", b"0")) - len(body)
    while missing > 0 and (piece := connection.recv(65536)):
        data, missing = data + piece, missing - len(piece)
    return data

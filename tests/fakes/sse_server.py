"""A loopback server that sends prepared bytes, cut and held back as a test wants: what no real server can be made to.

One reply a request, in order. Each request gets a connection of its own, and its method, path, headers and body are
kept. A reply is a list of steps: bytes to send, an event to wait for, or one of the marks HOLD, RESET, DRIP.
"""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from types import TracebackType
from typing import TypeAlias

_TLS_HANDSHAKE = 0x16


class Mark(Enum):
    """HOLD: say nothing until the client hangs up, then set `hung_up`. RESET: break the connection at once.

    DRIP: like HOLD, but one byte comes after the other.
    """

    HOLD = auto()
    RESET = auto()
    DRIP = auto()


HOLD, RESET, DRIP = Mark.HOLD, Mark.RESET, Mark.DRIP
_DRIP_S = 0.02
Step: TypeAlias = bytes | threading.Event | Mark
Reply: TypeAlias = Sequence[Step]


@dataclass(frozen=True)
class Request:
    """A request as it came; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def http(body: str | bytes, *, status: int = 200, kind: str = "application/json", headers: str = "") -> bytes:
    """A whole answer with its length."""
    data = body if isinstance(body, bytes) else body.encode()
    head = f"HTTP/1.1 {status} Status\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n{headers}\r\n"
    return head.encode() + data


def stream_head(kind: str = "text/event-stream") -> bytes:
    """The head of an answer that lasts until the connection is closed."""
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode()


def chunked_head() -> bytes:
    """The head of an answer in chunks; one that ends without its last chunk was cut off."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """One chunk."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(**fields: object) -> bytes:
    """One event of JSON."""
    return f"data: {json.dumps(fields)}\n\n".encode()


def content(text: str) -> bytes:
    """An event with a piece of an answer."""
    return event(choices=[{"index": 0, "delta": {"content": text}}])


def finish(reason: str = "stop") -> bytes:
    """An event with a finish reason."""
    return event(choices=[{"index": 0, "delta": {}, "finish_reason": reason}])


DONE = b"data: [DONE]\n\n"


class SseServer:
    """Use it in a `with` block. When the replies run out, the last one is given again.

    certificate: for TLS. longest_wait_s: how long HOLD and an event that is not set last.
    """

    def __init__(self, *replies: Reply, certificate: Path | None = None, longest_wait_s: float = 20.0) -> None:
        self._replies = replies
        self._longest_wait_s = longest_wait_s
        self._certificate = certificate
        self.requests: list[Request] = []
        self.hung_up = threading.Event()
        self.asked = threading.Event()  # set when a request has come whole
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept)

    @property
    def base_url(self) -> str:
        """Its address."""
        return f"{'https' if self._certificate else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> SseServer:
        self._accepting.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        for connection in self._open:
            _shut_down(connection)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            if self._certificate is None:
                self._answer(connection)
                return
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self._certificate)
            with context.wrap_socket(connection, server_side=True) as wrapped:
                self._answer(wrapped)

    def _answer(self, connection: socket.socket) -> None:
        request = _read_request(connection)
        if request is None:
            return
        self.requests.append(request)
        self.asked.set()
        try:
            for step in self._replies[min(len(self.requests), len(self._replies)) - 1]:
                self._play(connection, step)
        except OSError:
            self.hung_up.set()

    def _play(self, connection: socket.socket, step: Step) -> None:
        if isinstance(step, bytes):
            connection.sendall(step)
        elif isinstance(step, threading.Event):
            step.wait(self._longest_wait_s)
        elif step is HOLD:
            connection.settimeout(self._longest_wait_s)
            if not connection.recv(1):
                self.hung_up.set()
        elif step is DRIP:
            self._drip(connection)
        else:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

    def _drip(self, connection: socket.socket) -> None:
        connection.settimeout(_DRIP_S)
        for _ in range(round(self._longest_wait_s / _DRIP_S)):
            with suppress(TimeoutError):
                if not connection.recv(1):
                    self.hung_up.set()
                    return
            connection.sendall(b"1")


def _read_request(connection: socket.socket) -> Request | None:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return None
        data += part
        if data[0] == _TLS_HANDSHAKE:  # spoken to a server that has no TLS
            return Request("", "")
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65536)
    return Request(method, path, headers, body)


def _shut_down(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)

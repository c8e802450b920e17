"""A proxy on loopback that cuts connections: after so many bytes of an answer, in one of two ways, or all at once."""

from __future__ import annotations

import socket
import struct
import threading
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from urllib.parse import urlsplit


class CuttingProxy:
    """Use it in a `with` block. The first connection is cut after the first of `cuts` bytes of what the server sends,
    head included; those after the last one are left alone.

    reset: a cut tells the client at once that the connection broke, rather than that it ended. down: while it is set
    nothing is let through, neither connections that stand nor new ones. opened: how many connections there were.
    """

    def __init__(self, upstream: str, cuts: Iterable[int] = (), *, reset: bool = True) -> None:
        address = urlsplit(upstream)
        self._upstream = address.hostname, address.port
        self.cuts = deque(cuts)
        self.opened = 0
        self.down = False
        self._reset = reset
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]

    @property
    def base_url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def cut_all(self) -> None:
        """Cut every connection that stands."""
        for connection in self._sockets:
            self._cut(connection)

    def __enter__(self) -> CuttingProxy:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self._listener.close()
        self.cut_all()
        for thread in self._threads[1:]:
            thread.join()
        for connection in self._sockets:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(client)
            if self.down:
                self._cut(client)
                continue
            self.opened += 1
            server = socket.create_connection(self._upstream)
            self._sockets.append(server)
            limit = self.cuts.popleft() if self.cuts else None
            for source, target, most in ((client, server, None), (server, client, limit)):
                thread = threading.Thread(target=self._pass_on, args=(source, target, most))
                self._threads.append(thread)
                thread.start()

    def _pass_on(self, source: socket.socket, target: socket.socket, most: int | None) -> None:
        passed = 0
        with suppress(OSError):
            while data := source.recv(65536):
                if self.down:
                    break
                if most is not None and passed + len(data) >= most:
                    target.sendall(data[: most - passed])
                    self._cut(target)
                    self._cut(source)
                    return
                passed += len(data)
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)
        if self.down:
            self._cut(target)

    def _cut(self, connection: socket.socket) -> None:
        with suppress(OSError):
            if self._reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.shutdown(socket.SHUT_RDWR)

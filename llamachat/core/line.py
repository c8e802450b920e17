"""The connections of one request, for another thread to hang up."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

_BOTH_WAYS = 2  # socket.SHUT_RDWR


class Connected(Protocol):
    """What is needed of a socket."""

    def dup(self) -> Connected:
        """A second descriptor of it."""
        ...

    def shutdown(self, how: int, /) -> None:
        """End the connection; a blocked read returns."""
        ...

    def close(self) -> None:
        """Give the descriptor back."""
        ...


class Line:
    """Shuts connections down: that wakes a blocked read, closing does not.

    It holds a second descriptor of each socket, since the first one changes hands when TLS begins.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[Connected] = []
        self._cut = False

    def trace(self, event: str, info: Mapping[str, object]) -> None:
        """Take hold of a socket as soon as it is connected (the `trace` extension of httpx and httpcore)."""
        stream = info.get("return_value")
        if event.endswith("connect_tcp.complete") and hasattr(stream, "get_extra_info"):
            self.hold(stream.get_extra_info("socket"))

    def hold(self, connected: Connected) -> None:
        """Take hold of a socket, and shut it at once where the line was hung up already."""
        with self._lock:
            self._sockets.append(connected.dup())
        if self._cut:
            self.hang_up()

    def hang_up(self) -> None:
        """Shut the connections, also one that is still to come."""
        self._cut = True
        with self._lock:
            sockets, self._sockets = self._sockets, []
        for connected in sockets:
            with suppress(OSError):
                connected.shutdown(_BOTH_WAYS)
            connected.close()

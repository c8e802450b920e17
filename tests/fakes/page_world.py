"""The web as the page reader sees it: names with numbers of a test's choosing, whose wires all end at one server."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

import httpcore

from llamachat.core.egress import Egress
from llamachat.websearch.page_fetch import Network, PageFetcher
from llamachat.websearch.page_reply import FetchLimits
from tests.fakes.still_clock import StillClock

PUBLIC = "93.184.215.14"


class PageWorld:
    """`names` gives the numbers of a host, one list a look-up; the last holds on. Other names are at PUBLIC.

    A host without numbers is not known; odd spellings of numbers mean what this system takes them for. What is sent
    to port 443 goes to `tls_server` if there is one. Connections to numbers in `dead` are refused.
    """

    def __init__(
        self,
        server: str,
        names: Mapping[str, Sequence[Sequence[str]]] | None = None,
        *,
        dead: Sequence[str] = (),
        tls_server: str = "",
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._ports = {80: urlsplit(server).port or 0, 443: urlsplit(tls_server or server).port or 0}
        self._names = {host: list(answers) for host, answers in (names or {}).items()}
        self._dead = dead
        self._trust = trust
        self.looked_up: list[str] = []
        self.dialled: list[tuple[str, int]] = []
        self.journal: list[Egress] = []
        self.recorded = threading.Event()

    def record(self, egress: Egress) -> None:
        """The EgressLog seam."""
        self.journal.append(egress)
        self.recorded.set()

    def network(self) -> Network:
        """This world as the network of a fetch."""
        return Network(look_up=self.look_up, dial=self.dial, trust=self._context)

    def fetcher(self, *, limits: FetchLimits | None = None, off_limits: Sequence[str] = ()) -> PageFetcher:
        """A fetcher in this world."""
        return PageFetcher(
            log=self,
            clock=StillClock(),
            network=self.network(),
            limits=limits or FetchLimits(timeout_s=20),
            off_limits=off_limits,
        )

    def look_up(self, host: str, port: int) -> Sequence[str]:
        """The numbers of a host."""
        self.looked_up.append(host)
        with suppress(OSError):  # it is no number
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
            return [str(entry[4][0]) for entry in found]
        answers = self._names.get(host, [[PUBLIC]])
        numbers = answers.pop(0) if len(answers) > 1 else answers[0]
        if not numbers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return numbers

    def dial(self, number: str, port: int) -> httpcore.NetworkStream:
        """A wire to the server, whatever number is dialled."""
        self.dialled.append((number, port))
        if number in self._dead:
            raise httpcore.ConnectError("connection refused")
        return httpcore.SyncBackend().connect_tcp("127.0.0.1", self._ports[port], timeout=10)

    def _context(self) -> ssl.SSLContext:
        assert self._trust, "a test that speaks TLS says whom it trusts"
        return self._trust

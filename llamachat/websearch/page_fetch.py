"""Fetching a page of a stranger. The only door to the open web: the connection goes where the check looked.

httpcore's pool keeps the name for Host, SNI and the certificate. The network under it looks the name up once, demands
that every number is public, and connects to those numbers. Redirects come through the same door. There is no cookie,
no proxy (it would look names up itself), and one deadline over everything.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import httpcore
import httpx

from llamachat import __version__
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import PageError
from llamachat.core.in_thread import in_thread
from llamachat.core.line import Line
from llamachat.core.plain_text import cut_at_word, plain_line
from llamachat.core.raw_page import RawPage
from llamachat.core.seams import Clock, EgressLog
from llamachat.core.text import tr
from llamachat.web_request import Traffic
from llamachat.websearch.addresses import PageAddress, check_public, look_up, not_allowed, page_address
from llamachat.websearch.journaling import journaled
from llamachat.websearch.page_reply import FetchLimits, read_reply

_CONNECT_S = 4.0  # to one number; the next is tried then
_JOURNAL_CHARS = 2_000  # of an address
_FAILURES = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, OSError)
_HEADERS: dict[bytes | str, bytes | str] = {
    "User-Agent": f"Mozilla/5.0 (compatible; llamachat/{__version__})",
    "Accept": "text/html,application/xhtml+xml,text/plain,application/pdf;q=0.9,*/*;q=0.5",
    "Accept-Language": "*",
    "Accept-Encoding": "gzip",
    "Connection": "close",
}


def _dial(number: str, port: int) -> httpcore.NetworkStream:
    return httpcore.SyncBackend().connect_tcp(number, port, timeout=_CONNECT_S)


@cache
def _trust() -> ssl.SSLContext:
    """httpx's list of authorities and the system's; it takes 30 ms to read."""
    context = httpx.create_ssl_context()
    context.load_default_certs()
    return context


@dataclass(frozen=True, slots=True)
class Network:
    """The network as it is seen from here; a test gives its own names and wires."""

    look_up: Callable[[str, int], Sequence[str]] = look_up
    dial: Callable[[str, int], httpcore.NetworkStream] = _dial
    trust: Callable[[], ssl.SSLContext] = _trust


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFetcher:
    """Fetches pages. off_limits: hosts that are the user's own and not read, whatever their address."""

    log: EgressLog
    clock: Clock
    off_limits: Collection[str] = ()
    network: Network = field(default_factory=Network)
    limits: FetchLimits = field(default_factory=FetchLimits)

    def fetch(self, url: str, cancel: CancelToken) -> RawPage:
        """The page at `url` or where it sends on to; raises PageError, or Cancelled at once on Stop."""
        address = page_address(url, off_limits=self.off_limits)
        cancel.raise_if_cancelled()
        visit = _Visit(self)
        try:
            page = in_thread(lambda: visit.follow(address), self.limits.timeout_s, cancel=cancel, name="page")
        except TimeoutError:
            visit.given_up = self._too_late()
            raise PageError(visit.given_up) from None
        finally:
            visit.given_up = visit.given_up or "stopped"
            visit.line.hang_up()
        cancel.raise_if_cancelled()
        return page

    def check(self, url: str, cancel: CancelToken) -> None:
        """Raise AddressError where `fetch` would not go to `url`, after a look-up and without a connection."""
        address = page_address(url, off_limits=self.off_limits)
        cancel.raise_if_cancelled()
        try:
            numbers = in_thread(
                lambda: self.network.look_up(address.host, address.port),
                self.limits.timeout_s,
                cancel=cancel,
                name="page",
            )
        except TimeoutError:
            raise PageError(self._too_late()) from None
        except OSError as error:
            raise PageError(_reason(error, address.host)) from error
        check_public(address.host, numbers)

    def _too_late(self) -> str:
        return tr("no whole answer within {seconds:g} s").format(seconds=self.limits.timeout_s)


class _Visit:
    """One fetch with its redirects. given_up: why nobody waits for it any more."""

    def __init__(self, fetcher: PageFetcher) -> None:
        self.fetcher = fetcher
        self.line = Line()
        self.given_up = ""

    def follow(self, address: PageAddress) -> RawPage:
        """Ask until there is a page."""
        limits, note = self.fetcher.limits, ""
        for _ in range(limits.redirects + 1):
            found = self._ask(address)
            if isinstance(found, RawPage):
                return replace(found, note=note)
            before = address.url.scheme
            address = page_address(_joined(address.url, found), off_limits=self.fetcher.off_limits)
            if (before, address.url.scheme) == ("https", "http"):
                note = tr("It came over an unencrypted connection.")
        raise PageError(tr("it sends on more than {count} times").format(count=limits.redirects))

    def check_wanted(self) -> None:
        """Raise PageError once nobody waits any more: a look-up may have taken longer than they did."""
        if self.given_up:
            raise PageError(self.given_up)

    def _ask(self, address: PageAddress) -> RawPage | str:
        """Ask once; the journal gets a line if a connection was tried."""
        log, clock, url = self.fetcher.log, self.fetcher.clock, str(address.url)[:_JOURNAL_CHARS]
        with journaled(log, clock, host=address.host, what="page", query=url) as traffic:
            try:
                found = _Request(address, self, traffic).answer()
                self.check_wanted()  # a page without a length ends in good order when it is hung up on
                return found
            except PageError as error:
                if self.given_up:
                    raise PageError(self.given_up) from error
                raise


class _Request:
    """One request to one address, counted in `traffic` from the moment that a connection is tried."""

    def __init__(self, address: PageAddress, visit: _Visit, traffic: Traffic) -> None:
        self._address = address
        self._visit = visit
        self._traffic = traffic

    def answer(self) -> RawPage | str:
        """The page, or the address it sends on to; raises PageError."""
        url = self._address.url
        headers = {"Host": url.netloc, **_HEADERS}
        sent_bytes = len(url.raw_path) + _size(headers.items())
        # The deadline wakes what blocks; this is for a thread that it left behind.
        patience = dict.fromkeys(("connect", "read", "write", "pool"), 2 * self._visit.fetcher.limits.timeout_s)
        target = httpcore.URL(
            scheme=url.raw_scheme, host=self._address.host.encode(), port=self._address.port, target=url.raw_path
        )
        try:
            with (
                self._pool(sent_bytes) as pool,
                pool.stream(
                    "GET", target, headers=headers, extensions={"timeout": patience, "trace": self._visit.line.trace}
                ) as reply,
            ):
                return self._read(reply)
        except _FAILURES as error:
            raise PageError(_reason(error, self._address.host)) from error

    def _pool(self, sent_bytes: int) -> httpcore.ConnectionPool:
        def count() -> None:
            self._traffic.bytes_out = sent_bytes

        return httpcore.ConnectionPool(
            ssl_context=self._visit.fetcher.network.trust() if self._address.url.scheme == "https" else None,
            network_backend=_PinnedNetwork(self._visit, on_dial=count),
            max_keepalive_connections=0,
        )

    def _read(self, reply: httpcore.Response) -> RawPage | str:
        headers: dict[str, str] = {}
        for raw_name, raw_value in reply.headers:
            name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        self._traffic.bytes_in += _size(reply.headers)
        return read_reply(
            reply.status, headers, self._counted(reply.iter_stream()), limits=self._visit.fetcher.limits
        )

    def _counted(self, pieces: Iterable[bytes]) -> Iterable[bytes]:
        for piece in pieces:
            self._traffic.bytes_in += len(piece)
            yield piece


class _PinnedNetwork(httpcore.NetworkBackend):
    """Looks a name up once, demands that all its numbers are public, and connects to the first that answers."""

    def __init__(self, visit: _Visit, *, on_dial: Callable[[], None]) -> None:
        self._visit = visit
        self._network = visit.fetcher.network
        self._on_dial = on_dial

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to one of the name's own numbers, tried in turn: a machine may have no way to the first."""
        numbers = self._network.look_up(host, port)
        check_public(host, numbers)
        self._visit.check_wanted()
        self._on_dial()
        for number in numbers[:-1]:
            try:
                return self._network.dial(number, port)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return self._network.dial(numbers[-1], port)


def _joined(url: httpx.URL, location: str) -> httpx.URL:
    try:
        return url.join(location.encode("latin-1").decode("utf-8", "replace"))
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise not_allowed(tr("it is not well-formed")) from None


def _size(headers: Iterable[tuple[bytes | str, bytes | str]]) -> int:
    return sum(len(name) + len(value) + 4 for name, value in headers)


def _reason(error: Exception, host: str) -> str:
    """Why there is no answer, in few words."""
    root: BaseException = error
    while inner := root.__cause__ or root.__context__:
        root = inner
    words = cut_at_word(plain_line(getattr(root, "strerror", None) or str(root) or type(root).__name__), 100)
    if isinstance(root, socket.gaierror):
        return tr("the name {host} cannot be looked up ({reason})").format(host=host, reason=words)
    if isinstance(root, ssl.SSLCertVerificationError):
        return tr("its certificate is not trusted ({reason})").format(reason=root.verify_message.rstrip("."))
    if isinstance(error, httpcore.ConnectTimeout | httpcore.ConnectError):
        return tr("no connection ({reason})").format(reason=words)
    return tr("the connection broke off")

"""One HTTP request to an endpoint that the user set: the connection, one deadline over all of it, and Stop.

Nothing here follows a redirect, keeps a cookie or logs: an address may hold a key, and httpx's client logs addresses.
Pages of strangers are not for this door.
"""

from __future__ import annotations

import logging
import ssl
import threading
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeVar
from urllib.request import getproxies, proxy_bypass

from llamachat.core.cancel import CancelToken
from llamachat.core.in_thread import in_thread
from llamachat.core.late import LateModule
from llamachat.core.line import Line
from llamachat.core.messages import JsonObject
from llamachat.core.plain_file import plain_file
from llamachat.core.plain_text import cut_at_word, plain_line
from llamachat.core.text import tr
from llamachat.core.web_address import is_private_host

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

T = TypeVar("T")
CONNECT_S = 5.0
logging.getLogger("httpcore").setLevel(logging.WARNING)  # else it logs what a server repeats of a request


class Fault(Enum):
    """Why a request brought no HTTP answer."""

    BAD_ADDRESS = auto()
    CA_FILE = auto()
    PROXY = auto()
    UNREACHABLE = auto()
    CERTIFICATE = auto()
    NO_TLS = auto()
    TIMEOUT = auto()
    BROKEN_OFF = auto()
    TOO_LONG = auto()


class RequestFailed(Exception):
    """No answer came. `reason`: the system's words where it had any; for PROXY and TOO_LONG the host."""

    def __init__(self, fault: Fault, reason: str = "") -> None:
        super().__init__(fault, reason)
        self.fault = fault
        self.reason = reason


@dataclass(frozen=True, slots=True)
class WebRequest:
    """What is sent, with a form or JSON in its body. Its repr is empty: a key may stand in any part of it."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    form: Mapping[str, str] | None = field(default=None, repr=False)
    json: JsonObject | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class WebReply:
    """Status, headers by lower-case name, body unpacked."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class Traffic:
    """Counts the bytes of heads and bodies in both directions, about."""

    bytes_out: int = 0
    bytes_in: int = 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """The means of one search, which may take several requests: a line to hang up, a count, and limits.

    ca_file: certificates (PEM) that are trusted besides the system's.
    """

    timeout_s: float
    max_bytes: int
    ca_file: str = ""
    line: Line = field(default_factory=Line)
    traffic: Traffic = field(default_factory=Traffic)
    over: threading.Event = field(default_factory=threading.Event)

    def run(self, work: Callable[[], T], *, cancel: CancelToken) -> T:
        """Run `work` within the time; raises what it raises, RequestFailed at the deadline, Cancelled at once."""
        cancel.raise_if_cancelled()
        try:
            result = in_thread(work, self.timeout_s, cancel=cancel, name="web request")
        except TimeoutError:
            raise RequestFailed(Fault.TIMEOUT) from None
        finally:
            self.over.set()
            self.line.hang_up()
        cancel.raise_if_cancelled()
        return result

    def send(self, request: WebRequest) -> WebReply:
        """Send one request and read its answer, whatever its status; raises RequestFailed."""
        try:
            made = self._made(request)
        except (httpx.InvalidURL, ValueError):  # the message would quote it
            raise RequestFailed(Fault.BAD_ADDRESS) from None
        try:
            return self._exchanged(made)
        except UnicodeError:  # of a host's name that nobody can look up
            fault = Fault.PROXY if _proxy(made.url) else Fault.BAD_ADDRESS
            raise RequestFailed(fault, made.url.host) from None
        except (httpx.HTTPError, zlib.error, OSError) as error:
            raise _failed(error, made.url, timeout_s=self.timeout_s) from error

    def _made(self, request: WebRequest) -> httpx.Request:
        limits = httpx.Timeout(self.timeout_s, connect=min(self.timeout_s, CONNECT_S))
        return httpx.Request(
            request.method,
            request.url,
            headers=dict(request.headers),
            data=request.form,
            json=request.json,
            extensions={"trace": self.line.trace, "timeout": limits.as_dict()},
        )

    def _exchanged(self, request: httpx.Request) -> WebReply:
        trust = _trust(request.url.scheme, self.ca_file)
        try:
            transport = httpx.HTTPTransport(verify=trust, proxy=_proxy(request.url), trust_env=False)
        except (ValueError, ImportError, httpx.InvalidURL):
            raise RequestFailed(Fault.PROXY, request.url.host) from None
        with transport:
            self.traffic.bytes_out += len(request.url.raw_path) + _size(request.headers) + len(request.content)
            if self.over.is_set():  # counted first, so that what was counted at the end is all that goes out
                raise RequestFailed(Fault.TIMEOUT)
            response = transport.handle_request(request)
            self.traffic.bytes_in += _size(response.headers)
            body = self._unpacked(response, host=request.url.host)
            return WebReply(response.status_code, dict(response.headers), body)

    def _unpacked(self, response: httpx.Response, *, host: str) -> bytes:
        """The body, read raw and unpacked within bounds: httpx would unpack a chunk to whatever it holds."""
        packed = response.headers.get("content-encoding", "").lower() in ("gzip", "x-gzip")
        unpacker = zlib.decompressobj(wbits=31) if packed else None
        body, received = bytearray(), 0
        for raw in response.iter_raw():
            received += len(raw)
            self.traffic.bytes_in += len(raw)
            body += unpacker.decompress(raw, self.max_bytes + 1 - len(body)) if unpacker else raw
            if max(received, len(body)) > self.max_bytes:
                raise RequestFailed(Fault.TOO_LONG, host)
        return bytes(body)


def is_usable_address(url: str) -> bool:
    """Whether a connection can be tried: the host's name can be looked up."""
    try:
        httpx.URL(url).host.encode("idna")  # as the look-up will do
    except (httpx.InvalidURL, UnicodeError):
        return False
    return True


def check_ca_file(path: str) -> None:
    """Raise RequestFailed where the file holds no certificate; "" is none."""
    _add_authority(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), path)


def _size(headers: httpx.Headers) -> int:
    return sum(len(name) + len(value) + 4 for name, value in headers.raw)


def _proxy(url: httpx.URL) -> str | None:
    """The environment's proxy for a public host; httpx's own reading of NO_PROXY fails on IPv6 ranges."""
    if is_private_host(url.host) or proxy_bypass(url.host):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _trust(scheme: str, ca_file: str) -> ssl.SSLContext:
    """Whom to trust: httpx's list, the system's, and the user's file."""
    if scheme != "https":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # unused; the lists take 30 ms to read
    context = httpx.create_ssl_context()
    context.load_default_certs()
    _add_authority(context, ca_file)
    return context


def _add_authority(context: ssl.SSLContext, ca_file: str) -> None:
    try:
        if ca_file:
            context.load_verify_locations(plain_file(ca_file))
    except (OSError, ValueError) as error:
        raise RequestFailed(Fault.CA_FILE, _reason(error)) from error


def _failed(error: Exception, url: httpx.URL, *, timeout_s: float) -> RequestFailed:
    """What a connection that brought no answer means."""
    root = error
    while isinstance(inner := root.__cause__ or root.__context__, Exception):
        root = inner
    if isinstance(root, ssl.SSLCertVerificationError):
        return RequestFailed(Fault.CERTIFICATE, root.verify_message.rstrip("."))
    if isinstance(root, ssl.SSLError):
        return RequestFailed(Fault.NO_TLS, root.reason.replace("_", " ").lower() if root.reason else _reason(root))
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
        if _proxy(url):
            return RequestFailed(Fault.PROXY, url.host)
        late = tr("no connection within {seconds:g} s").format(seconds=min(timeout_s, CONNECT_S))
        return RequestFailed(Fault.UNREACHABLE, late if isinstance(error, httpx.ConnectTimeout) else _reason(root))
    return RequestFailed(Fault.TIMEOUT if isinstance(error, httpx.TimeoutException) else Fault.BROKEN_OFF)


def _reason(error: Exception) -> str:
    """The system's own words, such as "connection refused"."""
    words = cut_at_word(plain_line(getattr(error, "strerror", None) or str(error) or type(error).__name__), 120)
    return words[:1].lower() + words[1:]

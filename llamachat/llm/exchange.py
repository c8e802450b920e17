"""One request to a model server and its answer, which Stop can interrupt at any moment. All of HTTP in this room.

Each request has a connection of its own: next to an answer of a model it costs nothing, and a pooled connection that
died while the machine slept cannot swallow a message. A blocked read is not woken by closing the response from
another thread, only by shutting its socket down; and until the answer has begun nobody else has that socket, so it is
taken from the trace of httpcore. Looking up a name cannot be interrupted at all, so opening runs in a helper thread.
A read that times out does not notice a server that drips: whatever is no stream has a deadline over the whole.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from llamachat import __version__
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Endpoint
from llamachat.core.errors import Cancelled, LlamaChatError, ServerCause, ServerError
from llamachat.core.late import LateModule
from llamachat.core.text import tr
from llamachat.core.web_address import host_of, is_private_host
from llamachat.llm.alarm import Alarm
from llamachat.llm.unreachable import broke_off, no_answer, packed, too_slow, unreachable

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

CONNECT_TIMEOUT_S = 5.0
_HEAD_SILENCES = 2  # so many times the longest silence for all of a head: one that comes at once has long been there
_FAILURE_S = 15.0
_MAX_BODY = 4 * 1024 * 1024
_BOMBS = ("br", "zstd", ",")  # none is asked for; of these, and of two in a row, a few bytes may be gigabytes


class Answer:
    """An answer whose status and headers have come. `explain` makes the program's errors out of the wire's."""

    def __init__(self, response: httpx.Response, explain: Callable[[Exception], LlamaChatError]) -> None:
        self._response = response
        self._explain = explain
        self.status = response.status_code
        self.content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self.location = response.headers.get("location", "")
        self.timeouts_s = cast("dict[str, float]", response.request.extensions["timeout"])
        self._packing = response.headers.get("content-encoding", "").lower()

    def chunks(self) -> Iterator[bytes]:
        """Yield the body as it comes; raises Cancelled once the token is set, or ServerError."""
        if any(bomb in self._packing for bomb in _BOMBS):
            raise packed()
        try:
            yield from self._response.iter_bytes()
        except _transport_errors() as error:
            raise self._explain(error) from error

    def body(self) -> str:
        """Read the body, up to a few MiB; what breaks off is taken as it came, but a success that is late is none."""
        parts: list[bytes] = []
        size = 0
        try:
            for part in self.chunks():
                parts.append(part)
                size += len(part)
                if size > _MAX_BODY:
                    break
        except ServerError as error:
            if self.status == 200 and error.cause is ServerCause.TIMEOUT:
                raise
        return b"".join(parts).decode("utf-8", "replace")


class Exchange:
    """Requests to one server. For one thread at a time; the token may be set from any.

    timeout_s: longest silence between two bytes.
    """

    def __init__(self, endpoint: Endpoint, timeout_s: float) -> None:
        self._endpoint = endpoint
        self._timeout_s = timeout_s
        self._http: httpx.Client | None = None

    @contextmanager
    def open(
        self,
        method: str,
        path: str,
        *,
        cancel: CancelToken,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        within_s: float | None = None,
    ) -> Iterator[Answer]:
        """Send a request; the block gets the answer and may take its time over the body.

        within_s: how long all of it may take. Without it a success may go on as long as bytes come, and the rest of
        it is bounded: the head, and the body of a failure.
        Raises Cancelled once the token is set and ServerError for what goes wrong on the way. A connection that is
        closed before anything came is tried once more.
        """
        cancel.raise_if_cancelled()
        wire = _Wire()
        with cancel.on_cancel(wire.shut_down), Alarm() as alarm, alarm.late.on_cancel(wire.shut_down):
            alarm.set(_HEAD_SILENCES * self._timeout_s if within_s is None else within_s)
            try:
                request = self._request(method, path, content=content, headers=headers or {}, wire=wire)
                response = self._send(request, cancel, alarm)
            except _transport_errors() as error:
                raise self._explain(error, cancel, alarm) from error
            except BaseException:
                wire.shut_down()  # whoever is still opening it ends now
                raise
            if within_s is None and response.status_code == 200:
                alarm.switch_off()
            elif within_s is None:
                alarm.set(min(_FAILURE_S, self._timeout_s))
            try:
                yield Answer(response, lambda error: self._explain(error, cancel, alarm, begun=True))
            finally:
                response.close()

    def close(self) -> None:
        """Let go of what is held."""
        if self._http is not None:
            self._http.close()
            self._http = None

    def _client(self) -> httpx.Client:
        if self._http is None:
            self._http = _new_client(self._endpoint, self._timeout_s)
        return self._http

    def _request(
        self, method: str, path: str, *, content: bytes | None, headers: Mapping[str, str], wire: _Wire
    ) -> httpx.Request:
        headers = {"Content-Type": "application/json", **headers} if content is not None else headers
        url = self._endpoint.base_url.rstrip("/") + path
        trace = {"trace": wire.trace}
        return self._client().build_request(method, url, content=content, headers=headers, extensions=trace)

    def _send(self, request: httpx.Request, cancel: CancelToken, alarm: Alarm) -> httpx.Response:
        try:
            return _Opening(self._client(), request).wait(cancel, alarm.late)
        except httpx.RemoteProtocolError as error:
            if alarm.late.cancelled or not _closed_early(error):
                raise
        return _Opening(self._client(), request).wait(cancel, alarm.late)

    def _explain(self, error: Exception, cancel: CancelToken, alarm: Alarm, *, begun: bool = False) -> LlamaChatError:
        """The error as one of the program's; after Stop, and after the alarm, any failure is just that."""
        if cancel.cancelled:
            return Cancelled()
        if alarm.late.cancelled:
            return too_slow(alarm.after_s)
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
            return unreachable(self._endpoint.base_url, _root(error), timeout_s=CONNECT_TIMEOUT_S)
        if isinstance(error, httpx.TimeoutException):
            return no_answer(self._timeout_s)
        if isinstance(error, httpx.TransportError | httpx.DecodingError) and (begun or _closed_early(error)):
            return broke_off()
        return unreachable(self._endpoint.base_url, error, timeout_s=CONNECT_TIMEOUT_S)


class _Wire:
    """The socket of a request, as soon as there is one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._down = False

    def trace(self, event: str, info: Mapping[str, object]) -> None:
        """Take the socket out of httpcore's trace events: after connecting, and again after the TLS handshake."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            stream = info.get("return_value")
            found = stream.get_extra_info("socket") if hasattr(stream, "get_extra_info") else None
            with self._lock:
                self._socket = found if isinstance(found, socket.socket) else None
                down = self._down
            if down:
                self.shut_down()

    def shut_down(self) -> None:
        """Wake whoever is blocked in the socket; from any thread, also before there is one."""
        with self._lock:
            self._down = True
            wire = self._socket
        if wire is not None:
            with suppress(OSError):
                # Not the method of SSLSocket, which takes the TLS layer away under the reader's hands.
                socket.socket.shutdown(wire, socket.SHUT_RDWR)


class _Opening:
    """A request being sent in a thread of its own, until the answer's headers are there or nobody waits any more."""

    def __init__(self, http: httpx.Client, request: httpx.Request) -> None:
        self._http = http
        self._request = request
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._abandoned = False
        self._response: httpx.Response | None = None
        self._error: BaseException | None = None

    def wait(self, cancel: CancelToken, late: CancelToken) -> httpx.Response:
        """Give the response; raises what sending raised, Cancelled or httpx.ReadTimeout once a token is set."""
        thread = threading.Thread(target=self._run, name="llamachat-open", daemon=True)
        with cancel.on_cancel(self._over.set), late.on_cancel(self._over.set):
            thread.start()
            try:
                self._over.wait()
                cancel.raise_if_cancelled()
                if late.cancelled:
                    raise httpx.ReadTimeout("the deadline over the whole")
            except BaseException:
                self._abandon()
                raise
        if self._error is not None:
            raise self._error
        return cast("httpx.Response", self._response)

    def _run(self) -> None:
        try:
            response = self._http.send(self._request, stream=True)
        except BaseException as error:  # noqa: BLE001 - the thread's outermost frame: raised where it is waited for
            self._error = error
        else:
            with self._lock:
                self._response = response
                abandoned = self._abandoned
            if abandoned:
                response.close()
        self._over.set()

    def _abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            response = self._response
        if response is not None:
            response.close()


def _transport_errors() -> tuple[type[Exception], ...]:
    return httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError


def _new_client(endpoint: Endpoint, timeout_s: float) -> httpx.Client:
    """An HTTP client of its own. Proxies of the environment never stand before loopback and private hosts."""
    headers = {"Accept-Encoding": "identity", "Connection": "close", "User-Agent": f"llamachat/{__version__}"}
    if endpoint.api_key:
        headers["Authorization"] = f"Bearer {_sound_key(endpoint.api_key)}"
    direct = is_private_host(host_of(endpoint.base_url))
    verify: ssl.SSLContext | bool = False  # plain HTTP without a proxy has nothing to verify
    if not direct or urlsplit(endpoint.base_url).scheme != "http":
        verify = httpx.create_ssl_context()
        verify.load_default_certs()  # certificates that the machine's owner added
    timeout = httpx.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S)
    limits = httpx.Limits(max_keepalive_connections=0)
    try:
        return httpx.Client(headers=headers, timeout=timeout, limits=limits, verify=verify, trust_env=not direct)
    except ImportError as error:  # SOCKS needs a package; going around the proxy is not what its owner wants
        raise ServerError(
            tr("The proxy that the environment names for the model server is of a kind that cannot be used."),
            tr("Name a proxy that begins with http://, or except the server by NO_PROXY."),
            cause=ServerCause.UNREACHABLE,
        ) from error
    except (httpx.InvalidURL, ValueError):  # a proxy variable that nobody can read
        return httpx.Client(headers=headers, timeout=timeout, limits=limits, verify=verify, trust_env=False)


def _sound_key(key: str) -> str:
    if key.isascii() and key.isprintable():
        return key
    raise ServerError(
        tr("The key for the model server has characters in it that no key can have."),
        tr("Look at the environment variable named by api_key_env; it may hold a line break or typographic quotes."),
        cause=ServerCause.UNAUTHORIZED,
    )


def _closed_early(error: Exception) -> bool:
    """True when the other side closed the connection, rather than spoke something else than HTTP."""
    closed = isinstance(error, httpx.NetworkError)
    return closed or (isinstance(error, httpx.RemoteProtocolError) and "disconnected" in str(error))


def _root(error: BaseException) -> BaseException:
    """The first cause: httpx wraps httpcore, which wraps the system's error."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error

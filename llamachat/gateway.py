"""The web search for other programs on this machine: `POST /v1/search` and `GET /status`, on loopback, in JSON.

The same guard stands before it as before every other search. Web pages are kept out: a browser names an `Origin`, and
a page whose own name was made to point here names a `Host` that is not this machine.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Thread

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, SearchCause, SearchError, UserFacingError
from llamachat.core.messages import JsonObject
from llamachat.core.search_record import SearchRecord
from llamachat.core.text import clean, tr
from llamachat.searxng.answer import MAX_COUNT
from llamachat.websearch.guard import GuardStatus
from llamachat.websearch.service import WebSearch

HOST = "127.0.0.1"
MOST_BYTES = 65_536  # of a request's body
_MOST_DIGITS = 20  # of its length; Python reads no number of thousands of them
SILENCE_S = 30.0  # until a connection that says nothing is closed
_NOT_NOW = frozenset(
    {
        *(SearchCause.PACED, SearchCause.PAUSED, SearchCause.ENGINES_REFUSED, SearchCause.LIMITED),
        *(SearchCause.NOT_CONFIGURED, SearchCause.NO_KEY, SearchCause.CANCELLED),
    }
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GatewayParts:
    """What the program gives the gateway, out of its settings. All are called from the threads of requests.

    missing: why nothing can be searched and what to do, "" where it can; may block. search: for so many results, 0
    for as many as the settings say. status, refusal: how the guard stands, and why nothing can be sent now.
    """

    missing: Callable[[], str]
    search: Callable[[int], WebSearch]
    status: Callable[[], GuardStatus]
    refusal: Callable[[], SearchError | None]


class Refused(Exception):
    """A request that is answered with a status, a reason, and perhaps the seconds until another try may help."""

    def __init__(self, status: int, reason: str, retry_after_s: float | None = None) -> None:
        super().__init__(status, reason)
        self.status, self.reason, self.retry_after_s = status, reason, retry_after_s


@contextmanager
def running_gateway(parts: GatewayParts, *, port: int) -> Iterator[str]:
    """Serve while the block lasts, searches are stopped at its end; yields the address. Port 0 takes a free one.

    Raises UserFacingError where the port cannot be had.
    """
    stopped = CancelToken()

    class Handler(_Handler):
        pass

    Handler.parts, Handler.stopped = parts, stopped
    try:
        server = _Server((HOST, port), Handler)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserFacingError(
            tr("Port {port} cannot be used: {reason}.").format(port=port, reason=reason),
            tr("Choose another one with --port, or 0 for a free one."),
        ) from error
    Handler.port = server.server_port
    with server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="gateway")
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            stopped.cancel()
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True  # one that waits for a silent client keeps nobody from ending
    allow_reuse_address = True
    request_queue_size = 128  # the library's 5 turns most of a crowd away without a word

    def server_bind(self) -> None:
        """Take the port. The library's own would ask the name service what this machine is called."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that broke off is not worth a word."""


class _Handler(BaseHTTPRequestHandler):
    parts: GatewayParts
    stopped: CancelToken
    port: int
    timeout = SILENCE_S
    _sent: bytes
    server_version, sys_version = "llamachat", ""

    def do_GET(self) -> None:
        """How the guard stands."""
        self._answer(self._status)

    def do_POST(self) -> None:
        """One search."""
        self._answer(self._search)

    def _answer(self, work: Callable[[], JsonObject]) -> None:
        try:
            self._sent = self._received()  # first: a reply upon an unread request can get lost
            self._check_sender()
            self._send(200, work())
        except Refused as refused:
            self._refuse(refused)
        except Cancelled:
            self._refuse(Refused(503, tr("The gateway is ending.")))
        except Exception:  # noqa: BLE001  # the edge: whatever it is, the client gets an answer and the next one too
            _log.exception("a request to the gateway failed")
            self._refuse(Refused(502, tr("Something went wrong inside llamachat; its log has the details.")))

    def _check_sender(self) -> None:
        """Raise Refused for a web page, and for a name that somebody else made to point here."""
        if "Origin" in self.headers:
            raise Refused(403, tr("Web pages may not search through this gateway."))
        host, _, port = self.headers.get("Host", "").rpartition(":")
        if host not in (HOST, "localhost") or port != str(self.port):
            raise Refused(403, tr("Only {address} is answered here.").format(address=f"{HOST}:{self.port}"))

    def _received(self) -> bytes:
        """The body; raises Refused where it is too long, or does not come."""
        length = self.headers.get("Content-Length", "0")
        if not length.isascii() or not length.isdigit():
            raise Refused(411, tr("The request needs a Content-Length."))
        if len(length) > _MOST_DIGITS or int(length) > MOST_BYTES:
            raise Refused(413, tr("The request is longer than {most} bytes.").format(most=MOST_BYTES))
        try:
            return self.rfile.read(int(length))
        except OSError as error:
            raise Refused(408, tr("The request did not come whole.")) from error

    # The two things that can be asked

    def _status(self) -> JsonObject:
        if self.path != "/status":
            raise Refused(*_no_such(self.path))
        status = self.parts.status()
        return {
            "sent": status.sent,
            "from_cache": status.cached,
            "paced": status.paced,
            "paused": status.paused_s > 0,
            "paused_s": math.ceil(status.paused_s),
            "refused_while_paused": status.paused,
            "reason": status.reason or self.parts.missing(),
        }

    def _search(self) -> JsonObject:
        if self.path != "/v1/search":
            raise Refused(*_no_such(self.path))
        query, count = _asked(self._body())
        if missing := self.parts.missing():
            raise Refused(503, missing)
        record = self.parts.search(count).find(query, self.stopped)
        if record.failed:
            raise self._failure(record)
        found = record.results[:count] if count else record.results
        return {"results": [{"title": one.title, "url": one.url, "snippet": one.content} for one in found]}

    def _failure(self, record: SearchRecord) -> Refused:
        if record.cause == SearchCause.BAD_QUERY:
            return Refused(400, record.error)
        if record.cause not in _NOT_NOW:
            return Refused(502, record.error)
        refusal = self.parts.refusal()
        waited = record.cause in (SearchCause.PACED, SearchCause.PAUSED)  # and it may be over by now
        return Refused(503, record.error, refusal.retry_after_s if refusal else 0.0 if waited else None)

    def _body(self) -> JsonObject:
        """What was sent; raises Refused."""
        if self.headers.get_content_type() != "application/json":
            raise Refused(415, tr("The request has to be JSON, with the header Content-Type: application/json."))
        if "Content-Length" not in self.headers:
            raise Refused(411, tr("The request needs a Content-Length."))
        try:
            body = json.loads(self._sent)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise Refused(400, tr("The request has to be a JSON object."))
        return body

    # Answers

    def _refuse(self, refused: Refused) -> None:
        self._send(refused.status, {"error": refused.reason}, retry_after_s=refused.retry_after_s)

    def _send(self, status: int, answer: JsonObject, *, retry_after_s: float | None = None) -> None:
        body = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            if retry_after_s is not None:
                self.send_header("Retry-After", str(max(1, math.ceil(retry_after_s))))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # the client went away
            pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library itself refuses, such as other methods, in the same form."""
        self._refuse(Refused(405 if code == 501 else code, message or tr("The request cannot be read.")))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Keep no log of requests."""


def _asked(body: JsonObject) -> tuple[str, int]:
    """The query and how many results, 0 where it was left open; raises Refused. Other fields do not count."""
    query, count = body.get("query"), body.get("max_results")
    words = " ".join(clean(query).split()) if isinstance(query, str) else ""
    if not words:
        raise Refused(400, tr('The request needs a "query" with words in it.'))
    if count is None:
        return words, 0
    if isinstance(count, bool) or not isinstance(count, int):
        raise Refused(400, tr('"max_results" has to be a whole number.'))
    return words, min(max(count, 1), MAX_COUNT)


def _no_such(path: str) -> tuple[int, str]:
    if path in ("/status", "/v1/search"):
        return 405, tr("GET /status and POST /v1/search are what is answered here.")
    return 404, tr("There is nothing here but POST /v1/search and GET /status.")

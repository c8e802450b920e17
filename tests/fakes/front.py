"""A reverse proxy on loopback, as people put one before a SearXNG: sub-path, password, TLS, a redirect to https."""

from __future__ import annotations

import base64
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

_DROPPED = ("content-length", "content-encoding", "transfer-encoding", "connection")


@dataclass(frozen=True)
class _Rules:
    """upstream: where requests go. base: the only path that is served. credentials: `user:password` or ""."""

    upstream: str
    base: str
    credentials: str
    moved_to: str


class _Handler(BaseHTTPRequestHandler):
    rules: _Rules

    def do_POST(self) -> None:
        rules = self.rules
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        expected = "Basic " + base64.b64encode(rules.credentials.encode()).decode()
        if rules.moved_to:
            self._send(301, {"Location": rules.moved_to + self.path}, b"moved")
        elif not self.path.startswith(rules.base + "/"):
            self._send(404, {"Content-Type": "text/html"}, b"<h1>404 Not Found</h1>")
        elif rules.credentials and self.headers.get("Authorization") != expected:
            self._send(401, {"WWW-Authenticate": 'Basic realm="SearXNG"'}, b"<h1>401</h1>")
        else:
            self._pass_on(body)

    def _pass_on(self, body: bytes) -> None:
        sent = {name: value for name, value in self.headers.items() if name.lower() not in _DROPPED}
        if self.rules.base:
            sent["X-Script-Name"] = self.rules.base
        with httpx.Client(trust_env=False, timeout=30) as client:
            reply = client.post(self.rules.upstream + self.path, content=body, headers=sent)
        headers = {name: value for name, value in reply.headers.items() if name not in _DROPPED}
        self._send(reply.status_code, headers, reply.content)

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is the library's
        """Say nothing."""


@contextmanager
def front(
    upstream: str, *, base: str = "", credentials: str = "", moved_to: str = "", tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    """Serve on a free port; gives the address without `base`."""
    rules = _Rules(upstream, base, credentials, moved_to)
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"rules": rules})) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()

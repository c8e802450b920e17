"""An answer that outlives its connection: the server keeps it for a while, and it is taken up where it broke off.

llama-server does so (b10434 and later) for a request with the header X-Conversation-Id: the same bytes can be had
again from any offset while the answer is written and 300 s longer, up to 4 MiB of them. Such an answer is not stopped
by hanging up: that takes a request of its own. docs/decisions/kept-streams.md has the reasons.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from urllib.parse import quote

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Endpoint, ServerWait, StreamPosition
from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.seams import Clock
from llamachat.llm.exchange import Answer, Exchange
from llamachat.llm.unreachable import broke_off

HEADER = "X-Conversation-Id"
_STOP_WITHIN_S, _STOP_FOR_S = 2.0, 8.0
_STOP_PAUSES_S = (0.02, 0.04, 0.08, 0.15, 0.3, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6)
_KNOWN = (200, 503)  # there, or waiting for its model to load
_PASSING = (502, 503, 504)
_REFUSALS = 3  # in a row
_PLAIN = re.compile(r"[!-~]+")


def new_stream_id(model: str) -> str:
    """A name that nobody can guess; a router reads the model behind the colons."""
    made = secrets.token_urlsafe(16)
    return f"{made}::{model}" if _PLAIN.fullmatch(model) else made


def server_digest(endpoint: Endpoint) -> str:
    """What tells one server from another in the store, without its address."""
    return hashlib.sha256(endpoint.base_url.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an answer is waited for whose connection is lost, in seconds.

    silence_s: of a connection that stands, after which it counts as lost; the server sends a sign of life every 30.
    pauses_s: before each try to take the answer up, after the last byte that came.
    """

    silence_s: float = 75.0
    pauses_s: tuple[float, ...] = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 30.0)


PATIENCE = Patience()


class KeptStream:
    """One answer under its name. `offset`: how many bytes of it have come.

    live: the server may be writing it for this program, and has to be told when that is to end. gone: it has not got
    the rest.
    """

    def __init__(
        self, endpoint: Endpoint, start: StreamPosition, *, clock: Clock, patience: Patience = PATIENCE
    ) -> None:
        self.id, self.offset = start.id, start.offset
        self.live = self.gone = False
        self._refusals = 0
        self._endpoint, self._clock, self._pauses_s = endpoint, clock, patience.pauses_s
        self._silence_s = min(endpoint.request_timeout_s, patience.silence_s)
        self._exchange = Exchange(endpoint, self._silence_s)

    def send(self) -> dict[str, str]:
        """The headers that have the server keep the answer to the request which is sent now."""
        self.live = True
        return {HEADER: self.id}

    def pieces(self, answer: Answer | None, cancel: CancelToken) -> Iterator[bytes | ServerWait]:
        """Yield the bytes of the answer up to its end, which the caller knows, whatever becomes of connections.

        answer: the one that has begun; None takes up at `offset`. Raises Cancelled, and ServerError (CUT_OFF) where
        the server has nothing more, or cannot be reached over all pauses.
        """
        self.live = True
        if answer is not None:
            answer.timeouts_s["read"] = self._silence_s
            yield from self._read(answer)
        tries, lost_at = 0, self._clock.monotonic()
        while tries < len(self._pauses_s):
            yield from self._pause(self._pauses_s[tries], cancel, lost_at=lost_at)
            before = self.offset
            if not (yield from self._take_up(cancel)) and self.offset == before:
                break
            tries += 1
            if self.offset > before:
                tries, lost_at = 0, self._clock.monotonic()
        self.live = False
        raise broke_off()

    def _take_up(self, cancel: CancelToken) -> Generator[bytes, None, bool]:
        """Yield what comes from `offset` on; returns whether another try may bring more."""
        path = f"{self._path}&from={self.offset}"
        try:
            with closing(self._exchange), self._exchange.open("GET", path, cancel=cancel) as answer:
                self._refusals = 0
                if answer.status == 200 and answer.content_type == "text/event-stream":
                    before = self.offset
                    broke_off = yield from self._read(answer)
                    self.gone = not broke_off and self.offset == before
                    return broke_off
                self.gone = answer.status in (400, 404)
                return answer.status in _PASSING or answer.status == 200  # a page of a network that wants a log-in
        except ServerError as error:
            self._refusals = self._refusals + 1 if _is_refused(error) else 0
            return self._refusals < _REFUSALS

    def _read(self, answer: Answer) -> Generator[bytes, None, bool]:
        """Yield what comes; returns whether it broke off rather than ended."""
        try:
            for piece in answer.chunks():
                self.offset += len(piece)
                yield piece
        except ServerError as error:
            if error.cause not in (ServerCause.CUT_OFF, ServerCause.TIMEOUT):
                raise
            return True
        return False

    def _pause(self, pause_s: float, cancel: CancelToken, *, lost_at: float) -> Iterator[ServerWait]:
        until = self._clock.monotonic() + pause_s
        while (left := until - (now := self._clock.monotonic())) > 0:
            yield ServerWait("taking_up", now - lost_at)
            cancel.wait(min(left, 1.0))
            cancel.raise_if_cancelled()

    @property
    def _path(self) -> str:
        return f"/v1/stream?conv_id={quote(self.id, safe='')}"

    def stop(self) -> None:
        """Have the server stop, in a thread that takes a few seconds at most and that the program's end waits for."""
        threading.Thread(target=self._stop, name="stream stop").start()

    def _stop(self) -> None:
        """Say so once the server knows the answer: a router forgets one that it is told to stop before that."""
        until = self._clock.monotonic() + _STOP_FOR_S
        known = self.offset > 0
        for pause_s in _STOP_PAUSES_S:
            known = known or self._status("GET") in _KNOWN
            if (known and self._status("DELETE") < 500) or self._clock.monotonic() > until:
                return
            threading.Event().wait(pause_s)

    def _status(self, method: str) -> int:
        """What the server says to this about the answer; 599 where it says nothing."""
        with suppress(ServerError), closing(Exchange(self._endpoint, _STOP_WITHIN_S)) as exchange:
            return _status(exchange, method, self._path)
        return 599


def stop_stream(endpoint: Endpoint, stream_id: str, *, clock: Clock) -> None:
    """Have the server stop an answer that an earlier request began; returns at once."""
    KeptStream(endpoint, StreamPosition(stream_id, 1), clock=clock).stop()


def _is_refused(error: BaseException | None) -> bool:
    """Whether nothing listens there: most likely the server has ended, and what it kept with it."""
    while error is not None and not isinstance(error, ConnectionRefusedError):
        error = error.__cause__ or error.__context__
    return error is not None


def _status(exchange: Exchange, method: str, path: str) -> int:
    with exchange.open(method, path, cancel=CancelToken(), within_s=_STOP_WITHIN_S) as answer:
        return answer.status

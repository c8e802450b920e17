"""Chat completions on a model server: send one request, wait while the model loads, yield the deltas."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, Delta, Endpoint, FinishDelta, ServerWait, StreamPosition
from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.llm.chunks import ChunkReader
from llamachat.llm.exchange import Answer, Exchange
from llamachat.llm.failures import answer_error
from llamachat.llm.request import body_bytes, request_body
from llamachat.llm.sse import SseParser
from llamachat.llm.streams import PATIENCE, KeptStream, Patience, new_stream_id, server_digest

_PATH = "/v1/chat/completions"
_PASSING = (502, 503, 504)  # the model loads, or a proxy changes models
_EVENT_END = b"\n\n"
_POSITION_EVERY = 4096  # bytes of an answer that the server keeps
_FIRST_PAUSE_S, _LONGEST_PAUSE_S, _PAUSE_GROWTH = 1.0, 10.0, 1.5


class ChatClient:
    """A `Completer` over HTTP. One thread at a time; making one costs nothing before its use.

    model: what the last answer said that the model is called; "" where it did not. loads: the server is known to load
    the model before it answers the first request, and says nothing while it does. keeps_streams: it is known to keep
    an answer for a while whose connection was lost; patience: with such connections.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        clock: Clock,
        loads: bool = False,
        keeps_streams: bool = False,
        patience: Patience = PATIENCE,
    ) -> None:
        self._endpoint = endpoint
        self._keeps_streams, self._patience = keeps_streams, patience
        self._loads = loads
        self._clock = clock
        self._exchange = Exchange(endpoint, endpoint.request_timeout_s)
        self.model = ""

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Generator[Delta, None, None]:
        """Yield the deltas of one answer; raises ServerError, or Cancelled once the token is set.

        While the server answers that it is not ready the request is sent again until `load_timeout_s` is over, with a
        ServerWait about once a second. An answer that begins is never asked for again. Its end is a FinishDelta;
        without one, an error with the cause CUT_OFF follows what came. Closing the generator hangs up, and has the
        server stop.
        """
        kept = self._kept(request)
        if kept is None:
            yield from self._ask(request, None, cancel)
            return
        try:
            yield StreamPosition(kept.id, kept.offset, server_digest(self._endpoint))
            if request.takes_up:
                yield from self._deltas(None, kept, cancel)
            else:
                yield from self._ask(request, kept, cancel)
        except BaseException as error:
            if kept.gone and not isinstance(error, GeneratorExit):
                yield StreamPosition("")
            elif kept.live and not _never_arrived(error):
                kept.stop()
            raise

    def _kept(self, request: CompletionRequest) -> KeptStream | None:
        start = request.takes_up
        if start is None and request.keep and self._keeps_streams:
            start = StreamPosition(new_stream_id(request.model))
        if start is None:
            return None
        return KeptStream(self._endpoint, start, clock=self._clock, patience=self._patience)

    def _ask(self, request: CompletionRequest, kept: KeptStream | None, cancel: CancelToken) -> Iterator[Delta]:
        content = body_bytes(request_body(request))
        began: float | None = None
        pause = _FIRST_PAUSE_S
        if self._loads:
            yield ServerWait("loading", 0.0)
        while True:
            headers = kept.send() if kept else None
            with self._exchange.open("POST", _PATH, cancel=cancel, content=content, headers=headers) as answer:
                if answer.status == 200:
                    self._loads = False
                    yield from self._deltas(answer, kept, cancel)
                    return
                failure = self._failure(answer)
            if kept:
                kept.live = False
            cancel.raise_if_cancelled()
            began = self._clock.monotonic() if began is None else began
            if answer.status not in _PASSING or self._clock.monotonic() - began >= self._endpoint.load_timeout_s:
                raise failure
            reason = "loading" if answer.status == 503 else "retrying"
            yield from self._wait(reason, cancel, began=began, pause_s=pause)
            pause = min(pause * _PAUSE_GROWTH, _LONGEST_PAUSE_S)

    def close(self) -> None:
        """Let go of what is held. Not while `stream` runs: that is what the token is for."""
        self._exchange.close()

    def _failure(self, answer: Answer) -> ServerError:
        key = self._endpoint.api_key
        return answer_error(answer.status, answer.body(), location=answer.location, secret=key)

    def _wait(self, reason: str, cancel: CancelToken, *, began: float, pause_s: float) -> Iterator[ServerWait]:
        until = self._clock.monotonic() + pause_s
        while (left := until - self._clock.monotonic()) > 0:
            yield ServerWait(reason, self._clock.monotonic() - began)
            cancel.wait(min(left, 1.0))
            cancel.raise_if_cancelled()

    def _deltas(self, answer: Answer | None, kept: KeptStream | None, cancel: CancelToken) -> Iterator[Delta]:
        """Yield what a begun answer holds, and then say whether it was whole. None: it is taken up again."""
        reader = ChunkReader(self._endpoint.api_key)
        broken: ServerError | None = None
        try:
            for delta in _read(_pieces(answer, kept, cancel), reader, kept):
                self.model = reader.model
                cancel.raise_if_cancelled()
                yield delta
        except ServerError as error:
            broken = error
        yield from reader.finish()
        cancel.raise_if_cancelled()
        if reader.finished:
            return
        if broken is not None:
            raise broken
        if answer is not None and not reader.done:
            raise _not_whole(answer, reader)
        yield FinishDelta("stop")


def _never_arrived(error: BaseException) -> bool:
    return isinstance(error, ServerError) and error.cause is ServerCause.UNREACHABLE


def _pieces(answer: Answer | None, kept: KeptStream | None, cancel: CancelToken) -> Iterator[bytes | ServerWait]:
    """The bytes of an answer; of one that is kept also those after its connection was lost."""
    if kept and (answer is None or answer.content_type == "text/event-stream"):
        return kept.pieces(answer, cancel)
    return answer.chunks() if answer and answer.content_type != "text/html" else iter(())


def _read(pieces: Iterator[bytes | ServerWait], reader: ChunkReader, kept: KeptStream | None) -> Iterator[Delta]:
    """Yield the deltas up to `[DONE]` or the end of the answer, and of one that is kept how far it has been read."""
    parser = SseParser()
    position = kept.offset if kept else 0
    for piece in pieces:
        if isinstance(piece, ServerWait):
            yield piece
            continue
        for event in parser.feed(piece):
            yield from reader.feed(event)
            if reader.done:
                return
        if kept and reader.settled and kept.offset - position >= _POSITION_EVERY:
            ended = piece.rfind(_EVENT_END)  # what follows is a part of the next event
            if ended >= 0:
                position = kept.offset - len(piece) + ended + len(_EVENT_END)
                yield StreamPosition(kept.id, position)
    for event in parser.close():
        yield from reader.feed(event)


def _not_whole(answer: Answer, reader: ChunkReader) -> ServerError:
    if reader.answered or answer.content_type == "text/event-stream":
        return ServerError(
            tr("The answer broke off: the model server closed the connection before its end."),
            tr("Try again, or have the answer continued."),
            cause=ServerCause.CUT_OFF,
        )
    return ServerError(
        tr("What came is no answer of a model server."),
        tr("Check base_url: it is the address of the server without /v1."),
        cause=ServerCause.NOT_A_SERVER,
    )

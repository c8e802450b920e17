"""Chat completions on a model server: send one request, wait while the model loads, yield the deltas."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, Delta, Endpoint, FinishDelta, ServerWait
from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.llm.chunks import ChunkReader
from llamachat.llm.exchange import Answer, Exchange
from llamachat.llm.failures import answer_error
from llamachat.llm.request import body_bytes, request_body
from llamachat.llm.sse import SseEvent, SseParser

_PATH = "/v1/chat/completions"
_PASSING = (502, 503, 504)  # the model loads, or a proxy changes models
_FIRST_PAUSE_S, _LONGEST_PAUSE_S, _PAUSE_GROWTH = 1.0, 10.0, 1.5


class ChatClient:
    """A `Completer` over HTTP. One thread at a time; making one costs nothing before its use.

    model: what the last answer said that the model is called; "" where it did not. loads: the server is known to load
    the model before it answers the first request, and says nothing while it does.
    """

    def __init__(self, endpoint: Endpoint, *, clock: Clock, loads: bool = False) -> None:
        self._endpoint = endpoint
        self._loads = loads
        self._clock = clock
        self._exchange = Exchange(endpoint, endpoint.request_timeout_s)
        self.model = ""

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Generator[Delta, None, None]:
        """Yield the deltas of one answer; raises ServerError, or Cancelled once the token is set.

        While the server answers that it is not ready the request is sent again until `load_timeout_s` is over, with a
        ServerWait about once a second. An answer that begins is never asked for again. Its end is a FinishDelta;
        without one, an error with the cause CUT_OFF follows what came. Closing the generator hangs up.
        """
        content = body_bytes(request_body(request))
        began: float | None = None
        pause = _FIRST_PAUSE_S
        if self._loads:
            yield ServerWait("loading", 0.0)
        while True:
            with self._exchange.open("POST", _PATH, cancel=cancel, content=content) as answer:
                if answer.status == 200:
                    self._loads = False
                    yield from self._deltas(answer, cancel)
                    return
                failure = self._failure(answer)
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

    def _deltas(self, answer: Answer, cancel: CancelToken) -> Iterator[Delta]:
        """Yield what a begun answer holds, and then say whether it was whole."""
        reader = ChunkReader(self._endpoint.api_key)
        broken: ServerError | None = None
        try:
            for event in _events(answer, reader, cancel):
                for delta in reader.feed(event):
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
        if not reader.done:
            raise _not_whole(answer, reader)
        yield FinishDelta("stop")


def _events(answer: Answer, reader: ChunkReader, cancel: CancelToken) -> Iterator[SseEvent]:
    """Yield the events up to `[DONE]` or the end of the answer."""
    if answer.content_type == "text/html":
        return
    parser = SseParser()
    for data in answer.chunks():
        cancel.raise_if_cancelled()
        for event in parser.feed(data):
            yield event
            if reader.done:
                return
    yield from parser.close()


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

"""A Completer that answers with scripted deltas and keeps the requests it got."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import TypeAlias

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import (
    CompletionRequest,
    ContentDelta,
    Delta,
    FinishDelta,
    ReasoningDelta,
    ToolCallDelta,
)
from llamachat.core.errors import Cancelled, ServerCause, ServerError

# What one answer is made of: deltas, an error to raise, a token to cancel, or a function to call meanwhile.
Step: TypeAlias = Delta | Exception | CancelToken | Callable[[], None]
Script: TypeAlias = Iterable[Step]
Choice: TypeAlias = Script | Callable[[CompletionRequest], Script]


class ScriptedCompleter:
    """Gives the scripts in order, one a request; the last one again when they run out.

    A script may be a function of the request. `closed` counts the streams that were hung up before their end.
    """

    def __init__(self, *scripts: Choice) -> None:
        self._scripts = scripts
        self.requests: list[CompletionRequest] = []
        self.closed = 0
        self._streams: list[Generator[Delta, None, None]] = []  # held, so that none closes for want of a reader

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Generator[Delta, None, None]:
        """One answer."""
        self._streams.append(self._stream(request, cancel))
        return self._streams[-1]

    def _stream(self, request: CompletionRequest, cancel: CancelToken) -> Generator[Delta, None, None]:
        script = self._scripts[min(len(self.requests), len(self._scripts) - 1)]
        self.requests.append(request)
        try:
            yield from _play(script(request) if callable(script) else script, cancel)
        except GeneratorExit:
            self.closed += 1
            raise


def _play(script: Script, cancel: CancelToken) -> Generator[Delta, None, None]:
    for step in script:
        cancel.raise_if_cancelled()
        if isinstance(step, Exception):
            raise step
        if isinstance(step, CancelToken):
            step.cancel()
            raise Cancelled
        if callable(step):
            step()
        else:
            yield step


def says(content: str, *, thinking: str = "", finish: str = "stop") -> list[Step]:
    """An answer of text, in pieces of three characters."""
    return [
        *(ReasoningDelta(piece) for piece in _pieces(thinking)),
        *(ContentDelta(piece) for piece in _pieces(content)),
        FinishDelta(finish),
    ]


def calls(*arguments: str | Mapping[str, object], name: str = "web_search", finish: str = "tool_calls") -> list[Step]:
    """An answer that calls a tool once for each of the arguments, given as JSON text or as an object."""
    texts = [text if isinstance(text, str) else json.dumps(text) for text in arguments]
    deltas = [ToolCallDelta(i, f"call{i}", name, text) for i, text in enumerate(texts)]
    return [*deltas, FinishDelta(finish)]


def refusal(cause: ServerCause, status: int | None = 400) -> ServerError:
    """An error of the server, as the client raises it."""
    return ServerError("The server refused.", "Do something else.", cause=cause, status=status)


def _pieces(text: str) -> list[str]:
    return [text[at : at + 3] for at in range(0, len(text), 3)]

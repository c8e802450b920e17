"""The events of an answer -> deltas, or the server's error. No I/O.

Sources: llama-server b11434 and the servers that speak the same API in other ways: `reasoning` for
`reasoning_content`, content as a list of parts, arguments as an object, `finish_reason` "null" or "".
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import cast

from llamachat.core.completion import (
    ContentDelta,
    Delta,
    FinishDelta,
    PromptProgress,
    ReasoningDelta,
    ToolCallDelta,
    UsageDelta,
)
from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.messages import JsonObject, JsonValue, Usage
from llamachat.core.text import clean, tr
from llamachat.llm.failures import server_error, told_by_error, told_by_object
from llamachat.llm.sse import SseEvent

_LONGEST_PIECE = 16 * 1024  # characters: what reads a piece is done with it at once, and Stop can come between two
_LONGEST_NAME = 1000  # characters


class ChunkReader:
    """Reads the events of one answer. Text comes out whole: no half of a surrogate pair, no NUL.

    A long text comes in several pieces.

    finished: a finish reason came. done: `[DONE]` came. answered: any part of an answer came, even an empty one.
    model: what the server calls the model, as far as it has said.
    `secret` is cut out of what the server says in errors.
    """

    def __init__(self, secret: str = "") -> None:
        self._secret = secret
        self._halves: dict[str, tuple[str, Callable[[str], Delta]]] = {}
        self.model = ""
        self.finished = False
        self.done = False
        self.answered = False

    def feed(self, event: SseEvent) -> Iterator[Delta]:
        """Yield the deltas of one event; raises ServerError when it tells of a failure or is no JSON."""
        for name, value in event.fields:
            if name == "error":
                self._raise_field(value)
        text = event.data or event.bare
        if text[:1] == "{":
            for chunk in _objects(text):
                yield from self._take(chunk, event.name)
        if text.rstrip().endswith("[DONE]"):
            self.done = True

    @property
    def settled(self) -> bool:
        """Whether nothing is held back, and the end has not begun."""
        return not self._halves and not self.finished

    def finish(self) -> list[Delta]:
        """Give what was held back for a second half that did not come."""
        deltas = [make(clean(half)) for half, make in self._halves.values()]
        self._halves.clear()
        return deltas

    def _raise_field(self, value: str) -> None:
        try:
            error = json.loads(value)
        except (ValueError, RecursionError):
            error = {"message": value}
        raise server_error(
            told_by_error(error if isinstance(error, dict) else {"message": value}), secret=self._secret
        )

    def _take(self, chunk: JsonObject, name: str) -> list[Delta]:
        told = told_by_object(chunk)
        if told is None and name == "error":
            told = told_by_error(chunk)
        if told is not None:
            raise server_error(told, secret=self._secret)
        deltas: list[Delta] = []
        self.model = self.model or clean(_text(chunk.get("model")))[:_LONGEST_NAME]
        progress = chunk.get("prompt_progress")
        if isinstance(progress, dict):
            deltas.append(_progress(progress))
        choice = _first_object(chunk.get("choices"))
        if choice is not None:
            self._take_choice(choice, deltas)
        usage, timings = chunk.get("usage"), chunk.get("timings")
        if isinstance(usage, dict) or isinstance(timings, dict):
            deltas.append(UsageDelta(_usage(_dict(usage), _dict(timings))))
        return deltas

    def _take_choice(self, choice: JsonObject, deltas: list[Delta]) -> None:
        self.answered = True
        delta = choice.get("delta") or choice.get("message")  # the latter where a server does not stream
        if isinstance(delta, dict):
            self._take_text(delta, deltas)
            if delta.get("tool_calls"):
                for piece in _objects_in(delta["tool_calls"]):
                    self._take_call(piece, deltas)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason not in ("", "null") and not self.finished:
            self.finished = True
            deltas.append(FinishDelta(clean(reason)))

    def _take_text(self, delta: JsonObject, deltas: list[Delta]) -> None:
        content = delta.get("content")
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(content, list):
            thought = _text(thought) + "".join(_text(part.get("thinking")) for part in _objects_in(content))
        if thought and (whole := self._whole("reasoning", _text(thought), ReasoningDelta)):
            deltas += map(ReasoningDelta, _pieces(whole))
        if content and (whole := self._whole("content", _text(content), ContentDelta)):
            deltas += map(ContentDelta, _pieces(whole))

    def _take_call(self, piece: JsonObject, deltas: list[Delta]) -> None:
        function = _dict(piece.get("function"))
        index = piece.get("index")
        index = index if isinstance(index, int) else None
        arguments = function.get("arguments")
        if isinstance(arguments, dict | list):
            arguments = json.dumps(arguments, ensure_ascii=False)
        call_id, name = _text(piece.get("id")), _text(function.get("name"))
        text = self._whole(f"call {index}", _text(arguments), lambda rest: ToolCallDelta(index=index, arguments=rest))
        deltas.append(ToolCallDelta(index=index, id=clean(call_id), name=clean(name), arguments=text))

    def _whole(self, channel: str, text: str, make: Callable[[str], Delta]) -> str:
        """Text of a channel with the half that was held back before it and without one at its end."""
        if self._halves and channel in self._halves:
            text = self._halves.pop(channel)[0] + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._halves[channel] = text[-1], make
            text = text[:-1]
        return clean(text)


def _objects(text: str) -> Iterator[JsonObject]:
    """The JSON objects of an event: one, or one a line where a server leaves out the blank lines between events."""
    try:
        yield _object(text)
    except (ValueError, RecursionError):
        for line in text.split("\n") if "\n" in text else (text,):
            if line.strip() not in ("", "[DONE]"):
                yield _object_or_break(line)


def _object_or_break(text: str) -> JsonObject:
    try:
        return _object(text)
    except (ValueError, RecursionError) as error:
        raise ServerError(
            tr("The answer broke off: the model server sent a piece that cannot be read."),
            tr("Try again; if it happens again, the server or a proxy in front of it spoils the stream."),
            cause=ServerCause.CUT_OFF,
        ) from error


def _object(text: str) -> JsonObject:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("no object")
    return cast("JsonObject", value)


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _LONGEST_PIECE] for start in range(0, len(text), _LONGEST_PIECE))


def _text(value: JsonValue) -> str:
    """Text that is there as a string, or as a list of parts with a `text` each."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(part if isinstance(part, str) else _text(_dict(part).get("text")) for part in value)
    return ""


def _progress(progress: JsonObject) -> PromptProgress:
    total, cache, processed = (_count(progress.get(name)) or 0 for name in ("total", "cache", "processed"))
    return PromptProgress(total, cache, processed, _number(progress.get("time_ms")) or 0.0)


def _usage(usage: JsonObject, timings: JsonObject) -> Usage:
    cached = _dict(usage.get("prompt_tokens_details")).get("cached_tokens")
    return Usage(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cache_n=_count(timings.get("cache_n", cached)),
        prompt_n=_count(timings.get("prompt_n")),
        prompt_ms=_number(timings.get("prompt_ms")),
        predicted_n=_count(timings.get("predicted_n")),
        predicted_ms=_number(timings.get("predicted_ms")),
    )


def _count(value: object) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 0 else None


def _number(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if abs(value) < 2**53 and math.isfinite(value) else None


def _dict(value: object) -> JsonObject:
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _objects_in(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _first_object(value: JsonValue) -> JsonObject | None:
    return next(iter(_objects_in(value)), None)

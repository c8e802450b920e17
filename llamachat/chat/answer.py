"""One request of a turn: deltas of the model become events and, at the end, an answer with its calls."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from llamachat.chat.said import Said
from llamachat.core.completion import (
    ContentDelta,
    Delta,
    FinishDelta,
    PromptProgress,
    ReasoningDelta,
    ServerWait,
    StreamPosition,
    ToolCallDelta,
    UsageDelta,
)
from llamachat.core.errors import Cancelled, ServerError
from llamachat.core.events import Event, Kind, Phase, PhaseName
from llamachat.core.messages import ToolCall
from llamachat.llm.assemble import ToolCallAssembler
from llamachat.llm.leaked import LeakEnd, LeakFilter
from llamachat.llm.thinking import Piece, SplitPiece, TextKind, ThinkSplitter

Events: TypeAlias = Generator[Event, None, None]
Texts: TypeAlias = Iterable[tuple[TextKind, str]]


_WAITS = {"loading": PhaseName.LOADING, "taking_up": PhaseName.TAKING_UP}


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request brought.

    has_text: something to read beside thinking has been shown. calls: the structured ones, else (`as_text`) those
    that came as text. unreadable: text that ends with a call which cannot be read; it has not been shown.
    """

    has_text: bool
    calls: tuple[ToolCall, ...]
    as_text: bool
    unreadable: tuple[tuple[TextKind, str], ...]
    finish_reason: str


class AnswerReader:
    """Reads one answer into `said`. The markup of calls to the tools of these names is held back."""

    def __init__(self, said: Said, tool_names: Sequence[str]) -> None:
        self._said = said
        self._calls = ToolCallAssembler()
        self._leaks = LeakFilter(tool_names)
        self._splitter: ThinkSplitter | None = None
        self._reasoned = self._has_text = self._called = False
        self._finish_reason = ""

    def events(self, deltas: Iterable[Delta]) -> Generator[Event, None, Answer]:
        """Yield what comes; return the answer. Text that is held back when the stream fails is shown first."""
        try:
            for delta in deltas:
                yield from self._take(delta)
        except (ServerError, Cancelled):
            yield from self._finish()
            raise
        end = yield from self._finish()
        calls = self._calls.calls()
        return Answer(
            has_text=self._has_text,
            calls=calls or end.calls,
            as_text=not calls,
            unreadable=end.rest if end.broken else (),
            finish_reason=self._finish_reason,
        )

    def take_up(self, content: str, reasoning: str) -> None:
        """Before anything else: what the answer had brought before it was taken up again."""
        self._reasoned, self._has_text = bool(reasoning), bool(content.strip())
        self._said.take_up(content, reasoning)
        self._leaks.feed("reasoning", reasoning)
        if content and not self._reasoned:
            self._splitter = ThinkSplitter()
            self._splitter.feed(content)
        self._leaks.feed("content", content)

    @property
    def _resting(self) -> bool:
        """Whether all that came is known from what was shown: an answer can be taken up from here."""
        splits = self._splitter is not None and not self._splitter.resting
        return not (splits or self._called or self._finish_reason) and self._leaks.resting

    def _finish(self) -> Generator[Event, None, LeakEnd]:
        """What was held back is text after all, unless it was meant as a call."""
        if self._splitter:
            yield from self._take_pieces(self._splitter.finish())
        end = self._leaks.finish()
        if not end.broken:
            yield from self._show(end.rest)
        return end

    def _take(self, delta: Delta) -> Events:
        match delta:
            case ReasoningDelta(text):
                self._reasoned = True
                yield from self._show(self._leaks.feed("reasoning", text))
            case ContentDelta(text):
                yield from self._take_content(text)
            case ToolCallDelta():
                self._called = True
                self._calls.feed(delta)
            case StreamPosition(offset=offset):
                if not offset or self._resting:
                    yield Event(Kind.STREAM, delta)
            case PromptProgress():
                yield Event(Kind.PROGRESS, delta)
            case ServerWait(reason, waited_s):
                yield Event(Kind.PHASE, Phase(_WAITS.get(reason, PhaseName.RETRYING), waited_s))
            case UsageDelta(usage):
                yield self._said.add_usage(usage)
            case FinishDelta(reason):
                self._finish_reason = reason

    def _take_content(self, text: str) -> Events:
        """Content; a server that gives thinking in a field of its own leaves no tags of it in the content."""
        if self._splitter is None and self._reasoned:
            yield from self._show(self._leaks.feed("content", text))
            return
        self._splitter = self._splitter or ThinkSplitter()
        yield from self._take_pieces(self._splitter.feed(text))

    def _take_pieces(self, pieces: Iterable[SplitPiece]) -> Events:
        for piece in pieces:
            if isinstance(piece, Piece):
                yield from self._show(self._leaks.feed(piece.kind, piece.text))
            else:
                self._has_text = False
                self._leaks.content_was_reasoning()
                self._said.content_was_reasoning()

    def _show(self, texts: Texts) -> Events:
        for kind, text in texts:
            self._has_text = self._has_text or (kind == "content" and not text.isspace())
            yield from self._said.add(Kind(kind), text)

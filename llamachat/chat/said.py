"""What a turn has said so far: the texts as they are shown, what of them the next message takes, and the cost."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from llamachat.chat.history import BREAK, answer_message
from llamachat.core.events import Event, Kind
from llamachat.core.messages import Usage, WireMessage

_Number = TypeVar("_Number", int, float)


class _Text:
    """One of the two texts of a turn; `pieces` are what came since the last tool round.

    shown: there is text before what comes next. joint: what stands between the texts of two requests.
    """

    def __init__(self, kind: Kind, *, start: str, shown: bool, joint: str) -> None:
        self.kind = kind
        self.pieces = [start] if start else []
        self.shown = shown or bool(start)
        self.joint = joint
        self.fresh = False

    def add(self, text: str) -> Generator[Event, None, None]:
        if self.fresh and self.shown and not (self.joint == " " and _has_gap(self.pieces, text)):
            if self.pieces:
                self.pieces.append(self.joint)
            if self.joint:
                yield Event(self.kind, self.joint)
        self.fresh, self.shown = False, True
        self.pieces.append(text)
        yield Event(self.kind, text)

    def take(self) -> str:
        text = "".join(self.pieces)
        self.pieces, self.joint = [], BREAK
        return text


class Said:
    """Collects over the requests of one turn. A request that is made again goes on below what is shown already.

    content, reasoning: a partial answer that is being continued. shown: the names of the texts (`Kind`) of which
    some was shown before that.
    """

    def __init__(self, *, content: str = "", reasoning: str = "", shown: frozenset[Kind] = frozenset()) -> None:
        joint = "" if content else BREAK
        self._content = _Text(Kind.CONTENT, start=content, shown=Kind.CONTENT in shown, joint=joint)
        self._reasoning = _Text(Kind.REASONING, start=reasoning, shown=Kind.REASONING in shown, joint=BREAK)
        self._usage = Usage()
        self._begun = 0

    @property
    def content(self) -> str:
        """The content since the last tool round."""
        return "".join(self._content.pieces)

    @property
    def reasoning(self) -> str:
        """The reasoning since the last tool round."""
        return "".join(self._reasoning.pieces)

    def begin_request(self) -> None:
        """The next text comes from another request: it is set apart from what is shown."""
        self._content.fresh = self._reasoning.fresh = True
        self._begun = len(self._content.pieces)

    def content_was_reasoning(self) -> None:
        """What the last request gave as content was thinking. The reader sees it move when the turn ends."""
        moved = "".join(self._content.pieces[self._begun :]).removeprefix(self._content.joint)
        del self._content.pieces[self._begun :]
        self._content.fresh = True
        if moved:
            self._reasoning.pieces += [BREAK, moved] if self._reasoning.pieces else [moved]

    def expect_whole_words(self) -> None:
        """The partial answer is continued by a message of its own, which does not begin with a blank."""
        self._content.joint = " "

    def expect_thought(self, *, goes_on: bool) -> None:
        """Whether the next thinking goes on where the partial one broke off, in the middle of a word."""
        self._reasoning.joint = "" if goes_on else BREAK

    def add(self, kind: Kind, text: str) -> Generator[Event, None, None]:
        """Yield the events of one more piece of text."""
        if text:
            yield from (self._content if kind is Kind.CONTENT else self._reasoning).add(text)

    def take_up(self, content: str, reasoning: str) -> None:
        """What the request had brought before it was taken up again; it is shown already."""
        for text, brought in ((self._content, content), (self._reasoning, reasoning)):
            if brought:
                text.pieces.append(brought)
                text.fresh, text.shown = False, True

    def take_message(self) -> WireMessage:
        """All text since the last tool round as an assistant message; what comes next belongs to another one."""
        return answer_message(self._content.take(), self._reasoning.take())

    def add_usage(self, usage: Usage) -> Event:
        """The cost of the turn with that of one more request."""
        self._usage = add_usage(self._usage, usage)
        return Event(Kind.USAGE, self._usage)


def add_usage(first: Usage, second: Usage) -> Usage:
    """The sum of two requests; of `prompt_tokens`, which tells how full the context is, the later one counts."""
    return Usage(
        prompt_tokens=first.prompt_tokens if second.prompt_tokens is None else second.prompt_tokens,
        completion_tokens=_sum(first.completion_tokens, second.completion_tokens),
        cache_n=_sum(first.cache_n, second.cache_n),
        prompt_n=_sum(first.prompt_n, second.prompt_n),
        prompt_ms=_sum(first.prompt_ms, second.prompt_ms),
        predicted_n=_sum(first.predicted_n, second.predicted_n),
        predicted_ms=_sum(first.predicted_ms, second.predicted_ms),
    )


def _sum(first: _Number | None, second: _Number | None) -> _Number | None:
    if first is None or second is None:
        return second if first is None else first
    return first + second


def _has_gap(before: list[str], after: str) -> bool:
    return not before or before[-1][-1:].isspace() or not after[:1].isalnum()

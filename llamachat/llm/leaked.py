"""Tool calls that came as text: kept from the reader while they stream, read at the end. No I/O.

Text is held back from a possible opening mark on until it is clear what it is. A marked call counts wherever it
stands; a code block or bare JSON that looks like one only as the last thing of the turn. A call within the thinking
counts only while no answer follows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from llamachat.core.messages import ToolCall
from llamachat.core.text import clean
from llamachat.llm.assemble import new_call_id
from llamachat.llm.call_bodies import CLOSERS, FENCE, LeakedCall, Verdict
from llamachat.llm.call_text import BARE, OPENERS, CallReader
from llamachat.llm.fences import FenceTracker
from llamachat.llm.thinking import TextKind

_MARK = re.compile("|".join(re.escape(mark) for mark in (*OPENERS, FENCE)))
_CLOSING = re.compile("|".join(re.escape(mark) for mark in (*CLOSERS, FENCE)))
_LONGEST = max(len(mark) for mark in OPENERS)
_LONGEST_PIECE = 4096


@dataclass(frozen=True, slots=True)
class LeakEnd:
    """The end of an answer. `rest` is text that was held back and is text after all.

    calls: what can be run, equal calls once. broken: the answer ends with a call that was cut off or is malformed; it
    stands literally in `rest`.
    """

    rest: tuple[tuple[TextKind, str], ...] = ()
    calls: tuple[ToolCall, ...] = ()
    broken: bool = False


class LeakFilter:
    """Feed it the text of one answer, thinking and content; what it gives may be shown.

    Without tools all text passes. Structured calls of the same answer are not known here: they win over `calls`.
    """

    def __init__(self, tool_names: Collection[str], make_id: Callable[[], str] = new_call_id) -> None:
        self._make_id = make_id
        self._names = frozenset(tool_names)
        self._channels: dict[TextKind, _Channel] = {
            "reasoning": _Channel(self._names),
            "content": _Channel(self._names),
        }

    def feed(self, kind: TextKind, text: str) -> list[tuple[TextKind, str]]:
        """Take more text of a kind, give what may be shown by now."""
        if not self._names:
            return [(kind, text)] if text else []
        shown = self._channels[kind].feed(text)
        out: list[tuple[TextKind, str]] = []
        if kind == "content" and shown and not shown.isspace():
            out.append(("reasoning", self._channels["reasoning"].give_up()))
        out.append((kind, shown))
        return [piece for piece in out if piece[1]]

    @property
    def resting(self) -> bool:
        """Whether nothing is held back, and no call has been read: the text so far is all there is to know."""
        return not self._names or all(channel.resting for channel in self._channels.values())

    def content_was_reasoning(self) -> None:
        """Take all content so far as thinking, as `Reclassify` says: a call in it counts while no answer follows."""
        if not self._channels["content"].empty:
            self._channels = {"reasoning": self._channels["content"], "content": _Channel(self._names)}

    def finish(self) -> LeakEnd:
        """Read what was held back."""
        ends = {kind: channel.finish() for kind, channel in self._channels.items()}
        calls: dict[tuple[str, str], ToolCall] = {}
        for leaked in (call for end in ends.values() for call in end.calls):
            arguments = clean(json.dumps(leaked.arguments, ensure_ascii=False))
            if (leaked.name, arguments) not in calls:
                calls[leaked.name, arguments] = ToolCall(self._make_id(), leaked.name, arguments)
        rest = tuple((kind, end.rest) for kind, end in ends.items() if end.rest)
        return LeakEnd(rest, tuple(calls.values()), any(end.broken for end in ends.values()))


@dataclass(slots=True)
class _End:
    rest: str = ""
    calls: list[LeakedCall] = field(default_factory=list)
    broken: bool = False


@dataclass(slots=True)
class _Tail:
    """What stands behind the last thing that was read: ended calls, and spaces and closing marks after them.

    raw: text that comes out literally when other text follows, and at the end where nothing could be read in it.
    """

    raw: str = ""
    calls: list[LeakedCall] = field(default_factory=list)
    unreadable: bool = False
    fenced: bool = False
    gap: str = ""
    pending: str = ""


class _Channel:
    """One kind of text. It is in one of three states: plain text, within a possible call, behind one."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._held = ""
        self._reader: CallReader | None = None
        self._tail: _Tail | None = None
        self._calls: list[LeakedCall] = []
        self._fences = FenceTracker()
        self._last = ""
        self._shown: list[str] = []
        self._blank = True  # nothing but spaces has been shown

    @property
    def empty(self) -> bool:
        """True while nothing but spaces has come."""
        return self._blank and not (self._held or self._reader or self._tail)

    @property
    def resting(self) -> bool:
        return not (self._held or self._reader or self._tail or self._calls)

    def feed(self, text: str) -> str:
        for start in range(0, len(text), _LONGEST_PIECE):  # what is looked at again is copied each time
            self._feed(text[start : start + _LONGEST_PIECE])
        return self._take_shown()

    def _feed(self, text: str) -> None:
        if self._held:
            text, self._held = self._held + text, ""
        position = 0
        while position < len(text):
            if self._reader is not None:
                text, position = self._read(self._reader, text[position:]), 0
            elif self._tail is not None:
                text, position = self._follow(text, position)
            else:
                position = self._scan(text, position)

    def give_up(self) -> str:
        """Text that is held back, as text; calls are forgotten: an answer followed them."""
        tail, reader = self._tail or _Tail(), self._reader
        rest = self._held + tail.raw + (tail.gap + tail.pending if tail.raw else "") + (reader.raw if reader else "")
        self._held, self._tail, self._reader, self._calls = "", None, None, []
        self._show(rest)
        return self._take_shown()

    def finish(self) -> _End:
        tail, reader = self._tail or _Tail(), self._reader
        calls = [*self._calls, *tail.calls]
        rest = self._held
        if tail.unreadable:
            rest += tail.raw + tail.gap + tail.pending
        if reader is not None:
            rest += reader.raw
        return _End(rest, calls, tail.unreadable or (reader is not None and reader.meant))

    def _scan(self, text: str, position: int) -> int:
        """Plain text: show it up to the next mark, or up to what may become one."""
        if self._blank:
            first = position + len(text[position:]) - len(text[position:].lstrip())
            if text[first : first + 1] == BARE:
                self._show(text[position:first])
                self._reader = CallReader(BARE, self._names)
                return first + 1
        match = _MARK.search(text, position)
        if match is None:
            clear = len(text) - self._unclear(text, position)
            self._show(text[position:clear])
            self._hold(text[clear:])
            return len(text)
        self._show(text[position : match.start()])
        if self._opens(match.group()):
            self._reader = CallReader(match.group(), self._names)
        else:
            self._show(match.group())
        return match.end()

    def _opens(self, mark: str) -> bool:
        """False where a mark is text: in a code block, after a backtick, three backticks within a line."""
        if self._fences.inside:
            return False
        return self._fences.at_line_start() if mark == FENCE else self._last != "`"

    def _unclear(self, text: str, position: int) -> int:
        """How many characters at the end of `text` may be the beginning of a mark."""
        begin = max(position, len(text) - _LONGEST + 1)
        for at in range(begin, len(text)):
            if text[at] in "<[`" and any(mark.startswith(text[at:]) for mark in (*OPENERS, FENCE)):
                return len(text) - at
        return 0

    def _hold(self, text: str) -> None:
        if text and self._opens(FENCE if text[0] == "`" else text):
            self._held = text
        else:
            self._show(text)

    def _read(self, reader: CallReader, text: str) -> str:
        """Hand the text to the reader; what is left of it once the verdict is there."""
        for position, character in enumerate(text, 1):
            verdict = reader.feed(character)
            if verdict is not Verdict.OPEN:
                self._reader = None
                return self._judge(reader, verdict) + text[position:]
        return ""

    def _judge(self, reader: CallReader, verdict: Verdict) -> str:
        """Act on a verdict; gives text that is to be looked at again."""
        tail = self._tail or _Tail()
        if verdict is Verdict.LITERAL:
            self._release(tail)
            self._show(reader.literal)
            return reader.raw[len(reader.literal) :]
        if verdict is Verdict.CALL and not reader.only_at_end:
            self._calls += reader.calls
        else:
            tail.raw += tail.gap + reader.raw
            tail.calls += reader.calls
            tail.unreadable = tail.unreadable or verdict is Verdict.UNREADABLE
            tail.gap = ""
        tail.fenced = reader.fenced
        self._tail = tail
        return ""

    def _follow(self, text: str, position: int) -> tuple[str, int]:
        """Behind a call: spaces, closing marks and another call belong to it, anything else is looked at anew."""
        tail = self._tail or _Tail()
        tail.pending += text[position]
        pending = tail.pending
        if pending.isspace() or pending in CLOSERS or (pending == FENCE and tail.fenced):
            tail.gap += pending
            tail.pending = ""
            tail.fenced = tail.fenced and pending != FENCE
        elif pending in OPENERS or pending in (FENCE, BARE):
            tail.pending = ""
            self._reader = CallReader(pending, self._names)
        elif not any(mark.startswith(pending) for mark in (*OPENERS, *CLOSERS, FENCE)):
            self._release(tail)
            return pending + text[position + 1 :], 0
        return text, position + 1

    def _release(self, tail: _Tail) -> None:
        """Other text follows: what was held as an example is one, and the spaces stay unless the text begins here."""
        self._tail = None
        if tail.raw:
            self._show(tail.raw + tail.gap)
        elif not self._blank:
            self._show(_CLOSING.sub("", tail.gap))

    def _take_shown(self) -> str:
        shown, self._shown = "".join(self._shown), []
        return shown

    def _show(self, text: str) -> None:
        if text:
            self._fences.feed(text)
            self._last = text[-1]
            self._blank = self._blank and text.isspace()
            self._shown.append(text)

"""Thinking that a server leaves in `content` between <think> tags -> reasoning and content. No I/O.

A tag counts where models write it: the opening one at the beginning of a line, the closing one anywhere after it. In
code (a fenced block, or between backticks) and within a sentence tags are text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from llamachat.llm.fences import FenceTracker

TextKind: TypeAlias = Literal["reasoning", "content"]

_OPEN, _CLOSE = "<think>", "</think>"


@dataclass(frozen=True, slots=True)
class Piece:
    """More text of one kind."""

    kind: TextKind
    text: str


@dataclass(frozen=True, slots=True)
class Reclassify:
    """All content so far was thinking: a closing tag came whose opening one stood in the prompt."""


SplitPiece: TypeAlias = Piece | Reclassify


class ThinkSplitter:
    """Feed it the content of one answer."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._may_reclassify = True
        self._skip_blank = False
        self._fences = FenceTracker()
        self._last = ""

    @property
    def resting(self) -> bool:
        """Whether nothing is held back, and there was no tag: the text so far is all there is to know."""
        return not self._held and self._may_reclassify

    def feed(self, text: str) -> list[SplitPiece]:
        """Give what is clear by now; a possible beginning of a tag is held back."""
        if not self._held and "<" not in text:
            out: list[SplitPiece] = []
            self._give(text, out)
            return out
        return self._split(self._held + text, at_end=False)

    def finish(self) -> list[SplitPiece]:
        """Give the rest at the end of the answer."""
        return self._split(self._held, at_end=True)

    def _split(self, text: str, *, at_end: bool) -> list[SplitPiece]:
        out: list[SplitPiece] = []
        self._held = ""
        position = scan = 0
        while (found := text.find("<", scan)) >= 0:
            rest = text[found : found + len(_CLOSE) + 1]
            scan = found + 1
            unclear = not at_end and self._is_unclear(rest)
            if not unclear and not rest.startswith((_OPEN, _CLOSE)):
                continue
            self._give(text[position:found], out)
            position = found
            if unclear:
                self._held = rest
                return _joined(out)
            position += self._take_tag(rest, out)
            scan = max(scan, position)
        self._give(text[position:], out)
        return _joined(out)

    def _is_unclear(self, rest: str) -> bool:
        """True while `rest` may yet become a tag, or is one whose meaning hangs on the character after it."""
        may_open = not self._thinking and rest != _OPEN and _OPEN.startswith(rest)
        return may_open or _CLOSE.startswith(rest)

    def _take_tag(self, rest: str, out: list[SplitPiece]) -> int:
        """Act on the tag at the beginning of `rest`; its length, or 0 where the text is no tag here."""
        if self._thinking:
            if not rest.startswith(_CLOSE) or (self._last == "`" and rest[len(_CLOSE) :].startswith("`")):
                return 0
            self._thinking = False
        elif rest.startswith(_OPEN):
            if self._fences.inside or not self._fences.at_line_start():
                return 0
            self._thinking = True
        elif rest.startswith(_CLOSE) and self._closes_unopened(rest[len(_CLOSE) :]):
            out.append(Reclassify())
            self._fences = FenceTracker()
        else:
            return 0
        self._may_reclassify = False
        self._skip_blank = True
        return len(_CLOSE) if rest.startswith(_CLOSE) else len(_OPEN)

    def _closes_unopened(self, after: str) -> bool:
        in_code = self._fences.inside or self._fences.line.count("`") % 2 == 1
        return self._may_reclassify and not in_code and after[:1] in ("", "\n", "\r")

    def _give(self, text: str, out: list[SplitPiece]) -> None:
        if self._skip_blank:
            text = text.lstrip()
            self._skip_blank = not text
        if text:
            self._last = text[-1]
            kind: TextKind = "reasoning" if self._thinking else "content"
            if not self._thinking:
                self._fences.feed(text)
            out.append(Piece(kind, text))


def _joined(pieces: Iterable[SplitPiece]) -> list[SplitPiece]:
    """Neighbours of one kind as one piece."""
    out: list[SplitPiece] = []
    for kind, group in groupby(pieces, lambda piece: piece.kind if isinstance(piece, Piece) else None):
        texts = [piece.text for piece in group if isinstance(piece, Piece)]
        out.append(Piece(kind, "".join(texts)) if kind else Reclassify())
    return out

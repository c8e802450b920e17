"""Emphasis beside Chinese, Japanese and Korean text: `**「注意」**请` is bold, although no blank stands around it.

CommonMark asks for a blank or punctuation where a mark stands beside punctuation. These scripts write no blanks, so
one of their characters counts as well, and their own punctuation does not count as punctuation.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u303e\u3041-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uffee"
    "\U00020000-\U0003fffd]"
)


class WideInline(ParserInline):
    """The inline parser with another idea of where a mark may open and close."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Parse as the library does."""
        state = _WideState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


class _WideState(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803 - the library's names
        """Whether the run of marks at `start` can open and close emphasis."""
        marker, end = self.src[start], start
        while end < self.posMax and self.src[end] == marker:
            end += 1
        last = _Neighbour(self.src[start - 1] if start > 0 else " ")
        following = _Neighbour(self.src[end] if end < self.posMax else " ")
        opens = following.is_word or (following.is_mark and last.ends_words)
        closes = last.is_word or (last.is_mark and following.ends_words)
        can_open = opens and (canSplitWord or not closes or last.is_punctuation)
        can_close = closes and (canSplitWord or not opens or following.is_punctuation)
        return Scanned(can_open, can_close, end - start)


class _Neighbour:
    """What stands beside a run of marks."""

    def __init__(self, character: str) -> None:
        is_blank = isWhiteSpace(ord(character))
        is_wide = bool(_CJK.fullmatch(character))
        self.is_punctuation = isMdAsciiPunct(ord(character)) or isPunctChar(character)
        self.is_mark = self.is_punctuation and not is_wide
        self.is_word = not is_blank and not self.is_mark
        self.ends_words = is_blank or self.is_punctuation or is_wide

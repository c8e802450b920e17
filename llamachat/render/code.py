"""Code blocks: their exact text, and which stretches of them are keywords, strings, comments, numbers or names.

Pygments' state machines are run from saved states, so that code which grows costs only its last lines. What a lexer
does beside its state machine (C++ tells types from names) is left out; lexers without one are run over the whole.
"""

from __future__ import annotations

import functools
import logging
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, TypeAlias, cast

from pygments.lexer import ExtendedRegexLexer, Lexer, RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.lexers.sql import PostgresBase
from pygments.token import (
    Comment,
    Error,
    Generic,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    Token,
    Whitespace,
    _TokenType,
)
from pygments.util import ClassNotFound

from llamachat.render.block_html import code_lines
from llamachat.render.incremental import normalize
from llamachat.render.parse import Definitions, MarkdownParser

Style: TypeAlias = Literal["keyword", "string", "comment", "number", "name", "deleted", "inserted"]

log = logging.getLogger(__name__)

_STYLES: dict[_TokenType, Style] = {
    Comment: "comment",
    Keyword.Type: "name",
    Keyword: "keyword",
    Operator.Word: "keyword",
    String: "string",
    Number: "number",
    Name.Function: "name",
    Name.Class: "name",
    Name.Builtin: "name",
    Name.Decorator: "name",
    Name.Exception: "name",
    Name.Tag: "keyword",
    Name.Attribute: "name",
    Generic.Deleted: "deleted",
    Generic.Inserted: "inserted",
    Generic.Heading: "name",
    Generic.Subheading: "name",
}
# Pygments knows 500 more. These are not brought to a standstill by any line of hostile code, as some of those are:
# a hundred characters of "mcschema" take for ever, and nothing can interrupt a pattern.
_NAMES = """
    ada awk bash batch c clojure cmake cobol common-lisp console cpp csharp css d dart delphi diff django
    docker doscon elixir elm emacs-lisp erlang fortran fsharp gas gdscript glsl go graphql groovy haml
    haskell html http ini irc java javascript json jsx julia kotlin less llvm lua make markdown matlab mysql
    nasm nginx nimrod nixos objective-c ocaml octave perl php plpgsql postgresql powershell prolog properties
    protobuf pug pycon pytb python qbasic racket restructuredtext ruby rust sass scala scheme scss smalltalk
    solidity splus sql sqlite3 swift systemd tcl terraform tex text toml tsx typescript vb.net verilog vhdl
    vim vue wast xml yaml zig
"""
LANGUAGES = frozenset(_NAMES.split())
_LONGEST_LINE = 1000  # longer lines are data, and patterns may take forever over them
_LONGEST_WHOLE = 20_000  # characters a lexer without a state machine is run over again and again
_FENCE = re.compile(r"(?:`{3,}|~{3,})[ \t]*([^\s`]*)")
_OVERLAP_LINES = 5  # how far back colouring starts anew: a token may depend on what follows it


@dataclass(frozen=True, slots=True)
class Span:
    """A coloured stretch of a line."""

    start: int
    length: int
    style: Style


LineColours: TypeAlias = tuple[int, tuple[Span, ...]]  # a line's number and its spans
_States: TypeAlias = tuple[str, ...]
_Token: TypeAlias = tuple[int, _TokenType, str]


def code_at(parser: MarkdownParser, text: str, line: int) -> str | None:
    """The exact code of the block that starts at a line of a message's source, without its last line end."""
    for block in parser.blocks(normalize(text), Definitions({}, frozenset())):
        for token in block.tokens:
            if token.type in ("fence", "code_block") and token.map and token.map[0] == line:
                return "\n".join(code_lines(token.content))
    return None


def language_at(text: str, line: int) -> str:
    """The language that the fence in a line of a message's source names."""
    lines = normalize(text).split("\n", line + 1)
    fence = _FENCE.search(lines[line]) if line < len(lines) else None
    return fence[1] if fence else ""


def file_suffix(language: str) -> str:
    """Such as `.py`: how the name of a file with code in a language ends."""
    lexer = find_lexer(language)
    patterns = lexer.filenames if lexer else []
    return next((name[1:] for name in patterns if re.fullmatch(r"\*\.\w{1,8}", name)), ".txt")


class GrowingColours:
    """The colours of a code block that grows line by line."""

    def __init__(self, language: str) -> None:
        self._lexer = find_lexer(language)
        self._lines: list[str] = []
        # line -> where in it the first token begins (one of the line above may reach into it), and the states there
        self._states: dict[int, tuple[int, _States]] = {0: (0, ("root",))}

    @property
    def resumes(self) -> bool:
        """Whether more lines cost only themselves; else all of the code is gone over again."""
        return self._lexer is not None and _is_state_machine(self._lexer)

    def replace(self, first: int, lines: Sequence[str]) -> list[LineColours]:
        """Have these lines follow the `first` ones; gives the colours of every line that may have changed."""
        del self._lines[first:]
        self._lines += lines
        if self._lexer is None or any(len(line) > _LONGEST_LINE for line in lines):
            self._lexer = None
            return []
        try:
            return self._colour(self._lexer, first)
        except Exception:
            log.exception("the lexer %s failed", self._lexer.name)
            self._lexer = None
            return []

    def _colour(self, lexer: Lexer, first: int) -> list[LineColours]:
        if _is_state_machine(lexer):
            return self._colour_from(self._restart(first))
        if sum(map(len, self._lines)) > _LONGEST_WHOLE:
            return []
        text = "\n".join(self._lines) + "\n"
        return list(_colour_lines(lexer.get_tokens_unprocessed(text), self._lines, 0))

    def _restart(self, first: int) -> int:
        """The last line before the change whose states are known; later states are forgotten."""
        wanted = max(first - _OVERLAP_LINES, 0)
        while (last := next(reversed(self._states))) > wanted:  # they are kept in the order of the lines
            del self._states[last]
        return last

    def _colour_from(self, start: int) -> list[LineColours]:
        column, states = self._states[start]
        lines = [self._lines[start][column:], *self._lines[start + 1 :]] if self._lines[start:] else []
        starts = _line_starts(lines)

        def remember(position: int, states: _States) -> None:
            number = bisect_right(starts, position) - 1
            if number and start + number not in self._states:  # a rule may change them without taking a character
                self._states[start + number] = (position - starts[number], states)

        tokens = _run(cast("RegexLexer", self._lexer), "\n".join(lines) + "\n", states, remember)
        coloured = list(_colour_lines(tokens, lines, start))
        return coloured[1:] if column else coloured


@functools.lru_cache(maxsize=64)
def find_lexer(language: str) -> Lexer | None:
    """The lexer for the word behind a fence's marks, if there is one."""
    name = language.strip().lower()
    if not re.fullmatch(r"[\w.+#-]{1,40}", name):
        return None
    try:
        lexer = get_lexer_by_name(name)
    except ClassNotFound:
        return None
    return lexer if LANGUAGES.intersection(lexer.aliases) else None


def _is_state_machine(lexer: Lexer) -> bool:
    """False for lexers that keep the whole text, or a place in it, beside their states."""
    return isinstance(lexer, RegexLexer) and not isinstance(lexer, ExtendedRegexLexer | PostgresBase)


def _line_starts(lines: Sequence[str]) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in lines[:-1])]


_Action: TypeAlias = "_TokenType | Callable[[Lexer, re.Match[str]], Iterator[_Token]] | None"
_Rule: TypeAlias = "tuple[Callable[[str, int], re.Match[str] | None], _Action, object]"


def _run(lexer: RegexLexer, text: str, states: _States, remember: Callable[[int, _States], None]) -> Iterator[_Token]:
    """What `RegexLexer.get_tokens_unprocessed` does, telling the states before every match.

    Reads `_tokens`, the compiled rules: private, and unchanged for as long as Pygments has had them.
    """
    rules = cast("Mapping[str, Sequence[_Rule]]", lexer._tokens)  # type: ignore[attr-defined] # see above
    stack, position = list(states), 0
    while position < len(text):
        remember(position, tuple(stack))
        for match_at, action, change in rules[stack[-1]]:
            match = match_at(text, position)
            if match is None:
                continue
            if isinstance(action, _TokenType):
                yield position, action, match.group()
            elif action is not None:
                yield from action(lexer, match)
            position = match.end()
            _change_states(stack, change)
            break
        else:
            if text[position] == "\n":
                stack[:] = ["root"]
            yield position, Whitespace if text[position] == "\n" else Error, text[position]
            position += 1


def _change_states(stack: list[str], change: object) -> None:
    if isinstance(change, int):
        del stack[max(len(stack) + change, 1) :]
        return
    if change == "#push":
        stack.append(stack[-1])
        return
    for state in change if isinstance(change, tuple) else ():
        if state == "#pop":
            del stack[max(len(stack) - 1, 1) :]
        else:
            stack.append(stack[-1] if state == "#push" else state)


def _colour_lines(tokens: Iterator[_Token], lines: Sequence[str], first: int) -> Iterator[LineColours]:
    spans: list[list[Span]] = [[] for _ in lines]
    starts = _line_starts(lines)
    for start, token_type, text in tokens:
        style = _style_of(token_type)
        position = start
        for part in text.split("\n") if style else ():
            if part and style:
                number = bisect_right(starts, position) - 1
                _append(spans[number], Span(position - starts[number], len(part), style))
            position += len(part) + 1
    return ((first + number, tuple(line_spans)) for number, line_spans in enumerate(spans))


def _append(spans: list[Span], new: Span) -> None:
    last = spans[-1] if spans else None
    if last and last.style == new.style and last.start + last.length == new.start:
        spans[-1] = Span(last.start, last.length + new.length, last.style)
    else:
        spans.append(new)


@functools.cache
def _style_of(token_type: _TokenType | None) -> Style | None:
    while token_type is not None and token_type is not Token:
        if token_type in _STYLES:
            return _STYLES[token_type]
        token_type = token_type.parent
    return None

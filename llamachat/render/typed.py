"""What a person typed, drawn as it was typed: every character and every line, with no Markdown taken from it.

Only three things look different from plain text: web addresses are links, code between fences that open and close
stands in a box, and `code` in backquotes is tinted with its backquotes kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from llamachat.render.block_html import draw_code, open_block
from llamachat.render.block_kinds import FILLER, BlockKind
from llamachat.render.incremental import Piece, Update, normalize
from llamachat.render.limits import TYPED_LIMITS, Limits, drawn_part
from llamachat.render.links import Anchor, AnchorKind
from llamachat.render.parse import MarkdownParser

_OPENING = re.compile(r" {0,3}(`{3,})([^`]*)")
_INLINE_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_LONGEST_MARKED = 2000  # characters; longer lines are data


def draw_typed(
    parser: MarkdownParser, text: str, message_id: int, limits: Limits | None = TYPED_LIMITS
) -> list[Piece]:
    """A piece for every line and for every fenced code block."""
    typed = TypedText(parser, text, message_id, limits)
    typed.finish()
    return typed.pieces


class TypedText:
    """A typed text that is drawn bit by bit; as it is known as a whole, no piece changes once it is drawn."""

    open_text = ""  # what is drawn anew when more is asked for

    def __init__(self, parser: MarkdownParser, text: str, message_id: int, limits: Limits | None) -> None:
        shown, self.cut = drawn_part(normalize(text), limits)
        self.pieces: list[Piece] = []
        self._parser = parser
        self._message_id = message_id
        self._lines = shown.split("\n")
        self._parts = list(_parts(self._lines))
        self._wanted = 0  # lines

    @property
    def final_count(self) -> int:
        """How many pieces stay as they are."""
        return len(self.pieces)

    def feed(self, text: str) -> Update:
        """Draw what stands in the next bit of the text; a code block once all of it does."""
        self._wanted += text.count("\n")
        return self._draw(self._wanted)

    def finish(self) -> Update:
        """Draw the rest."""
        return self._draw(len(self._lines))

    def _draw(self, end_line: int) -> Update:
        drawn = first = len(self.pieces)
        while drawn < len(self._parts) and self._parts[drawn][1] <= end_line:
            self.pieces.append(self._piece(*self._parts[drawn]))
            drawn += 1
        return Update(first, tuple(piece.html for piece in self.pieces[first:]))

    def _piece(self, start: int, end: int, is_code: bool) -> Piece:
        if is_code:
            html = _box(self._lines[start : end - 1], Anchor(AnchorKind.CODE, self._message_id, start))
        else:
            html = _line(self._parser, self._lines[start])
        return Piece(html, start, end)


def draw_plain(text: str, limits: Limits | None = TYPED_LIMITS) -> list[Piece]:
    """A piece for every line, with nothing marked: what can always be drawn."""
    lines = drawn_part(normalize(text), limits)[0].split("\n")
    return [Piece(_typed_line(escape(line)), number, number + 1) for number, line in enumerate(lines)]


def typed_code_at(text: str, line: int) -> str | None:
    """The code between the fences of which the first stands in this line."""
    lines = normalize(text).split("\n")
    for start, end, is_code in _parts(lines):
        if is_code and start == line:
            return "\n".join(lines[start + 1 : end - 1])
    return None


def _parts(lines: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """First line, line after the last, and whether it is fenced code: single lines and whole code blocks."""
    number, unclosed = 0, 0  # unclosed: fences of this many marks or more have none that closes them
    while number < len(lines):
        opening = _OPENING.fullmatch(lines[number])
        marks = len(opening[1]) if opening else 0
        end = _fence_end(lines, number, marks) if marks and not 0 < unclosed <= marks else 0
        if marks and not end:
            unclosed = min(marks, unclosed or marks)
        yield number, end or number + 1, bool(end)
        number = end or number + 1


def _fence_end(lines: Sequence[str], first: int, marks: int) -> int:
    """The line after the fence that closes the one in line `first`; 0 when there is none."""
    closing = re.compile(rf" {{0,3}}`{{{marks},}}[ \t]*")
    return next((n + 1 for n in range(first + 1, len(lines)) if closing.fullmatch(lines[n])), 0)


def _box(lines: Sequence[str], anchor: Anchor) -> str:
    language = (lines[0].strip(" `").split() or [""])[0]
    return draw_code(lines[1:], language=language, anchor=anchor)


def _line(parser: MarkdownParser, line: str) -> str:
    return _typed_line("".join(_marked(parser, line)) if len(line) <= _LONGEST_MARKED else escape(line))


def _typed_line(html: str) -> str:
    return f"{open_block('verbatim', BlockKind.TYPED)}{html or FILLER}</p>"


def _marked(parser: MarkdownParser, line: str) -> Iterator[str]:
    position = 0
    for code in _INLINE_CODE.finditer(line):
        yield from _linked(parser, line[position : code.start()])
        yield f'<span class="ic">{escape(code[0])}</span>'
        position = code.end()
    yield from _linked(parser, line[position:])


def _linked(parser: MarkdownParser, text: str) -> Iterator[str]:
    position = 0
    for start, end, address in parser.addresses(text):
        yield escape(text[position:start])
        yield f'<a href="{escape(address)}">{escape(text[start:end])}</a>'
        position = end
    yield escape(text[position:])

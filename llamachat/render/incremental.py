"""Markdown that grows: after every piece of text the drawn HTML is what drawing the whole text at once would give.

The rule. Let T be the text since the restart point and L its complete lines. A boundary between top-level blocks
A|B of L is firm when a blank line lies in it or B can interrupt a paragraph. What stands before the last firm
boundary is final; the restart point is the end of the last final block (not the start of the next: definitions
make no tokens and may lie between). A late link definition is the one thing that changes a final block, so those
remember which labels they looked up. An open code fence only grows; it is not parsed again until it closes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from llamachat.render.block_html import code_lines
from llamachat.render.footnotes import NOTE_OPEN
from llamachat.render.held_back import visible_part
from llamachat.render.html import HtmlWriter
from llamachat.render.limits import DEFAULT_LIMITS, Intake, Limits, drawn_part
from llamachat.render.maths import MATH_BLOCK
from llamachat.render.parse import Block, Definitions, MarkdownParser
from llamachat.render.runs import Continuation

_LINE_ENDS = re.compile(r"\r\n?")
_INTERRUPTS = frozenset(
    {"fence", "blockquote_open", "hr", "bullet_list_open", "ordered_list_open", "table_open", NOTE_OPEN, MATH_BLOCK}
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A drawn top-level block, and the lines of the source it comes from.

    `block` and `line_offset` are kept of a block that looked up link definitions, to draw it again.
    """

    html: str
    first_line: int
    end_line: int
    labels: frozenset[str] = frozenset()
    block: Block | None = None
    line_offset: int = 0


@dataclass(frozen=True, slots=True)
class CodeGrowth:
    """How the code block at the end grew: `kept` of its lines stay, `lines` follow them."""

    kept: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Update:
    """How the drawn pieces change: `keep` of them stay, `pieces` follow; `redrawn` are single ones among the kept.

    `growth` comes before all that: the last piece is a code block and grows.
    """

    keep: int
    pieces: tuple[str, ...] = ()
    redrawn: tuple[tuple[int, str], ...] = ()
    growth: CodeGrowth | None = None


def normalize(text: str) -> str:
    """Line ends as `\\n` and no NUL: what the parser expects."""
    return _LINE_ENDS.sub("\n", text).replace("\0", "\ufffd")


def draw_pieces(
    parser: MarkdownParser, writer: HtmlWriter, text: str, limits: Limits | None = DEFAULT_LIMITS
) -> list[Piece]:
    """Draw a whole text at once."""
    definitions = writer.definitions()
    blocks = parser.blocks(drawn_part(normalize(text), limits)[0], definitions)
    return [_draw(writer, block, definitions, 0) for block in blocks]


class GrowingMarkdown:
    """The drawn pieces of a text that comes bit by bit."""

    def __init__(self, parser: MarkdownParser, writer: HtmlWriter, limits: Limits | None = DEFAULT_LIMITS) -> None:
        self._parser = parser
        self._intake = Intake(limits)
        self._writer = writer
        self._final: list[Piece] = []
        self._tail: list[Piece] = []
        self._text = ""  # since the restart point
        self._shown = ""  # the part of it that is drawn
        self._held = ""  # a carriage return that may be half a line end
        self._line_offset = 0  # source lines before the restart point
        self._continued: Continuation | None = None  # how the text from there on goes on with what stands above
        self._permanent: Definitions = writer.definitions()
        self._effective: dict[str, tuple[str, str]] = {}
        self._fence: _OpenFence | None = None

    @property
    def cut(self) -> bool:
        """True when something of the text is not drawn."""
        return self._intake.cut

    @property
    def final_count(self) -> int:
        """How many pieces stay as they are, unless a link definition changes them."""
        return len(self._final)

    @property
    def pieces(self) -> list[Piece]:
        """All pieces as they are drawn now."""
        self._refresh_fence()
        return self._final + self._tail

    @property
    def open_text(self) -> str:
        """What is drawn anew when more text comes; nothing of a code block that grows."""
        return "" if self._fence else self._text

    def feed(self, text: str) -> Update:
        """Take more text; say what changes."""
        text = self._held + text
        self._held = "\r" if text.endswith("\r") else ""
        self._text += self._intake.take(normalize(text.removesuffix("\r")))
        in_table = self._continued is not None and self._continued.is_table
        return self._show(visible_part(self._text, in_table=in_table))

    def finish(self) -> Update:
        """The text is whole: show what was held back."""
        self._text += self._intake.take(normalize(self._held))
        self._held = ""
        last = self._text.rfind("\n") + 1
        return self._show(self._text if self._text[last:].strip(" \t") else self._text[:last])  # such a line is none

    def _show(self, shown: str) -> Update:
        if self._fence is None:
            return self._redraw(shown)
        growth, taken = self._fence.grow(shown)
        if taken == len(shown):
            self._shown = shown
            return Update(len(self._final) + len(self._tail), growth=growth)
        return replace(self._redraw(shown), growth=growth)

    def _refresh_fence(self) -> None:
        """Draw a fence that grew line by line once as a whole, so that its piece is what is shown."""
        if self._fence:
            self._redraw(self._shown)

    def _redraw(self, shown: str) -> Update:
        definitions = self._writer.definitions(self._permanent)
        blocks = self._parser.blocks(shown, definitions, self._continued)
        redrawn = self._apply_definitions(definitions)
        count, lines = self._final_blocks(shown, blocks, definitions)
        drawn = [_draw(self._writer, block, definitions, self._line_offset) for block in blocks]
        if self._fence:  # it grew to what is drawn of it now
            self._tail = drawn[:1]
        keep, pieces = _difference(self._tail, drawn)
        update = Update(len(self._final) + keep, pieces, redrawn)
        self._final += drawn[:count]
        self._tail = drawn[count:]
        self._move_restart(shown, lines)
        self._fence = _open_fence(self._shown, blocks[count:], lines)
        return update

    def _apply_definitions(self, definitions: Definitions) -> tuple[tuple[int, str], ...]:
        """Draw final pieces again that looked up a label whose definition has changed."""
        effective = {label: (item["href"], item["title"]) for label, item in definitions.items()}
        changed = {label for label, _ in effective.items() ^ self._effective.items()}
        self._effective = effective
        if not changed:
            return ()
        self._writer.forget_inlines()
        redrawn = []
        for index, piece in enumerate(self._final):
            if piece.block and piece.labels & changed:
                self._final[index] = _draw(self._writer, piece.block, definitions, piece.line_offset)
                redrawn.append((index, self._final[index].html))
        return tuple(redrawn)

    def _final_blocks(self, shown: str, blocks: list[Block], definitions: Definitions) -> tuple[int, int]:
        """How many blocks are final now, and the lines they take; keeps the definitions among them."""
        if len(blocks) < 2:
            return 0, 0
        whole = shown[: shown.rfind("\n") + 1]
        if whole != shown:
            definitions = self._writer.definitions(self._permanent)
            blocks = self._parser.blocks(whole, definitions, self._continued)
        count = _last_firm_boundary(blocks, whole.split("\n"))
        if not count:
            return 0, 0
        lines, self._continued = blocks[count - 1].end_line, blocks[count - 1].goes_on
        for label, definition in definitions.items():
            if label not in self._permanent and definition["map"][1] <= lines:
                self._permanent[label] = definition
        return count, lines

    def _move_restart(self, shown: str, lines: int) -> None:
        offset = _line_start(shown, lines)
        self._line_offset += lines
        self._text = self._text[offset:]
        self._shown = shown[offset:]


class _OpenFence:
    """The tail is one code fence that has not closed; its content starts at `start`."""

    def __init__(self, start: int, closing: re.Pattern[str]) -> None:
        self._start = start
        self._closing = closing
        self._count = 0
        self._last_start = 0

    def grow(self, tail: str) -> tuple[CodeGrowth, int]:
        """What has come to the code since the last call, and where in the tail it ends: it may have closed."""
        content = tail[self._start :]
        lines = code_lines(content[self._last_start :])
        closing = next((number for number, line in enumerate(lines) if self._closing.fullmatch(line)), len(lines))
        if closing < len(lines):
            del lines[closing:]
            content = content[: self._last_start + sum(len(line) + 1 for line in lines)]
        kept = max(self._count - 1, 0)
        self._count = kept + len(lines)
        if lines:
            self._last_start = len(content) - len(lines[-1]) - content.endswith("\n")
        return CodeGrowth(kept, tuple(lines)), self._start + len(content)


def _open_fence(tail: str, blocks: Sequence[Block], lines_before: int) -> _OpenFence | None:
    """The open fence that the tail consists of, if it does and the first line is complete and not indented.

    A first line with a bar may still become the head of a table: the parser looks for tables first.
    """
    token = blocks[0].tokens[0] if len(blocks) == 1 else None
    if token is None or token.type != "fence":
        return None
    start = _line_start(tail, blocks[0].first_line - lines_before)
    end = tail.find("\n", start)
    if end < 0 or "|" in tail[start:end] or not tail.startswith(token.markup, start):
        return None
    closing = re.compile(rf" {{0,3}}{re.escape(token.markup[0])}{{{len(token.markup)},}}[ \t]*")
    fence = _OpenFence(end + 1, closing)
    return fence if fence.grow(tail)[1] == len(tail) else None


def _line_start(text: str, line: int) -> int:
    offset = 0
    for _ in range(line):
        offset = text.index("\n", offset) + 1
    return offset


def _draw(writer: HtmlWriter, block: Block, definitions: Definitions, line_offset: int) -> Piece:
    drawn = writer.draw(block, definitions, line_offset)
    first, end = block.first_line + line_offset, block.end_line + line_offset
    return Piece(drawn.html, first, end, drawn.labels, block if drawn.labels else None, line_offset)


def _difference(old: Sequence[Piece], new: Sequence[Piece]) -> tuple[int, tuple[str, ...]]:
    """How many pieces are the same at the start, and the new ones after those."""
    keep = 0
    while keep < min(len(old), len(new)) and old[keep].html == new[keep].html:
        keep += 1
    return keep, tuple(piece.html for piece in new[keep:])


def _last_firm_boundary(blocks: Sequence[Block], lines: Sequence[str]) -> int:
    for index in range(len(blocks) - 1, 0, -1):
        if _is_firm(blocks[index - 1], blocks[index], lines):
            return index
    return 0


def _is_firm(above: Block, below: Block, lines: Sequence[str]) -> bool:
    token = below.tokens[0]
    if token.type in _INTERRUPTS or (token.type == "heading_open" and token.markup.startswith("#")):
        return True
    return any(not line.strip(" \t") for line in lines[above.end_line - 1 : below.first_line])

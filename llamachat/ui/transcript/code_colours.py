"""Puts the colours of code on the lines of the document.

They are formats of the text's layout, not of the text: the document does not change, and nothing moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

from llamachat.core.text import tr
from llamachat.render.block_kinds import BlockKind, kind_of
from llamachat.render.code import GrowingColours, LineColours, Span, Style
from llamachat.ui.theme import Theme

_SLICE_LINES = 60
_SLICE_CHARS = 1500  # some milliseconds of the slowest languages


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Code in the document: the number of its first line's block, and its lines."""

    language: str
    first: int
    lines: tuple[str, ...]


def find_code(document: QTextDocument, first: int, count: int) -> Iterator[CodeBlock]:
    """The code blocks among `count` blocks from `first` on."""
    language, start, lines = "", 0, list[str]()
    block = document.findBlockByNumber(first)
    for number in range(first, first + count):
        kind = kind_of(block.userState())
        if kind is BlockKind.CODE_HEAD:
            language, start, lines = language_of(block), number + 1, []
        elif kind is BlockKind.CODE:
            lines.append(block.text())
        elif kind is BlockKind.CODE_END:
            yield CodeBlock(language, start, tuple(lines))
        block = block.next()


def language_of(head: QTextBlock) -> str:
    """The language that the head of a code block names."""
    label = head.text().removesuffix(f"{tr('Copy')} · {tr('Save as')}")
    return label.partition(" · ")[0].strip()


class CodeColours:
    """Knows the colours of a theme and puts them on lines."""

    def __init__(self, theme: Theme) -> None:
        colours: dict[Style, str] = {
            "keyword": theme.code_keyword,
            "string": theme.code_string,
            "comment": theme.code_comment,
            "number": theme.code_number,
            "name": theme.code_name,
            "deleted": theme.error,
            "inserted": theme.success,
        }
        self._formats = {style: _char_format(colour) for style, colour in colours.items()}

    def apply(self, document: QTextDocument, first: int, colours: Iterable[LineColours]) -> None:
        """Colour lines of a code block whose first line is the block `first`.

        Lines that are not laid out yet need no telling; for the others one call lays all of them out anew.
        """
        start, end = document.characterCount(), 0
        for line, spans in colours:
            block = document.findBlockByNumber(first + line)
            formats = [self._range(span) for span in spans_in_qt_units(block.text(), spans)]
            layout = block.layout()
            if layout.formats() == formats:
                continue
            laid_out = layout.lineCount() > 0
            layout.setFormats(formats)  # which takes the lines of the layout away
            if laid_out:
                start, end = min(start, block.position()), max(end, block.position() + block.length())
        if start < end:
            document.markContentsDirty(start, end - start)

    def _range(self, span: Span) -> QTextLayout.FormatRange:
        found = QTextLayout.FormatRange()
        found.start, found.length, found.format = span.start, span.length, self._formats[span.style]
        return found


def spans_in_qt_units(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The same stretches as Qt counts them, in units of UTF-16: an emoji is two."""
    if text.isascii():
        yield from spans
        return
    for span in spans:
        before, inside = text[: span.start], text[span.start : span.start + span.length]
        start, length = (len(part.encode("utf-16-le", "surrogatepass")) // 2 for part in (before, inside))
        yield Span(start, length, span.style)


def colour_slices(language: str, lines: Sequence[str]) -> Iterator[list[LineColours]]:
    """The colours of a whole code block, a few lines at a time where the language can be taken in pieces."""
    growing = GrowingColours(language)
    start = 0
    while start < len(lines):
        end = _slice_end(lines, start) if growing.resumes else len(lines)
        yield growing.replace(start, lines[start:end])
        start = end


def _slice_end(lines: Sequence[str], start: int) -> int:
    end, chars = start + 1, len(lines[start])
    while end < min(len(lines), start + _SLICE_LINES) and chars + len(lines[end]) <= _SLICE_CHARS:
        chars += len(lines[end])
        end += 1
    return end


def _char_format(colour: str) -> QTextCharFormat:
    found = QTextCharFormat()
    found.setForeground(QColor(colour))
    return found

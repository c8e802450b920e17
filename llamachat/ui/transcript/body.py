"""The body of the answer that grows: keeps the drawn pieces in the document as the growing Markdown says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from llamachat.core.messages import Role, StoredMessage
from llamachat.render.block_html import draw_code_lines
from llamachat.render.code import GrowingColours
from llamachat.render.incremental import CodeGrowth, GrowingMarkdown, Piece, Update
from llamachat.render.limits import Limits
from llamachat.render.parse import MarkdownParser
from llamachat.render.typed import TypedText
from llamachat.ui.transcript.code_colours import CodeColours, find_code
from llamachat.ui.transcript.editor import DocumentEditor
from llamachat.ui.transcript.parts import body_writer

_FRAME_BLOCKS = 2  # head and foot of a code block


class Growing(Protocol):
    """A text of which more and more is drawn: Markdown, or what a person typed."""

    @property
    def pieces(self) -> Sequence[Piece]: ...
    @property
    def final_count(self) -> int: ...
    @property
    def open_text(self) -> str: ...
    @property
    def cut(self) -> bool: ...
    def feed(self, text: str) -> Update: ...
    def finish(self) -> Update: ...


class GrowingBody:
    """A body in the document. `first` is the number its first block has at the time of a call.

    is_typed: its code is still to be coloured when the body is there; it came in whole boxes.
    """

    def __init__(self, parser: MarkdownParser, message: StoredMessage, limits: Limits | None) -> None:
        self.is_typed = message.role is Role.USER
        self._drawing: Growing
        if self.is_typed:
            self._drawing = TypedText(parser, message.content, message.id, limits)
        else:
            self._drawing = GrowingMarkdown(parser, body_writer(parser, message), limits)
        self._counts: list[int] = []  # blocks of each piece
        self._told = 0  # how many of the blocks that stay as they are were told of
        self._finished = False
        self.taken = 0  # characters
        self._growing_code: GrowingColours | None = None

    @property
    def count(self) -> int:
        """How many blocks the body has."""
        return sum(self._counts)

    @property
    def final_count(self) -> int:
        """How many of its blocks stay as they are, unless a link definition changes them."""
        return self.count if self._finished else sum(self._counts[: self._drawing.final_count])

    @property
    def open_text(self) -> str:
        """What is drawn anew when more text comes."""
        return self._drawing.open_text

    def take_final(self) -> range:
        """The blocks that stay as they are and were not told of yet."""
        told, self._told = self._told, self.final_count
        return range(told, self._told)

    @property
    def pieces(self) -> Sequence[Piece]:
        """The drawn pieces."""
        return self._drawing.pieces

    def pieces_with_counts(self) -> Iterator[tuple[Piece, int]]:
        """The drawn pieces, and how many blocks each has."""
        return zip(self._drawing.pieces, self._counts, strict=True)

    @property
    def cut(self) -> bool:
        """True when something of the text is not drawn."""
        return self._drawing.cut

    def take(self, text: str) -> Update:
        """Take more text; gives what `apply` is to show of it."""
        self.taken += len(text)
        return self._drawing.feed(text)

    def finish(self) -> Update:
        """The text is whole; gives what `apply` is to show of that."""
        self._finished = True
        return self._drawing.finish()

    def insert_all(self, *, editor: DocumentEditor, colours: CodeColours, first: int) -> None:
        """Insert what has been drawn so far into a document that does not have it."""
        self._counts, self._told = [], 0
        pieces = tuple(piece.html for piece in self._drawing.pieces)
        self.apply(Update(0, pieces), editor=editor, colours=colours, first=first)

    def apply(self, update: Update, *, editor: DocumentEditor, colours: CodeColours, first: int) -> None:
        """Show an update."""
        if update.growth:
            self._grow(update.growth, editor, colours, first)
        for index, html in update.redrawn:
            number = first + sum(self._counts[:index])
            self._told = min(self._told, number - first)
            self._counts[index] = editor.replace(number, self._counts[index], html)
            colour_code(editor, colours, number, self._counts[index])
        if update.keep == len(self._counts) and not update.pieces:
            return
        number = first + sum(self._counts[: update.keep])
        counts = editor.replace_pieces(number, sum(self._counts[update.keep :]), update.pieces)
        self._counts[update.keep :] = counts
        for count in () if self.is_typed else counts:
            self._growing_code = colour_code(editor, colours, number, count)
            number += count

    def _grow(self, growth: CodeGrowth, editor: DocumentEditor, colours: CodeColours, first: int) -> None:
        line = first + sum(self._counts[:-1]) + 1
        old = self._counts[-1] - _FRAME_BLOCKS - growth.kept
        self._counts[-1] += editor.replace(line + growth.kept, old, draw_code_lines(growth.lines)) - old
        if self._growing_code:
            colours.apply(editor.document, line, self._growing_code.replace(growth.kept, growth.lines))


def colour_code(editor: DocumentEditor, colours: CodeColours, first: int, count: int) -> GrowingColours | None:
    """Colour the code among these blocks; gives the colours of the last code block, which may go on growing."""
    growing = None
    for block in find_code(editor.document, first, count):
        growing = GrowingColours(block.language)
        colours.apply(editor.document, block.first, growing.replace(0, block.lines))
    return growing

"""Edits of the transcript's document by whole blocks, with nothing around them changed.

The first and the last block of the document are empty ones that stay, so that every edit has a block above and below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument

from llamachat.core.errors import BugError
from llamachat.render.block_kinds import BlockKind, kind_of, with_kind

_DUMMY = "<p>-</p>"
_LINES = (BlockKind.CODE_HEAD, BlockKind.CODE)


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters that were replaced: where, how many, and how many stand there now."""

    start: int
    removed: int
    added: int

    def moved(self, position: int) -> int:
        """Where a place in the text is afterwards; in the replaced part it keeps its distance to the start."""
        if position >= self.start + self.removed:
            return position + self.added - self.removed
        if position <= self.start:
            return position
        return min(position, self.start + self.added)


class DocumentEditor:
    """Inserts HTML before a block and removes blocks; keeps a list of the edits until it is taken."""

    def __init__(self, document: QTextDocument) -> None:
        self.document = document
        self._edits: list[Edit] = []

    def take_edits(self) -> list[Edit]:
        """The edits since the last call."""
        edits, self._edits = self._edits, []
        return edits

    def clear(self) -> None:
        """Leave nothing but the two empty blocks."""
        self.document.clear()
        cursor = QTextCursor(self.document)
        small = QTextCharFormat()
        small.setProperty(QTextCharFormat.Property.FontPixelSize, 1)
        cursor.setBlockCharFormat(small)
        cursor.insertBlock(QTextBlockFormat(), small)
        self._edits.clear()

    def insert(self, number: int, html: str) -> int:
        """Insert HTML of whole blocks so that its first block gets this number; gives how many blocks came.

        `insertHtml` drops the format of the first block it inserts, so a dummy goes ahead and is taken out again.
        """
        if not html:
            return 0
        count, length = self.document.blockCount(), self.document.characterCount()
        start = self._end_of(number - 1)
        cursor = self._cursor(start)
        cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
        cursor.insertHtml(_DUMMY + html)
        self._cut(number, 1)
        added = self.document.blockCount() - count
        self._settle(number, added)
        self._edits.append(Edit(start + 1, 0, self.document.characterCount() - length))
        return added

    def remove(self, number: int, count: int) -> None:
        """Remove `count` blocks from this one on; the block above them and the one below stay as they are."""
        if count > 0:
            start, end = self._block(number).position(), self._block(number + count).position()
            self._cut(number, count)
            self._edits.append(Edit(start, end - start, 0))

    def replace(self, number: int, count: int, html: str) -> int:
        """Put HTML in the place of `count` blocks; gives how many blocks it has."""
        return sum(self.replace_pieces(number, count, [html]))

    def replace_pieces(self, number: int, count: int, pieces: Sequence[str]) -> list[int]:
        """Put pieces of HTML in the place of `count` blocks; gives how many blocks each has."""
        counts: list[int] = []
        with self.as_one(number, count):
            self.remove(number, count)
            for html in pieces:
                counts.append(self.insert(number + sum(counts), html))
        return counts

    def replace_text(self, start: int, length: int, texts: Sequence[tuple[str, QTextCharFormat]]) -> None:
        """Put texts with formats of their own in the place of characters inside a block."""
        cursor, before = self._cursor(start), self.document.characterCount()
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        for text, look in texts:
            cursor.insertText(text, look)
        self._edits.append(Edit(start, length, self.document.characterCount() - before + length))

    @contextmanager
    def as_one(self, number: int, count: int) -> Iterator[None]:
        """Count the edits inside as one that puts something else in the place of `count` blocks."""
        length, pending = self.document.characterCount(), len(self._edits)
        start, end = self._block(number).position(), self._block(number + count).position()
        yield
        del self._edits[pending:]
        self._edits.append(Edit(start, end - start, self.document.characterCount() - length + end - start))

    def _cut(self, number: int, count: int) -> None:
        """Cut blocks out together with the separators above them: those hold the fonts of the blocks they begin.

        The block above gets the state of the last one cut, and its format too if it is empty; both are put back.
        """
        above = self._block(number - 1)
        state, block_format = above.userState(), above.blockFormat()
        cursor = self._cursor(above.position() + above.length() - 1)
        cursor.setPosition(self._end_of(number + count - 1), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.block().setUserState(state)
        if cursor.block().length() == 1:
            cursor.setBlockFormat(block_format)

    def _settle(self, number: int, count: int) -> None:
        """Give the empty lines of code the state that Qt drops."""
        block = self._block(number)
        above = block.previous().userState()
        for _ in range(count):
            state = block.userState()
            if state < 0 and not block.text() and kind_of(above) in _LINES:
                state = with_kind(above, BlockKind.CODE)
                block.setUserState(state)
            above = state
            block = block.next()

    def _cursor(self, position: int) -> QTextCursor:
        cursor = QTextCursor(self.document)
        cursor.setPosition(position)
        return cursor

    def _block(self, number: int) -> QTextBlock:
        block = self.document.findBlockByNumber(number)
        if not block.isValid():
            raise BugError(f"the transcript has no block {number}")
        return block

    def _end_of(self, number: int) -> int:
        block = self._block(number)
        return block.position() + block.length() - 1

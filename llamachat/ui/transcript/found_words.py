"""The words of a search over all chats, marked in the chat that it led to, as the search finds them.

Only what is in sight is looked through, again whenever something else comes into sight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer
from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from llamachat.render.block_kinds import kind_of
from llamachat.storage.index_text import Term, composed
from llamachat.storage.snippets import hits_in
from llamachat.ui.transcript.find import AROUND
from llamachat.ui.transcript.find_bar import FindBar

_PAUSE_MS = 30
_SIGHT_MS = 1000  # how long after a jump the first of the words is still brought into sight
_MOST_BLOCKS = 500


class FoundWords(QObject):
    """Marks words in a view until `clear`. colour: of the marks, asked for each time they are drawn."""

    def __init__(self, view: QTextEdit, colour: Callable[[], QColor], parent: QObject) -> None:
        super().__init__(parent)
        self._view, self._colour = view, colour
        self._terms: tuple[Term, ...] = ()
        self._again = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._again.timeout.connect(self._mark)
        self._to_sight = QTimer(self, singleShot=True, interval=_SIGHT_MS)
        view.verticalScrollBar().valueChanged.connect(self._look_again)
        view.document().contentsChanged.connect(self._look_again)
        for bar in view.findChildren(FindBar):
            bar.installEventFilter(self)

    @property
    def shown(self) -> bool:
        """Whether words are marked."""
        return bool(self._terms)

    def look_for(self, terms: Sequence[Term], *, bring_into_sight: bool) -> None:
        """Mark these words from now on; those of before no longer."""
        self._terms = tuple(terms)
        if bring_into_sight and terms:
            self._to_sight.start()
        self._mark()

    def clear(self) -> None:
        """Mark nothing."""
        if self._terms:
            self._terms = ()
            self._to_sight.stop()
            self._view.setExtraSelections([])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The bar that finds words in this chat has its own marks."""
        if event.type() == QEvent.Type.Show:
            self.clear()
        return super().eventFilter(watched, event)

    def _look_again(self) -> None:
        if self._terms and not self._again.isActive():
            self._again.start()

    def _mark(self) -> None:
        if not self._terms:
            return
        if self._to_sight.isActive():
            self._bring_into_sight()
        marks = []
        for block in self._blocks_in_sight():
            for cursor in self._hits(block):
                mark = QTextEdit.ExtraSelection()
                mark.cursor = cursor
                mark.format = QTextCharFormat()
                mark.format.setBackground(self._colour())
                marks.append(mark)
        self._view.setExtraSelections(marks)

    def _bring_into_sight(self) -> None:
        """Scroll to the first of the words from the top of the view on, unless it is in sight."""
        block, height = self._at(0), self._view.viewport().height()
        for _ in range(_MOST_BLOCKS):
            if not block.isValid():
                return
            if first := next(self._hits(block), None):
                rect = self._view.cursorRect(first)
                if rect.bottom() > height:
                    bar = self._view.verticalScrollBar()
                    bar.setValue(bar.value() + rect.top() - height // 3)
                self._to_sight.stop()
                return
            block = block.next()

    def _blocks_in_sight(self) -> Iterator[QTextBlock]:
        block, last = self._at(0), self._at(self._view.viewport().height())
        while block.isValid():
            yield block
            if block.position() >= last.position():
                return
            block = block.next()

    def _at(self, y: int) -> QTextBlock:
        return self._view.cursorForPosition(QPoint(0, y)).block()

    def _hits(self, block: QTextBlock) -> Iterator[QTextCursor]:
        """Yield the places of the words in what was said, not in what the program writes around it."""
        text = block.text()
        if kind_of(block.userState()) in AROUND or composed(text) != text:
            return
        for start, end in hits_in(text, self._terms):
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + _units(text[:start]))
            cursor.setPosition(block.position() + _units(text[:end]), QTextCursor.MoveMode.KeepAnchor)
            yield cursor


def _units(text: str) -> int:
    """How long Qt takes a text for."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2

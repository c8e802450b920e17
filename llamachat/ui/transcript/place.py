"""The reader's place: what is selected and what stands where in the window stays so while the document changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextEdit

from llamachat.ui.transcript.editor import DocumentEditor, Edit
from llamachat.ui.transcript.selection import fragments_of
from llamachat.ui.transcript.sight import block_at

_NEAR_END_PX = 4


def is_at_end(view: QTextEdit) -> bool:
    """True when the reader looks at the end and so wants to see what comes."""
    bar = view.verticalScrollBar()
    return bar.value() >= bar.maximum() - _NEAR_END_PX


def scroll_to_end(view: QTextEdit) -> None:
    """Show the end of the document."""
    _lay_out(view)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())


@dataclass(slots=True)
class Rounding:
    """What was lost when the view was scrolled to this value, which is a whole number of pixels."""

    value: int = -1
    lost: float = 0.0

    def lost_at(self, value: int) -> float:
        """What was lost, unless the view was scrolled since."""
        return self.lost if value == self.value else 0.0


@contextmanager
def keeping_place(
    view: QTextEdit, editor: DocumentEditor, *, follow: bool = True, rounding: Rounding | None = None
) -> Iterator[None]:
    """Edit the document inside; selection and view stay where they are.

    With `follow` a view that shows the end shows the new end afterwards. Edits in a row share a `rounding`, lest the
    view move by half a pixel with each.
    """
    follow = follow and is_at_end(view)
    top = None if follow else _top_block(view)
    rounding = rounding or Rounding()
    selected = _Selected(view)
    with one_edit(view, editor) as edits:
        yield
    selected.restore(edits)
    if top is None:
        scroll_to_end(view)
    else:
        offset = top[1] - rounding.lost_at(view.verticalScrollBar().value())
        rounding.lost = _scroll_to(view, _moved(top[0], edits), offset)
        rounding.value = view.verticalScrollBar().value()


@contextmanager
def keeping_block(view: QTextEdit, editor: DocumentEditor) -> Iterator[None]:
    """Draw the same blocks anew inside; the one at the top of the window is there again afterwards."""
    follow = is_at_end(view)
    position, offset = _top_block(view)
    number = view.document().findBlock(position).blockNumber()
    selected = _Selected(view)
    with one_edit(view, editor):
        yield
    selected.restore()
    if follow:
        scroll_to_end(view)
    else:
        _lay_out(view)
        _scroll_to(view, view.document().findBlockByNumber(number).position(), offset)


@contextmanager
def one_edit(view: QTextEdit, editor: DocumentEditor) -> Iterator[list[Edit]]:
    """Lay the document out once for all edits inside; the list has them afterwards."""
    edits: list[Edit] = []
    group = QTextCursor(view.document())
    group.beginEditBlock()
    try:
        yield edits
    finally:
        group.endEditBlock()
        edits += editor.take_edits()


def _lay_out(view: QTextEdit) -> None:
    """Have all of the document laid out now, and the scroll bar know how long it is; Qt would do both later."""
    layout = view.document().documentLayout()
    layout.blockBoundingRect(view.document().lastBlock())
    layout.documentSizeChanged.emit(layout.documentSize())


def _top_block(view: QTextEdit) -> tuple[int, float]:
    """The position of the block at the top of the window, and how far below the edge it begins."""
    block = block_at(view.document(), view.verticalScrollBar().value())
    if block.blockNumber() == 0:  # empty, and stays first whatever comes above the messages
        block = block.next()
    top = view.document().documentLayout().blockBoundingRect(block).top()
    return block.position(), top - view.verticalScrollBar().value()


def _scroll_to(view: QTextEdit, position: int, offset: float) -> float:
    """Show a block so far below the edge; gives what is lost because the view scrolls by whole pixels."""
    document = view.document()
    value = document.documentLayout().blockBoundingRect(document.findBlock(position)).top() - offset
    view.verticalScrollBar().setValue(round(value))
    return value - round(value)


class _Selected:
    """What is selected in a view. A link that has the keyboard is selected too, and keeps the ring around it."""

    def __init__(self, view: QTextEdit) -> None:
        cursor = view.textCursor()
        self._view = view
        self._anchor, self._position = cursor.anchor(), cursor.position()
        self._is_link = _is_link(cursor)

    def restore(self, edits: Sequence[Edit] = ()) -> None:
        """Select the same again after these edits."""
        cursor, last = self._view.textCursor(), self._view.document().characterCount() - 1
        anchor, position = (min(_moved(place, edits), last) for place in (self._anchor, self._position))
        if (cursor.anchor(), cursor.position()) == (anchor, position):
            return
        if self._is_link:  # Qt gives the ring to the first link behind what is selected
            anchor, position = anchor - 1, anchor
        cursor.setPosition(anchor)
        cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
        self._view.setTextCursor(cursor)
        if self._is_link:
            self._view.focusNextPrevChild(True)  # noqa: FBT003 - Qt takes it by position alone


def _is_link(cursor: QTextCursor) -> bool:
    """True where exactly a link is selected."""
    span, block = (cursor.anchor(), cursor.position()), cursor.block()
    fragments = fragments_of(block) if cursor.hasSelection() else ()
    for href, run in groupby(fragments, lambda fragment: fragment.charFormat().anchorHref()):
        pieces = list(run)
        if href and span == (pieces[0].position(), pieces[-1].position() + pieces[-1].length()):
            return True
    return False


def _moved(position: int, edits: Sequence[Edit]) -> int:
    for edit in edits:
        position = edit.moved(position)
    return position

"""One message as it is printed: a document of its own, laid out on the width of a page, and where it may be cut.

It is drawn by the parts that draw the transcript, always in the light theme. What only works in a window (Copy,
Retry) is left out; what is folded up there is folded up here. May be used in any one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from PySide6.QtCore import QByteArray, QUrl
from PySide6.QtGui import QFont, QImage, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument, QTextOption

from llamachat.core.messages import Role, StoredMessage
from llamachat.render.block_kinds import BlockKind, kind_of
from llamachat.render.links import Anchor, AnchorKind, parse_anchor
from llamachat.ui.print_formulas import DrawFormula, PrintedFormulas
from llamachat.ui.theme import LIGHT
from llamachat.ui.transcript.browser import LIST_INDENT_PX
from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.drawing_steps import drawing_steps
from llamachat.ui.transcript.look import Look
from llamachat.ui.transcript.painting import CARD_PADDING_PX

TEXT_PX = 14  # at 96 pixels to the inch: 10.5 points
_FOLDS = (AnchorKind.SEARCH, AnchorKind.REASONING)
_WITH_NEXT = (BlockKind.HEADER, BlockKind.CODE_HEAD)  # no page ends with these
_BELOW_PX = 18  # the lower edge of a card has to fit
_SEPARATORS = " ·\t\u00a0"
_NARROWEST_SCALE = 0.4  # of what is too wide for the page, such as a table of twenty columns


@dataclass(frozen=True, slots=True)
class PrintLook:
    """How everything is printed: the fonts of the settings, and the folds that are open."""

    font: QFont
    look: Look = field(default_factory=Look)
    opened: Collection[Anchor] = frozenset()


class PrintedDocument(QTextDocument):
    """Loads nothing, whatever a text asks for."""

    def loadResource(self, kind: int, _name: QUrl | str) -> object:
        """Give an empty picture or text: where it gets None, Qt opens local files itself."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return QByteArray()
        return QImage(1, 1, QImage.Format.Format_Alpha8)


class PrintedMessage:
    """A message laid out. `strips` are stretches of its height that no page may cut, from top to bottom."""

    def __init__(
        self,
        message: StoredMessage,
        width: float,
        how: PrintLook,
        *,
        draw_formula: DrawFormula | None = None,
        step: Callable[[], object] = lambda: None,
    ) -> None:
        """`step` is called between pieces of a long one, and may raise Cancelled."""
        self.message = message
        self.document = _new_document(how.font)
        transcript = TranscriptDocument(self.document)
        transcript.set_look(LIGHT, TEXT_PX, how.look)
        transcript.opened = set(how.opened)
        transcript.has_newer = True  # Retry and Continue are for a window
        transcript.clear()
        _set_margins(self.document, width, below_px=_BELOW_PX if message.role is Role.USER else 0)
        (entry,) = transcript.insert(0, [message])
        for _ in drawing_steps(transcript, entry):
            step()
        if draw_formula:
            self._formulas = PrintedFormulas(self.document, draw_formula)
            self._formulas.put_in(transcript.editor)
        _drop_actions(self.document)
        self.height = self.document.size().height()
        self.scale = max(_NARROWEST_SCALE, min(1.0, width / max(self.document.size().width(), 1.0)))
        self.strips = tuple(_merged(_strips(self.document)))


def _new_document(font: QFont) -> QTextDocument:
    document = PrintedDocument()
    document.setUndoRedoEnabled(False)
    font = QFont(font)
    font.setPixelSize(TEXT_PX)
    document.setDefaultFont(font)
    document.setUseDesignMetrics(True)  # letters as wide as they are on paper, not as pixels have them
    option = document.defaultTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    document.setIndentWidth(LIST_INDENT_PX)
    return document


def _set_margins(document: QTextDocument, width: float, *, below_px: float) -> None:
    root = document.rootFrame()
    page = root.frameFormat()
    page.setLeftMargin(CARD_PADDING_PX)
    page.setRightMargin(CARD_PADDING_PX)
    page.setTopMargin(0)
    page.setBottomMargin(below_px)
    root.setFrameFormat(page)
    document.setTextWidth(width)


def blocks_of(document: QTextDocument) -> Iterator[QTextBlock]:
    """Yield all blocks but the first and the last, which are empty and belong to no message."""
    block = document.begin().next()
    while block.next().isValid():
        yield block
        block = block.next()


def _drop_actions(document: QTextDocument) -> None:
    """Take out what only works in a window; a fold keeps its words and is no link any more."""
    for block in blocks_of(document):
        own = [(start, length, anchor) for start, length, anchor in _anchors(block)]
        for start, length, anchor in reversed(own):
            cursor = QTextCursor(document)
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            if anchor.kind in _FOLDS:
                plain = QTextCharFormat(cursor.charFormat())
                plain.setAnchor(False)
                plain.setAnchorHref("")
                cursor.setCharFormat(plain)
            else:
                cursor.removeSelectedText()
        if any(anchor.kind not in _FOLDS for _, _, anchor in own):
            _trim(block)


def _anchors(block: QTextBlock) -> Iterator[tuple[int, int, Anchor]]:
    """Yield where the program's own links stand in the document, how long they are, and what they are."""
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        if anchor := parse_anchor(fragment.charFormat().anchorHref()):
            yield fragment.position(), fragment.length(), anchor
        iterator += 1


def _trim(block: QTextBlock) -> None:
    """Take away the separators that stood between what was taken out."""
    text, cursor = block.text(), QTextCursor(block)
    behind = len(text.rstrip(_SEPARATORS))
    cursor.setPosition(block.position() + len(text.encode("utf-16-le")) // 2)
    for _ in text[behind:]:
        cursor.deletePreviousChar()
    cursor.setPosition(block.position())
    for _ in text[: behind - len(text[:behind].lstrip(_SEPARATORS))]:
        cursor.deleteChar()


def _strips(document: QTextDocument) -> Iterator[tuple[float, float]]:
    """Yield the lines, those that belong together as one; the rows of a table as high as their cells."""
    layout = document.documentLayout()
    held: float | None = None  # where a line began that stays with the next one
    for block in blocks_of(document):
        rect, lines = layout.blockBoundingRect(block), block.layout()
        cell_px = _cell_padding(block)
        for number in range(lines.lineCount()):
            line = lines.lineAt(number)
            top = rect.top() + line.y() - cell_px
            bottom = rect.top() + line.y() + line.height() + cell_px
            if kind_of(block.userState()) in _WITH_NEXT:
                held = top if held is None else held
                continue
            yield (top if held is None else held), bottom
            held = None
    if held is not None:
        yield held, document.size().height()


def _cell_padding(block: QTextBlock) -> float:
    table = QTextCursor(block).currentTable()
    return table.format().cellPadding() + table.format().border() if table else 0.0


def _merged(strips: Iterator[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Yield stretches that do not overlap: cells beside each other share their lines."""
    last: tuple[float, float] | None = None
    for top, bottom in sorted(strips):
        if last and top < last[1]:
            last = last[0], max(last[1], bottom)
            continue
        if last:
            yield last
        last = top, bottom
    if last:
        yield last

"""What is selected, block by block, and its plain text: no marks of the program, no characters of Qt's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextCursor, QTextDocument, QTextFragment, QTextTable

from llamachat.render.block_kinds import FILLER, BlockKind, kind_of, quote_depth_of
from llamachat.ui.transcript.formula_text import is_unseen, source_of

_FURNITURE = frozenset(
    {
        BlockKind.CODE_HEAD,
        BlockKind.CODE_END,
        BlockKind.RULE,
        BlockKind.SPACER,
        BlockKind.SEAM,
        BlockKind.FOLD,
        BlockKind.WAITING,
        BlockKind.FOOTER,
        BlockKind.BUTTONS,
    }
)
_KEPT_TOGETHER = frozenset(
    {BlockKind.TYPED, BlockKind.CODE, BlockKind.DETAIL, BlockKind.ERROR, BlockKind.ENDING, BlockKind.NOTICE}
)
_QT_CHARACTERS = str.maketrans({"\u2028": "\n", "\u2029": "\n", "\ufffc": "", "\ufdd0": "", "\ufdd1": ""})


def cut(text: str, start: int, end: int) -> str:
    """A stretch of a text where Qt counted, in units of UTF-16: an emoji is two."""
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "replace")


@dataclass(frozen=True, slots=True)
class SelectedLine:
    """The selected part of a block, from `start` to `end` inside it."""

    block: QTextBlock
    start: int
    end: int

    @property
    def kind(self) -> BlockKind:
        """What the block is."""
        return kind_of(self.block.userState())

    @property
    def depth(self) -> int:
        """How deep in quotes it stands."""
        return quote_depth_of(self.block.userState())

    @property
    def number(self) -> int:
        """The block's number."""
        return self.block.blockNumber()

    @property
    def whole(self) -> bool:
        """True when all of the block is selected."""
        return self.start == 0 and self.end == self.block.length() - 1

    @property
    def text(self) -> str:
        """The selected text as it was written."""
        text = self.block.text()
        if "\ufffc" in text:
            return "".join(piece for piece, _ in said_pieces(self)).translate(_QT_CHARACTERS)
        return "" if text == FILLER else cut(text, self.start, self.end).translate(_QT_CHARACTERS)

    @property
    def table_row(self) -> tuple[QTextTable, int] | None:
        """The table the block stands in and its row there."""
        table = QTextCursor(self.block).currentTable()
        return (table, table.cellAt(self.block.position()).row()) if table else None


def selected_lines(document: QTextDocument, cursor: QTextCursor) -> list[SelectedLine]:
    """The blocks of a selection, without those of which no character is selected at its ends."""
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    lines = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        first = max(start - block.position(), 0)
        last = min(end - block.position(), block.length() - 1)
        if first < last or block.length() == 1:
            lines.append(SelectedLine(block, first, last))
        block = block.next()
    return lines


def fragments_of(block: QTextBlock) -> Iterator[QTextFragment]:
    """The stretches of a block that look the same."""
    iterator = block.begin()
    while not iterator.atEnd():
        yield iterator.fragment()
        iterator += 1


def said_pieces(line: SelectedLine) -> Iterator[tuple[str, QTextCharFormat]]:
    """The selected text, by stretches that look the same; for a drawn formula its source, however it is selected."""
    for fragment in fragments_of(line.block):
        offset, look = fragment.position() - line.block.position(), fragment.charFormat()
        text = cut(fragment.text(), max(line.start - offset, 0), max(line.end - offset, 0))
        if text and not is_unseen(look):
            yield source_of(look) or text, look


def whole_lines(document: QTextDocument, first: int, count: int) -> list[SelectedLine]:
    """All of these blocks, as if they were selected."""
    blocks = [document.findBlockByNumber(number) for number in range(first, first + count)]
    return [SelectedLine(block, 0, block.length() - 1) for block in blocks]


def is_furniture(line: SelectedLine) -> bool:
    """True for blocks that the program adds and that are no part of what was said."""
    empty = line.block.text() in ("", FILLER) and line.kind not in _KEPT_TOGETHER and not line.table_row
    return empty or line.kind in _FURNITURE


def speaker_of(header: SelectedLine) -> str:
    """Who speaks, by the header of a message."""
    name = next(iter(fragments_of(header.block)), None)  # what is told behind it looks otherwise
    return name.text().partition("\t")[0] if name else ""


def plain_text(lines: Sequence[SelectedLine]) -> str:
    """The text of the lines as a person would write it down."""
    if len(lines) == 1:
        return lines[0].text.partition("\t")[0] if lines[0].kind is BlockKind.HEADER else lines[0].text
    headers = [line for line in lines if line.kind is BlockKind.HEADER]
    return "".join(_pieces([line for line in lines if not is_furniture(line)], with_speakers=len(headers) > 1))


def _pieces(lines: Sequence[SelectedLine], *, with_speakers: bool) -> Iterator[str]:
    previous: SelectedLine | None = None
    for line in lines:
        if line.kind is BlockKind.HEADER and not with_speakers:
            continue
        if previous:
            yield _separator(previous, line)
        yield f"{speaker_of(line)}:" if line.kind is BlockKind.HEADER else list_mark(line) + line.text
        previous = line


def list_mark(line: SelectedLine) -> str:
    """The mark of a list item that is selected from its start, such as `  2. `."""
    items = line.block.textList()
    if items is None or line.start > 0:
        return ""
    indent = "  " * (items.format().indent() - 1)
    numbered = items.format().style() == items.format().Style.ListDecimal
    marker = f"{items.format().start() + items.itemNumber(line.block)}." if numbered else "-"
    return f"{indent}{marker} {task_mark(line.block)}"


def task_mark(block: QTextBlock) -> str:
    """The box of a task."""
    marks = block.blockFormat().MarkerType
    return {marks.Checked: "[x] ", marks.Unchecked: "[ ] "}.get(block.blockFormat().marker(), "")


def _goes_on(table: QTextTable) -> bool:
    """Whether the table is a run of the one above it."""
    return kind_of(table.firstCursorPosition().block().previous().userState()) is BlockKind.SEAM


def _separator(above: SelectedLine, below: SelectedLine) -> str:
    rows = above.table_row, below.table_row
    if rows[0] and rows[1] and (rows[0][0] == rows[1][0] or _goes_on(rows[1][0])):
        return "\t" if rows[0] == rows[1] else "\n"
    both_in_lists = above.block.textList() and below.block.textList()
    if both_in_lists or (above.kind is below.kind and above.kind in _KEPT_TOGETHER):
        return "\n"
    return "\n\n"

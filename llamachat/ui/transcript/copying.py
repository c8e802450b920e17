"""The Markdown of what is selected: whole messages and whole blocks as they were written, parts as near as can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor, QTextDocument

from llamachat.core.messages import Role
from llamachat.render.block_kinds import BlockKind
from llamachat.render.incremental import Piece, normalize
from llamachat.ui.transcript.code_colours import language_of
from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.editor import DocumentEditor
from llamachat.ui.transcript.entry import Entry
from llamachat.ui.transcript.parts import Part
from llamachat.ui.transcript.selection import (
    SelectedLine,
    is_furniture,
    list_mark,
    plain_text,
    said_pieces,
    selected_lines,
    speaker_of,
    whole_lines,
)


def selection_markdown(transcript: TranscriptDocument, cursor: QTextCursor) -> str:
    """The Markdown of a selection; several messages are told apart by who speaks."""
    lines = selected_lines(transcript.document, cursor)
    if _is_inside_code(lines):
        return "\n".join(line.text for line in lines)
    speakers = sum(line.kind is BlockKind.HEADER for line in lines) > 1
    return "\n\n".join(_message_parts(transcript, lines, with_speakers=speakers))


def _is_inside_code(lines: Sequence[SelectedLine]) -> bool:
    return bool(lines) and all(line.kind is BlockKind.CODE for line in lines)


def _message_parts(
    transcript: TranscriptDocument, lines: Sequence[SelectedLine], *, with_speakers: bool
) -> Iterator[str]:
    for entry, group in groupby(lines, lambda line: transcript.at_block(line.number)):
        selected = list(group)
        if entry is None:
            continue
        header = next((line for line in selected if line.kind is BlockKind.HEADER), None)
        if with_speakers and header:
            yield f"**{speaker_of(header)}:**"
        text = _message_markdown(transcript, entry, selected)
        if text:
            yield text


def _message_markdown(transcript: TranscriptDocument, entry: Entry, lines: Sequence[SelectedLine]) -> str:
    first = transcript.first_block(entry, Part.BODY)
    end = first + entry.counts[Part.BODY]
    body = [line for line in lines if first <= line.number < end]
    if not body:
        return plain_text(lines)
    if _covers(body, whole_lines(transcript.document, first, end - first)):
        return entry.message.content
    return _body_markdown(transcript, entry, body, first)


def _body_markdown(transcript: TranscriptDocument, entry: Entry, lines: Sequence[SelectedLine], first: int) -> str:
    """Whole pieces of the body from the source, with what stands between them; the rest from the formats."""
    text = normalize(entry.message.content).split("\n")
    by_number = {line.number: line for line in lines}
    parts: list[tuple[int, int] | str] = []
    for piece, count in _pieces_with_counts(transcript, entry):
        blocks = whole_lines(transcript.document, first, count)
        selected = [by_number[block.number] for block in blocks if block.number in by_number]
        first += count
        if _covers(selected, blocks):
            _add_source(parts, piece)
        elif selected:
            parts.append(lines_markdown(selected))
    gap = "\n" if entry.message.role is Role.USER else "\n\n"
    return gap.join(part if isinstance(part, str) else "\n".join(text[slice(*part)]) for part in parts)


def _covers(selected: Sequence[SelectedLine], blocks: Sequence[SelectedLine]) -> bool:
    """Whether all that was said in the blocks is selected; frames and gaps are not asked for."""
    whole = {line.number for line in selected if line.whole}
    return bool(selected) and all(block.number in whole for block in blocks if not is_furniture(block))


def _add_source(parts: list[tuple[int, int] | str], piece: Piece) -> None:
    start, last = piece.first_line, parts[-1] if parts else ""
    if not isinstance(last, str):
        start = last[0]
        del parts[-1]
    parts.append((start, piece.end_line))


def _pieces_with_counts(transcript: TranscriptDocument, entry: Entry) -> Iterator[tuple[Piece, int]]:
    """The pieces of a message and how many blocks each has, found by drawing it once more beside the document."""
    if entry.body:
        yield from entry.body.pieces_with_counts()
        return
    beside = DocumentEditor(QTextDocument())
    beside.clear()
    for piece in transcript.pieces(entry):
        yield piece, beside.insert(1, piece.html)


def lines_markdown(lines: Sequence[SelectedLine]) -> str:
    """Markdown made from what the blocks look like."""
    parts = []
    for is_code, group in groupby(lines, lambda line: line.kind in (BlockKind.CODE_HEAD, BlockKind.CODE)):
        selected = list(group)
        is_typed = selected[0].kind is BlockKind.TYPED
        text = _code_markdown(selected) if is_code else selected[0].text if is_typed else _text_markdown(selected)
        parts.append(text)
    return "\n\n".join(part for part in parts if part)


def _code_markdown(lines: Sequence[SelectedLine]) -> str:
    language = language_of(lines[0].block) if lines[0].kind is BlockKind.CODE_HEAD else ""
    code = [line.text for line in lines if line.kind is BlockKind.CODE]
    return "\n".join([f"```{language}", *code, "```"]) if code else ""


def _text_markdown(lines: Sequence[SelectedLine]) -> str:
    text, previous_is_item = "", False
    for line in lines:
        if is_furniture(line):
            continue
        is_item = line.block.textList() is not None or line.table_row is not None
        if text:
            text += "\n" if is_item and previous_is_item else "\n\n"
        text += f"{_line_mark(line)}{_inline_markdown(line)}"
        previous_is_item = is_item
    return text


def _line_mark(line: SelectedLine) -> str:
    heading = line.kind - BlockKind.HEADING_1 + 1 if line.kind >= BlockKind.HEADING_1 else 0
    mark = f"{'#' * heading} " if heading and line.start == 0 else list_mark(line)
    return "> " * line.depth + mark


def _inline_markdown(line: SelectedLine) -> str:
    """The text with the marks of its formats; a heading is bold by itself."""
    bold = line.kind < BlockKind.HEADING_1
    return "".join(_marked(text, look, bold=bold) for text, look in said_pieces(line)).replace("\u2028", "  \n")


def _marked(text: str, look: QTextCharFormat, *, bold: bool) -> str:
    if "monospace" in (look.fontFamilies() or ()):
        return f"`` {text} ``" if "`" in text else f"`{text}`"
    if bold and look.fontWeight() >= QFont.Weight.DemiBold:
        text = f"**{text}**"
    if look.fontItalic():
        text = f"*{text}*"
    if look.fontStrikeOut():
        text = f"~~{text}~~"
    address = look.anchorHref()
    return f"[{text}]({address})" if address and address != text and not text.startswith("[") else text

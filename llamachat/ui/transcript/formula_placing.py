"""Puts a drawn formula in the place of its source, where there is room for it."""

from __future__ import annotations

from PySide6.QtGui import QTextBlock, QTextCursor

from llamachat.core.formula import FormulaShapes
from llamachat.ui.transcript.editor import DocumentEditor
from llamachat.ui.transcript.formula_text import Span, display_format, drawn_texts, line_metrics, text_size
from llamachat.ui.transcript.room import room_at

_SMALLEST_SCALE = 0.45  # a formula that would have to be smaller than this to fit is shown as its source


def put_in_formula(editor: DocumentEditor, block: QTextBlock, span: Span, shapes: FormulaShapes) -> bool:
    """Replace the source that stands in the block; False where the formula would be too small to read."""
    document, start = editor.document, block.position() + span.start
    size, room = text_size(document, span.look), room_at(document, start)
    if shapes.width * size * _SMALLEST_SCALE > room.width(document):
        return False
    alone = span.length == block.length() - 1
    display = span.formula is not None and span.formula.display
    line = line_metrics(document, size) if alone and not display else None
    editor.replace_text(start, span.length, drawn_texts(span, shapes, size=size, room=room, line=line))
    if alone and display:
        cursor = QTextCursor(document)
        cursor.setPosition(start)
        cursor.mergeBlockFormat(display_format())
    return True

"""The tooltip of a drawn formula: its source."""

from __future__ import annotations

import textwrap
from html import escape

from PySide6.QtCore import QPoint
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextEdit

from llamachat.ui.transcript.formula_text import source_of

_COLUMNS = 90
_LINES = 20


def formula_at(view: QTextEdit, point: QPoint) -> str:
    """The source of the drawn formula at a place in the view; "" where there is none."""
    nearest = view.cursorForPosition(point).position()
    for position in (nearest, nearest - 1):  # the picture stands on one side of it or the other
        picture = QTextCursor(view.document())
        picture.setPosition(max(position, 0))
        left = view.cursorRect(picture).left()
        picture.movePosition(QTextCursor.MoveOperation.NextCharacter)
        source = source_of(picture.charFormat())
        if source and left <= point.x() <= view.cursorRect(picture).left():
            return source.replace("\u2028", "\n")
    return ""


def formula_tip(source: str) -> str:
    """The text of the tooltip: plain, in lines that fit, the beginning of a long source."""
    lines = [piece for line in source.split("\n") for piece in textwrap.wrap(line, _COLUMNS)]
    shown = lines[:_LINES] + ["…"] * (len(lines) > _LINES)
    return "<br>".join(escape(line) for line in shown)

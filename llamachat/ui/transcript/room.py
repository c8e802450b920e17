"""How wide something at a place of the document may be."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QTextCursor, QTextDocument

_NARROWEST_PX = 40.0


@dataclass(frozen=True, slots=True)
class Room:
    """What a place has of the width of the page: a part of it, as in a table of `columns`, less `taken` pixels."""

    columns: int
    taken: float

    def width(self, document: QTextDocument) -> float:
        """The width right now. Moves no cursor: that lays text out, and this is asked for while text is laid out."""
        page = document.rootFrame().frameFormat()
        whole = document.textWidth() - page.leftMargin() - page.rightMargin()
        return max(whole / self.columns - self.taken, _NARROWEST_PX)


def room_at(document: QTextDocument, position: int) -> Room:
    """The room at a place, in a table as if all its columns were of one width."""
    cursor = QTextCursor(document)
    cursor.setPosition(position)
    layout, table, items = cursor.blockFormat(), cursor.currentTable(), cursor.currentList()
    if table:
        return Room(table.columns(), 2 * (table.format().cellPadding() + table.format().border()))
    indent = layout.indent() + (items.format().indent() if items else 0)
    return Room(1, layout.leftMargin() + layout.rightMargin() + indent * document.indentWidth())

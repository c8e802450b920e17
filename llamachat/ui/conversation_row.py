"""A row of the list of chats: a heading, or a title with its tags; all rows are equally high."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from llamachat.core.text import tr
from llamachat.ui.conversation_model import ROW_ROLE, Index
from llamachat.ui.icons import draw_icon
from llamachat.ui.list_row import Row
from llamachat.ui.row_ground import paint_ground

INDENT = 12  # pixels left of a title
_HEIGHT = 1.85  # of the font
_SMALL = 0.86
_TAG_PADDING = 5
_TAGS_SHARE = 0.5  # of a row
_LONGEST_TAG_PX = 90
_ROLES = QPalette.ColorRole


def row_height(metrics: QFontMetrics) -> int:
    """How high every row is."""
    return round(metrics.height() * _HEIGHT)


class RowDelegate(QStyledItemDelegate):
    """Paints headings and chats, and edits a title inside its row."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row: rounded ground, elided title, its tags, a dot while an answer streams."""
        row: Row = index.data(ROW_ROLE)
        item = QStyleOptionViewItem(option)
        if option.widget:
            item.palette = option.widget.palette()
        rect, palette = QRect(item.rect), QPalette(item.palette)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.conversation is None:
            _paint_heading(painter, rect, palette, row.text)
        else:
            paint_ground(painter, item)
            _paint_chat(painter, rect.adjusted(INDENT, 0, -INDENT, 0), palette, row=row)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Rows follow the font."""
        return QSize(0, row_height(option.fontMetrics))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A plain field with the title selected."""
        editor = QLineEdit(parent)
        editor.setAccessibleName(tr("Title"))
        editor.setMaxLength(200)
        return editor


def _paint_heading(painter: QPainter, rect: QRect, palette: QPalette, text: str) -> None:
    font = painter.font()
    font.setPointSizeF(font.pointSizeF() * _SMALL)
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(palette.color(_ROLES.PlaceholderText))
    box = rect.adjusted(INDENT, 0, -INDENT, -3)
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, text)


def _paint_chat(painter: QPainter, box: QRect, palette: QPalette, *, row: Row) -> None:
    if mark := _mark(row):
        size = painter.fontMetrics().height()
        _paint_icon(painter, mark, QPointF(box.right() - size, box.center().y()), palette.color(_ROLES.Link))
        box.setRight(box.right() - size - 4)
    if row.conversation and row.conversation.tags:
        box.setRight(_paint_tags(painter, box, palette, tags=row.conversation.tags) - 6)
    if row.conversation and row.conversation.forked:  # where its title differs from the other's may have no room
        _paint_icon(painter, "fork", QPointF(box.left(), box.center().y()), palette.color(_ROLES.PlaceholderText))
        box.setLeft(box.left() + painter.fontMetrics().height() + 4)
    painter.setPen(palette.color(_ROLES.Text))
    if row.fresh:
        font = painter.font()
        font.setBold(True)
        painter.setFont(font)
    text = painter.fontMetrics().elidedText(row.text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def _mark(row: Row) -> str:
    """The icon at the end of a row; "" for none."""
    if row.live:
        return "ring" if row.waiting else "dot"
    return "check" if row.fresh else ""


def _paint_icon(painter: QPainter, name: str, middle_left: QPointF, colour: QColor) -> None:
    """As high as the text."""
    size = painter.fontMetrics().height()
    draw_icon(painter, name, QRectF(middle_left.x(), middle_left.y() - size / 2 + 1, size, size), colour)


def _paint_tags(painter: QPainter, box: QRect, palette: QPalette, *, tags: Sequence[str]) -> int:
    """Draw what has room of the tags at the right of a row; gives where the room of the title ends."""
    painter.save()
    font = painter.font()
    font.setPointSizeF(font.pointSizeF() * _SMALL)
    painter.setFont(font)
    right, height = box.right(), painter.fontMetrics().height() + 2
    for text, width in reversed(shown_tags(tags, painter.fontMetrics(), round(box.width() * _TAGS_SHARE))):
        label = QRectF(right - width, box.center().y() - height / 2 + 1, width, height)
        painter.setPen(palette.color(_ROLES.Mid))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(label, 4, 4)
        painter.setPen(palette.color(_ROLES.PlaceholderText))
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)
        right -= width + 4
    painter.restore()
    return right


def shown_tags(tags: Sequence[str], metrics: QFontMetrics, room: int) -> list[tuple[str, int]]:
    """Tags with the width of their labels, as many as have room; then how many there are besides."""
    shown: list[tuple[str, int]] = []
    for number, tag in enumerate(tags):
        text = metrics.elidedText(tag, Qt.TextElideMode.ElideRight, _LONGEST_TAG_PX)
        width = metrics.horizontalAdvance(text) + 2 * _TAG_PADDING
        rest = f"+{len(tags) - number}"
        rest_width = metrics.horizontalAdvance(rest) + 2 * _TAG_PADDING
        is_last = number == len(tags) - 1
        if width + (0 if is_last else rest_width + 4) > room:
            return [*shown, (rest, rest_width)]
        shown.append((text, width))
        room -= width + 4
    return shown

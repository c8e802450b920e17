"""Rows with ticks that can be seen in the dark; the style's own are as dark as rows."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from llamachat.ui.icons import draw_icon

_HEIGHT = 1.6  # of the font


class TickDelegate(QStyledItemDelegate):
    """Draws the tick itself, where the style would; the style has the rest."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """High enough to be hit."""
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), round(option.fontMetrics.height() * _HEIGHT)))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a cell."""
        item = QStyleOptionViewItem(option)
        self.initStyleOption(item, index)
        widget = item.widget
        style = widget.style()
        place = style.subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, item, widget)
        if item.features & QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator:
            item.features &= ~QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
            item.decorationSize = place.size()
            style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, item, painter, widget)
            _paint_tick(painter, QRectF(place), item)
            item.rect.setLeft(place.right() + 2)
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, item, painter, widget)


def _paint_tick(painter: QPainter, place: QRectF, item: QStyleOptionViewItem) -> None:
    enabled = bool(item.state & QStyle.StateFlag.State_Enabled)
    on = enabled and item.checkState == Qt.CheckState.Checked
    partly = enabled and item.checkState == Qt.CheckState.PartiallyChecked
    palette, role = item.palette, QPalette.ColorRole
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(palette.color(role.Accent if on or partly else role.PlaceholderText if enabled else role.Mid))
    painter.setBrush(palette.color(role.Accent if on else role.Base))
    box = place.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(box, 3, 3)
    if on:
        draw_icon(painter, "check", box, palette.color(role.BrightText))
    elif partly:
        middle = box.center().y()
        painter.drawLine(QPointF(box.left() + 3, middle), QPointF(box.right() - 3, middle))
    painter.restore()

"""The table of chats that may be imported. Its ticks can be seen in the dark; the style's own are as dark as rows."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from llamachat.core.text import tr
from llamachat.ui.icons import draw_icon
from llamachat.ui.import_model import DATE, FATE, MESSAGES, TITLE, ImportModel

_FITTING = {DATE: "2026-12-28 ", MESSAGES: "  Messages  ", FATE: " was deleted  "}
_BESIDE_PX = 16


class ImportTable(QTableView):
    """One row a chat; Space ticks it."""

    def __init__(self, model: ImportModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(tr("Chats in the file"))
        self.setItemDelegateForColumn(TITLE, _TickDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().setDefaultSectionSize(round(self.fontMetrics().height() * 1.6))
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().hide()
        for column, text in _FITTING.items():
            self.setColumnWidth(column, self.fontMetrics().horizontalAdvance(text) + _BESIDE_PX)
        self.horizontalHeader().setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setHighlightSections(False)


class _TickDelegate(QStyledItemDelegate):
    """Draws the tick itself, where the style would; the style has the rest."""

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
    palette, role = item.palette, QPalette.ColorRole
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(palette.color(role.Accent if on else role.PlaceholderText if enabled else role.Mid))
    painter.setBrush(palette.color(role.Accent if on else role.Base))
    box = place.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(box, 3, 3)
    if on:
        draw_icon(painter, "check", box, palette.color(role.BrightText))
    painter.restore()

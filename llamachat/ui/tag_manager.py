"""The window that renames and deletes tags. A name that another tag has joins the two."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from llamachat.core.tag import Tag, tag_name
from llamachat.core.text import tr
from llamachat.ui.labels import WrapLabel
from llamachat.ui.tick_delegate import TickDelegate
from llamachat.ui.undo_bar import UndoBar

_WIDTH_PX, _HEIGHT_PX = 400, 420
_NAME = Qt.ItemDataRole.UserRole


class TagManager(QDialog):
    """Asks for changes; its owner stores them and shows the tags again."""

    rename_requested = Signal(str, str)
    delete_requested = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Tags"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(tr("Tags"))
        self.tree.setHeaderLabels([tr("Tag"), tr("Chats")])
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setItemDelegate(TickDelegate(self.tree))
        self.tree.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.installEventFilter(self)
        self.tree.itemChanged.connect(self._renamed)
        note = WrapLabel(tr("A tag that gets the name of another one is joined with it."))
        note.setObjectName("lesser")
        self.undo = UndoBar()
        buttons = QDialogButtonBox()
        self.rename = buttons.addButton(tr("Rename"), QDialogButtonBox.ButtonRole.ActionRole)
        self.delete = buttons.addButton(tr("Delete"), QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        for button in buttons.buttons():
            button.setIcon(QIcon())  # the style's own is black in the dark
        self.rename.clicked.connect(self._edit)
        self.delete.clicked.connect(self._delete)
        buttons.rejected.connect(self.reject)
        self.tree.itemSelectionChanged.connect(self._look)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        for part in (self.tree, note, self.undo, buttons):
            column.addWidget(part)
        self._look()
        self.resize(_WIDTH_PX, _HEIGHT_PX)

    def show_tags(self, tags: Sequence[Tag]) -> None:
        """Show these; the keyboard stays on the tag that it is on, or at its place."""
        current = self.tree.currentItem()
        name, row = (current.text(0), self.tree.indexOfTopLevelItem(current)) if current else ("", 0)
        self.tree.blockSignals(True)  # noqa: FBT003 - Qt's own signature
        self.tree.clear()
        for tag in tags:
            item = QTreeWidgetItem(self.tree, [tag.name, str(tag.chats)])
            item.setData(0, _NAME, tag.name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.tree.blockSignals(False)  # noqa: FBT003 - Qt's own signature
        names = [tag.name for tag in tags]
        if names:
            at = names.index(name) if name in names else min(row, len(names) - 1)
            self.tree.setCurrentIndex(self.tree.model().index(at, 0))
        self._look()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Del deletes the tag that the keyboard is on."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Delete:
            self._delete()
            return True
        return super().eventFilter(watched, event)

    def _edit(self) -> None:
        if item := self.tree.currentItem():
            self.tree.editItem(item, 0)

    def _delete(self) -> None:
        if item := self.tree.currentItem():
            self.delete_requested.emit(str(item.data(0, _NAME)))

    def _renamed(self, item: QTreeWidgetItem, _column: int) -> None:
        before, after = str(item.data(0, _NAME)), tag_name(item.text(0))
        if not after:
            item.setText(0, before)
        elif after != before:
            self.rename_requested.emit(before, after)

    def _look(self) -> None:
        chosen = self.tree.currentItem() is not None
        self.rename.setEnabled(chosen)
        self.delete.setEnabled(chosen)

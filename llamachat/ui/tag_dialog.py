"""The window that gives tags to chats and takes them away: a field that finds or makes a tag, and boxes to tick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from llamachat.core.tag import MOST_CHARS, tag_key, tag_name
from llamachat.core.text import tr
from llamachat.ui.labels import ElidedLabel
from llamachat.ui.tick_delegate import TickDelegate

_WIDTH_PX, _HEIGHT_PX = 340, 400
_NAME = Qt.ItemDataRole.UserRole


class TagDialog(QDialog):
    """`changes` says what was ticked and unticked when it is accepted."""

    def __init__(
        self, heading: str, tags: Sequence[str], *, had: Mapping[str, int], chats: int, parent: QWidget
    ) -> None:
        """had: how many of the chats have a tag."""
        super().__init__(parent)
        self.setWindowTitle(tr("Tags"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._before = {tag_key(name): _state(count, chats) for name, count in had.items()}
        title = ElidedLabel()
        title.show_text(heading)
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Find a tag, or name a new one"))
        self.field.setAccessibleName(tr("Find a tag, or name a new one"))
        self.field.setMaxLength(MOST_CHARS)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._look)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Tags"))
        self.list.setItemDelegate(TickDelegate(self.list))
        for name in tags:
            self._add(name, self._before.get(tag_key(name), Qt.CheckState.Unchecked))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        for button in buttons.buttons():
            button.setIcon(QIcon())  # the style's own is black in the dark
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        for part in (title, self.field, self.list, buttons):
            column.addWidget(part)
        self.resize(_WIDTH_PX, _HEIGHT_PX)
        self.field.setFocus()

    def changes(self) -> tuple[list[str], list[str]]:
        """The tags that all chats get, and those that all lose."""
        added, removed = [], []
        for item in self._items():
            name, state = str(item.data(_NAME)), item.checkState()
            if state is not self._before.get(tag_key(name), Qt.CheckState.Unchecked):
                if state is Qt.CheckState.Checked:
                    added.append(name)
                elif state is Qt.CheckState.Unchecked:
                    removed.append(name)
        return added, removed

    def accept(self) -> None:
        """What still stands in the field is meant too."""
        self._take_typed()
        super().accept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """In the field Enter takes what is typed, or all where nothing is; Down goes into the list."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if not self._take_typed():
                    self.accept()
                return True
            if event.key() == Qt.Key.Key_Down:
                self.list.setFocus(Qt.FocusReason.OtherFocusReason)
                shown = [row for row, item in enumerate(self._items()) if not item.isHidden()]
                self.list.setCurrentRow(min(shown, default=-1))
                return True
        return super().eventFilter(watched, event)

    def _take_typed(self) -> bool:
        """Tick the tag that is typed, made where there is none; False where nothing is typed."""
        name = tag_name(self.field.text())
        if not name:
            return False
        known = [item for item in self._items() if tag_key(str(item.data(_NAME))) == tag_key(name)]
        item = known[0] if known else self._add(name, Qt.CheckState.Checked)
        item.setCheckState(Qt.CheckState.Checked)
        self.field.clear()
        self.list.scrollToItem(item)
        return True

    def _add(self, name: str, state: Qt.CheckState) -> QListWidgetItem:
        item = QListWidgetItem(name, self.list)
        item.setData(_NAME, name)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(state)
        return item

    def _look(self) -> None:
        """Show the tags with what is typed."""
        part = tag_key(self.field.text().strip())
        for item in self._items():
            item.setHidden(part not in tag_key(item.text()))

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]


def _state(count: int, chats: int) -> Qt.CheckState:
    if count == chats:
        return Qt.CheckState.Checked
    return Qt.CheckState.PartiallyChecked if count else Qt.CheckState.Unchecked

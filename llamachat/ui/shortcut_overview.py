"""The table of all keys of the window."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from llamachat.core.text import tr
from llamachat.ui.actions import declared_actions, fixed_keys
from llamachat.ui.over_window import put_over_window

_KEYS_CHARS, _NAME_CHARS = 26, 38  # how wide the columns are


class ShortcutOverview(QDialog):
    """A table of all keys."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        lines = [(_shown(declared.keys), declared.name) for declared in declared_actions() if declared.keys]
        table = QWidget()
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(28)
        grid.setVerticalSpacing(8)
        for number, (keys, name) in enumerate([*lines, *fixed_keys()]):
            label = _cell(keys, _KEYS_CHARS)
            label.setObjectName("keys")
            grid.addWidget(label, number, 0)
            grid.addWidget(_cell(name, _NAME_CHARS), number, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())  # the style's own is black in the dark
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(18)
        column.addWidget(_scrolled(table), 1)
        column.addWidget(buttons)
        height = table.heightForWidth(table.sizeHint().width()) + buttons.sizeHint().height() + 60
        put_over_window(self, QSize(self.minimumSizeHint().width(), height))


def _cell(text: str, chars: int) -> QLabel:
    """A text as wide as so many characters, in as many lines as it needs."""
    label = QLabel(text)
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
    label.setFixedWidth(label.fontMetrics().averageCharWidth() * chars)
    return label


def _scrolled(table: QWidget) -> QScrollArea:
    """The table in an area as wide as it needs, which scrolls where the screen is too low for it."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setMinimumWidth(table.sizeHint().width() + area.verticalScrollBar().sizeHint().width())
    area.setWidget(table)
    return area


def _shown(keys: tuple[str, ...]) -> str:
    return ", ".join(QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in keys)

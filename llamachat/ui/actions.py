"""Every action of the window, once: its name, its shortcuts, and the overview that lists them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QIcon, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QLabel,
    QMainWindow,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from llamachat.core.text import tr
from llamachat.ui.transcript.message_acts import WINDOW_ACTS, act_key, act_name


@dataclass(frozen=True, slots=True)
class Declared:
    """An action: `keys` are alternatives, the first is the one that menus show. in_menu: of the window."""

    id: str
    name: str
    keys: tuple[str, ...] = ()
    in_menu: bool = True


def declared_actions() -> tuple[Declared, ...]:
    """All of them, in the order of the menu."""
    return (
        Declared("new", tr("New chat"), ("Ctrl+N",)),
        Declared("search", tr("Search all chats"), ("Ctrl+K", "Ctrl+Shift+F")),
        Declared("find", tr("Find in this chat"), ("Ctrl+F",)),
        Declared("compose", tr("Go to the message field"), ("Ctrl+L",)),
        Declared("stop", tr("Stop the answer, or leave the search or the connect page"), ("Esc",)),
        Declared("rename", tr("Rename this chat"), ("F2",)),
        Declared("delete", tr("Delete this chat"), ("Ctrl+Shift+Backspace",)),
        Declared("sidebar", tr("Show or hide the list of chats"), ("Ctrl+B",)),
        Declared("larger", tr("Larger text"), ("Ctrl++", "Ctrl+=")),
        Declared("smaller", tr("Smaller text"), ("Ctrl+-",)),
        Declared("normal", tr("Text of the usual size"), ("Ctrl+0",)),
        Declared("above", tr("Go to the message above"), ("Alt+Up",), in_menu=False),
        Declared("below", tr("Go to the message below"), ("Alt+Down",), in_menu=False),
        *(Declared(act.value, act_name(act), (act_key(act),), in_menu=False) for act in WINDOW_ACTS),
        Declared("connect", tr("Connect to a server")),
        Declared("search-settings", tr("Web search settings…"), ("Ctrl+Shift+S",)),
        Declared("settings", tr("Open the settings file"), ("Ctrl+,",)),
        Declared("shortcuts", tr("Keyboard shortcuts"), ("F1", "Ctrl+/")),
        Declared("quit", tr("Quit"), ("Ctrl+Q", "Ctrl+W")),
    )


def fixed_keys() -> tuple[tuple[str, str], ...]:
    """Keys that belong to a field and are no actions: (keys, what they do)."""
    return (
        (tr("Enter"), tr("Send the message")),
        (tr("Shift+Enter"), tr("Begin a new line in the message")),
        (tr("Enter in the search field"), tr("Open the best result")),
        (tr("Del in the list of chats"), tr("Delete the chat that the keyboard is on")),
        (tr("Del on a message"), tr("Delete it and what follows it")),
        (tr("Menu key on a message"), tr("Show what can be done with it")),
    )


def menu_ids() -> tuple[str, ...]:
    """The actions that the menu of the window has."""
    return tuple(declared.id for declared in declared_actions() if declared.in_menu)


def add_actions(window: QMainWindow, handlers: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """Make the actions and give them to the window; each declared one needs its handler."""
    actions: dict[str, QAction] = {}
    for declared in declared_actions():
        action = QAction(declared.name, window)
        action.setShortcuts([QKeySequence(key) for key in declared.keys])
        action.triggered.connect(_call(handlers[declared.id]))
        window.addAction(action)
        actions[declared.id] = action
    return actions


def _call(handler: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        handler()

    return run


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
            label = QLabel(keys)
            label.setObjectName("keys")
            grid.addWidget(label, number, 0)
            grid.addWidget(QLabel(name), number, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())  # the style's own is black in the dark
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(18)
        column.addWidget(_scrolled(table), 1)
        column.addWidget(buttons)
        wanted = table.sizeHint().height() + buttons.sizeHint().height() + 60
        self.resize(0, min(wanted, self.screen().availableGeometry().height() * 9 // 10))


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

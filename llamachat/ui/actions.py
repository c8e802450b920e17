"""Every action of the window, once: its name, its shortcuts, where the menu has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow

from llamachat.core.conversation import is_temporary
from llamachat.core.text import tr
from llamachat.ui.transcript.message_acts import WINDOW_ACTS, act_key, act_name


class Menu(StrEnum):
    """Where the menu of the window shows an action: at its top or its end, in one of the menus between, nowhere."""

    TOP = "top"
    CHAT = "chat"
    CHATS = "chats"
    VIEW = "view"
    SETTINGS = "settings"
    END = "end"
    NOWHERE = ""


@dataclass(frozen=True, slots=True)
class Declared:
    """An action: `keys` are alternatives, the first is the one that menus show.

    needs_chat: it can be done only while a chat is shown that is made already; needs_history: only while that is one
    of the history; needs_temporary: only while it is a temporary one.
    """

    id: str
    name: str
    keys: tuple[str, ...] = ()
    menu: Menu = Menu.NOWHERE
    needs_chat: bool = False
    needs_history: bool = False
    needs_temporary: bool = False


def declared_actions() -> tuple[Declared, ...]:
    """All of them; those of one menu in its order."""
    return (
        Declared("new", tr("New chat"), ("Ctrl+N",), Menu.TOP),
        Declared("new-temporary", tr("New temporary chat"), ("Ctrl+Shift+N",), Menu.TOP),
        Declared("keep", tr("Save this temporary chat"), ("Ctrl+S",), Menu.CHAT, needs_temporary=True),
        Declared("rename", tr("Rename this chat"), ("F2",), Menu.CHAT, needs_history=True),
        Declared("pin", tr("Pin or unpin this chat"), ("Ctrl+Shift+K",), Menu.CHAT, needs_history=True),
        Declared("archive", tr("Archive this chat, or undo that"), ("Ctrl+Shift+M",), Menu.CHAT, needs_history=True),
        Declared("tags", tr("Tags of this chat…"), ("Ctrl+Shift+T",), Menu.CHAT, needs_history=True),
        Declared("delete", tr("Delete this chat"), ("Ctrl+Shift+Backspace",), Menu.CHAT, needs_history=True),
        Declared("prompt", tr("System prompt of this chat…"), ("Ctrl+Shift+P",), Menu.CHAT),
        Declared(
            "send-now", tr("Send the next waiting message now"), ("Ctrl+Shift+Return",), Menu.CHAT, needs_chat=True
        ),
        Declared(
            "take-back", tr("Take the last waiting message back"), ("Ctrl+Shift+Up",), Menu.CHAT, needs_chat=True
        ),
        Declared("export", tr("Export this chat…"), ("Ctrl+E",), Menu.CHAT, needs_chat=True),
        Declared("copy-chat", tr("Copy this chat as Markdown"), ("Ctrl+Alt+C",), Menu.CHAT, needs_chat=True),
        Declared("pdf", tr("Save this chat as PDF…"), ("Ctrl+Alt+P",), Menu.CHAT, needs_chat=True),
        Declared("print", tr("Print this chat…"), ("Ctrl+P",), Menu.CHAT, needs_chat=True),
        Declared("search", tr("Search all chats"), ("Ctrl+K", "Ctrl+Shift+F"), Menu.CHATS),
        Declared("list", tr("Which chats are listed, and in which order…"), ("Ctrl+Shift+L",), Menu.CHATS),
        Declared("undo-delete", tr("Undo the last deletion"), ("Ctrl+Alt+Z",), Menu.CHATS),
        Declared("deleted", tr("Recently deleted…"), ("Ctrl+Shift+Del",), Menu.CHATS),
        Declared("export-all", tr("Export all chats…"), ("Ctrl+Alt+E",), Menu.CHATS),
        Declared("import", tr("Import chats…"), ("Ctrl+O",), Menu.CHATS),
        Declared("find", tr("Find in this chat"), ("Ctrl+F",), Menu.VIEW),
        Declared("compose", tr("Go to the message field"), ("Ctrl+L",), Menu.VIEW),
        Declared("stop", tr("Stop the answer, or leave the search or the connect page"), ("Esc",), Menu.VIEW),
        Declared("sidebar", tr("Show or hide the list of chats"), ("Ctrl+B",), Menu.VIEW),
        Declared("larger", tr("Larger text"), ("Ctrl++", "Ctrl+="), Menu.VIEW),
        Declared("smaller", tr("Smaller text"), ("Ctrl+-",), Menu.VIEW),
        Declared("normal", tr("Text of the usual size"), ("Ctrl+0",), Menu.VIEW),
        Declared("above", tr("Go to the message above"), ("Alt+Up",)),
        Declared("below", tr("Go to the message below"), ("Alt+Down",)),
        *(Declared(act.value, act_name(act), (act_key(act),)) for act in WINDOW_ACTS),
        Declared("help", tr("Do what is offered first below the last answer"), ("Ctrl+Shift+H",)),
        Declared("connect", tr("Connect to a server"), (), Menu.SETTINGS),
        Declared("search-settings", tr("Web search settings…"), ("Ctrl+Shift+S",), Menu.SETTINGS),
        Declared("settings", tr("Open the settings file"), ("Ctrl+,",), Menu.SETTINGS),
        Declared("shortcuts", tr("Keyboard shortcuts"), ("F1", "Ctrl+/"), Menu.END),
        Declared("quit", tr("Quit"), ("Ctrl+Q", "Ctrl+W"), Menu.END),
    )


def fixed_keys() -> tuple[tuple[str, str], ...]:
    """Keys that belong to a field and are no actions: (keys, what they do)."""
    return (
        (tr("Enter"), tr("Send the message")),
        (tr("Shift+Enter"), tr("Begin a new line in the message")),
        (tr("Enter in the search field"), tr("Open the best result")),
        (tr("Down, then Tab or Enter in the search field"), tr("Take an operator that is offered")),
        (
            tr("Ctrl or Shift with a click or arrows, or Ctrl+A, in the list of chats"),
            tr("Select chats; a click alone opens one and goes to the message field"),
        ),
        (tr("Menu key, while chats are selected there"), tr("Show what can be done with them")),
        (tr("Del, while chats are selected there"), tr("Delete them")),
        (tr("Del on a message"), tr("Delete it and what follows it")),
        (tr("Menu key on a message"), tr("Show what can be done with it")),
    )


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


def enable_actions(actions: Mapping[str, QAction], conversation_id: int | None) -> None:
    """Enable those that can be done while this chat is shown (None: one that is not made yet)."""
    temporary = is_temporary(conversation_id)
    stored = conversation_id is not None and not temporary
    for declared in declared_actions():
        if declared.needs_chat:
            actions[declared.id].setEnabled(conversation_id is not None)
        elif declared.needs_history or declared.needs_temporary:
            actions[declared.id].setEnabled(stored if declared.needs_history else temporary)


def _call(handler: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        handler()

    return run

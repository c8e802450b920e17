"""The menu of the window: what is declared in `actions`, in menus by what it concerns."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from llamachat.core.text import tr
from llamachat.ui.actions import Menu, declared_actions
from llamachat.ui.passing_menu import PassingMenu


def fill_window_menu(menu: QMenu, actions: Mapping[str, QAction]) -> None:
    """Put the actions into it. actions: by the id they are declared under."""
    for part in Menu:
        entries = [actions[declared.id] for declared in declared_actions() if declared.menu is part]
        if part is Menu.NOWHERE or not entries:
            continue
        if name := _name(part):
            inner = PassingMenu(name, menu)
            inner.addActions(entries)
            menu.addMenu(inner)
        else:
            if part is Menu.END:
                menu.addSeparator()
            menu.addActions(entries)


def _name(part: Menu) -> str:
    """What a menu inside the menu is called; "" for the entries of the menu itself."""
    return {
        Menu.CHAT: tr("This chat"),
        Menu.CHATS: tr("All chats"),
        Menu.VIEW: tr("View"),
        Menu.SETTINGS: tr("Settings"),
    }.get(part, "")

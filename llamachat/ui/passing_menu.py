"""A menu that leaves the shortcuts of the window to the window: Qt lets an open menu swallow them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QWidget

_MODIFIED = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


class PassingMenu(QMenu):
    """Closes at a shortcut with Ctrl or Alt, which is then carried out."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows, Enter, Esc and letters are the menu's own."""
        action = self._action_of(event) if event.modifiers() & _MODIFIED else None
        if action is None:
            super().keyPressEvent(event)
            return
        while isinstance(menu := QApplication.activePopupWidget(), QMenu) and menu.isVisible():
            menu.close()
        action.trigger()

    def _action_of(self, event: QKeyEvent) -> QAction | None:
        owner: QWidget | None = self
        while isinstance(owner, QMenu):
            owner = owner.parentWidget()
        key = QKeySequence(event.keyCombination())
        actions = owner.window().actions() if owner else []
        return next((action for action in actions if key in action.shortcuts()), None)

"""Escape for a part of the window that has the keyboard, before the window's own shortcut takes it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent


def is_escape(event: QEvent) -> bool:
    """Whether a key event is about Escape."""
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape


def claims_escape(event: QEvent) -> bool:
    """Accept the question that comes before each shortcut, if it is about Escape; the key then comes as a key."""
    claimed = event.type() == QEvent.Type.ShortcutOverride and is_escape(event)
    if claimed:
        event.accept()
    return claimed

"""A field with a text that is to be changed."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit


class TextToChange(QPlainTextEdit):
    """One begins at its end; Tab leaves it."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)

    def showEvent(self, event: QShowEvent) -> None:
        """Go to the end, which can be brought into sight only now."""
        super().showEvent(event)
        if not event.spontaneous():
            self.moveCursor(QTextCursor.MoveOperation.End)
            self.ensureCursorVisible()

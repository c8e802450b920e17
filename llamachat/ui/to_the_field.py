"""Brings the keyboard to the message field: with what is typed elsewhere, and after what was chosen elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMainWindow

from llamachat.ui.chat_page import ChatPage

_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


class ToTheField(QObject):
    """Watches the keys that reach the window because nothing in it has taken them."""

    def __init__(self, window: QMainWindow, page: ChatPage) -> None:
        super().__init__(window)
        self._page, self._composer = page, page.composer
        window.installEventFilter(self)
        for button in (page.header.model, page.composer.prompt, page.composer.search):
            button.menu().triggered.connect(self._go)
        view = page.view
        for requested in (
            *(view.retry_requested, view.continue_requested, view.models_requested),
            *(view.search_again_requested, view.help_requested),
        ):
            requested.connect(self._go)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A letter or what is pasted goes into the field, wherever the keyboard was."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent) or not _types(event):
            return False
        edit = self._composer.edit
        if not edit.isVisible() or edit.hasFocus() or edit.isReadOnly():
            return False
        edit.setFocus()
        QCoreApplication.sendEvent(edit, event)
        return True

    def _go(self, *_: object) -> None:
        """Not from a message that the keyboard is on: who reads by keyboard goes on there."""
        if not self._page.view.on_message:
            self._composer.setFocus()


def _types(event: QKeyEvent) -> bool:
    """Whether it puts something into a field; Space is left out, with which people scroll and press."""
    letter = event.text().isprintable() and event.text().strip() and not event.modifiers() & _COMMANDS
    return bool(letter) or event.matches(QKeySequence.StandardKey.Paste)

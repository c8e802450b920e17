"""Questions before something that cannot be taken back. They never hold the program up."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QMessageBox

from llamachat.core.text import tr


def ask(box: QMessageBox, yes: str, agreed: Callable[[], None]) -> None:
    """Show the box with a button `yes` and one to leave; `agreed` is called on yes. Enter and Esc leave."""
    accept = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
    cancel = box.addButton(QMessageBox.StandardButton.Cancel)
    for button in (accept, cancel):
        button.setIcon(QIcon())  # the style's own is black in the dark
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)
    box.setIcon(QMessageBox.Icon.Question)
    accept.clicked.connect(agreed)
    box.open()


def ask_to_drop_changes(dialog: QDialog) -> None:
    """Ask before a dialog is closed in which something was changed."""
    box = QMessageBox(dialog)
    box.setWindowTitle(dialog.windowTitle())
    box.setText(tr("Throw your changes away?"))
    ask(box, tr("Throw away"), lambda: dialog.done(QDialog.DialogCode.Rejected))

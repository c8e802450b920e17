"""Saving a code block as a file that the reader chooses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QToolTip, QWidget

from llamachat.core.text import tr
from llamachat.render.code import file_suffix

ChooseFile = Callable[[QWidget, str], str]  # parent, suggested name -> path, "" for none


def ask_for_file(parent: QWidget, name: str) -> str:
    """Ask in a dialog."""
    return QFileDialog.getSaveFileName(parent, tr("Save the code as"), name)[0]


def save_code(code: str, language: str, *, view: QWidget, choose: ChooseFile) -> None:
    """Ask where to, write the code there, and say beside the pointer how that went."""
    path = choose(view, tr("code") + file_suffix(language))
    if not path:
        return
    try:
        Path(path).write_text(code + "\n", encoding="utf-8", newline="\n")
        said = tr("Saved as {path}").format(path=path)
    except (OSError, UnicodeError) as error:
        said = tr("{path} could not be written: {reason}").format(path=path, reason=error)
    QToolTip.showText(view.cursor().pos(), said, view)

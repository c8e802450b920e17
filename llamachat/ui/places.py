"""Asking for places on the disk: a file to write or to read, a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from llamachat.core.text import tr


class Places(Protocol):
    """Where to; None where the question is left without an answer."""

    def new_file(self, parent: QWidget, suggested: Path) -> Path | None:
        """A file to be written; one that is there may be replaced."""

    def folder(self, parent: QWidget, suggested: Path) -> Path | None:
        """A folder to write into."""

    def old_file(self, parent: QWidget, suggested: Path) -> Path | None:
        """A file to be read."""


class AskedPlaces:
    """Asks in dialogs of the system."""

    def new_file(self, parent: QWidget, suggested: Path) -> Path | None:
        """As the protocol says."""
        kinds = kinds_of(suggested.suffix)
        return _path(QFileDialog.getSaveFileName(parent, tr("Export to"), str(suggested), kinds)[0])

    def folder(self, parent: QWidget, suggested: Path) -> Path | None:
        """As the protocol says."""
        return _path(QFileDialog.getExistingDirectory(parent, tr("Export into"), str(suggested)))

    def old_file(self, parent: QWidget, suggested: Path) -> Path | None:
        """As the protocol says."""
        kinds = tr("Chats") + " (*.json *.jsonl *.zip);;" + tr("All files") + " (*)"
        return _path(QFileDialog.getOpenFileName(parent, tr("Import"), str(suggested), kinds)[0])


def kinds_of(ending: str) -> str:
    """What a dialog shows of a folder, as Qt writes it: the files of the kind that is written, or all."""
    name = {".pdf": "PDF", ".md": "Markdown", ".json": "JSON"}.get(ending)
    kinds = [f"{name} (*{ending})"] if name else []
    return ";;".join([*kinds, tr("All files") + " (*)"])


def usual_folder() -> Path:
    """Where people keep their documents, or at home."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return Path(documents) if documents and Path(documents).is_dir() else Path.home()


def _path(text: str) -> Path | None:
    return Path(text) if text else None

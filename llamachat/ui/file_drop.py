"""Files of chats that are dropped on the window. Whatever else is dropped goes where it would go without this."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

_ENDINGS = (".json", ".jsonl", ".zip")


class FileDrop(QObject):
    """Watches widgets that drags come to. A picture or a text is no import."""

    dropped = Signal(list)  # of Path

    def __init__(self, *widgets: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        for widget in widgets:
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take drags of chat files, and leave the others alone."""
        if not isinstance(event, QDropEvent):  # those that enter and move are of this kind as well
            return False
        paths = list(_chat_files(event.mimeData()))
        if not paths:
            return False
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if event.type() == QEvent.Type.Drop:
            self.dropped.emit(paths)
        return True


def _chat_files(data: QMimeData) -> Iterator[Path]:
    """Yield the files, by their names alone: nothing is read while a drag is over the window."""
    for url in data.urls() if data.hasUrls() else ():
        path = Path(url.toLocalFile())
        if url.isLocalFile() and path.suffix.lower() in _ENDINGS:
            yield path

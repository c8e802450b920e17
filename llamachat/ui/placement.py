"""Where the window was the last time, kept in the program's small state."""

from __future__ import annotations

import json

from PySide6.QtCore import QByteArray, QTimer
from PySide6.QtWidgets import QMainWindow, QSplitter

from llamachat.storage.conversations import get_state, set_state
from llamachat.storage.database import Database
from llamachat.ui.tasks import Lane

KEY = "window"
FIRST_SIZE = (1120, 780)
FIRST_SIDEBAR = 250
PATIENCE_MS = 300  # a store that takes longer to open does not hold the window back


class Placement:
    """Restores and saves size, place and splitter."""

    def __init__(self, window: QMainWindow, splitter: QSplitter, tasks: Lane[Database]) -> None:
        self._window, self._splitter, self._tasks = window, splitter, tasks
        window.resize(*FIRST_SIZE)
        splitter.setSizes([FIRST_SIDEBAR, FIRST_SIZE[0] - FIRST_SIDEBAR])

    def restore_and_show(self) -> None:
        """Show the window once the store has told where, or has not in good time."""
        self._tasks.read(lambda db: get_state(db, KEY), self._restore, lambda _: self._window.show())
        QTimer.singleShot(PATIENCE_MS, self._window, self._window.show)

    def save(self) -> None:
        """Write it down, if the window was ever shown."""
        if self._window.isVisible():
            geometry = bytes(self._window.saveGeometry().toBase64().data()).decode()
            text = json.dumps({"geometry": geometry, "splitter": self._splitter.sizes()})
            self._tasks.write(lambda db: set_state(db, KEY, text))

    def _restore(self, text: str | None) -> None:
        if not self._window.isVisible():
            geometry, sizes = _parse(text)
            self._window.restoreGeometry(QByteArray.fromBase64(geometry))
            if sizes:
                self._splitter.setSizes(sizes)
            self._window.show()


def _parse(text: str | None) -> tuple[bytes, list[int]]:
    try:
        kept = json.loads(text or "{}")
        sizes = [int(size) for size in kept.get("splitter", [])]
        return str(kept.get("geometry", "")).encode("ascii", "ignore"), sizes if len(sizes) == 2 else []
    except (ValueError, TypeError, AttributeError):
        return b"", []

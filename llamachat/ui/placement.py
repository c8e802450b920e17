"""Where the window was the last time and how large its text, kept in the program's small state."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from PySide6.QtCore import QByteArray, QTimer
from PySide6.QtWidgets import QMainWindow, QSplitter

from llamachat.storage.conversations import get_state, set_state
from llamachat.storage.database import Database
from llamachat.ui.tasks import Lane
from llamachat.ui.transcript.view import TranscriptView

KEY = "window"
FIRST_SIZE = (1120, 780)
FIRST_SIDEBAR = 250
PATIENCE_MS = 300  # a store that takes longer to open does not hold the window back


class Placement:
    """Restores and saves size, place, splitter and zoom."""

    def __init__(self, window: QMainWindow, splitter: QSplitter, view: TranscriptView, tasks: Lane[Database]) -> None:
        self._window, self._splitter, self._view, self._tasks = window, splitter, view, tasks
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
            kept = {"geometry": geometry, "splitter": self._splitter.sizes(), "zoom": self._view.zoom}
            text = json.dumps(kept)
            self._tasks.write(lambda db: set_state(db, KEY, text))

    def _restore(self, text: str | None) -> None:
        if not self._window.isVisible():
            kept = _parse(text)
            self._window.restoreGeometry(QByteArray.fromBase64(kept.geometry))
            if kept.splitter:
                self._splitter.setSizes(kept.splitter)
            self._view.set_zoom(kept.zoom)
            self._window.show()


@dataclass(frozen=True, slots=True)
class _Kept:
    geometry: bytes = b""
    splitter: list[int] = field(default_factory=list)
    zoom: int = 100


def _parse(text: str | None) -> _Kept:
    try:
        kept = json.loads(text or "{}")
        sizes = [int(size) for size in kept.get("splitter", [])]
        geometry = str(kept.get("geometry", "")).encode("ascii", "ignore")
        return _Kept(geometry, sizes if len(sizes) == 2 else [], int(kept.get("zoom", 100)))
    except (ValueError, TypeError, AttributeError):
        return _Kept()

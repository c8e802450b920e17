"""Has the history copied once a day, in a thread of its own, while the window is open; clears up killed imports."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import UserFacingError
from llamachat.storage.arriving import drop_unfinished_import
from llamachat.storage.daily_copy import make_daily_copy
from llamachat.storage.database import Database
from llamachat.ui.tasks import Lane

FIRST_MS = 15_000  # the start of the window comes first
NEXT_MS = 3_600_000  # a window may stay open for days


class DailyCopies(QObject):
    """Asks a lane for the copy; what goes wrong is told once, by the lane."""

    def __init__(self, open_database: Callable[[], Database], lane: Lane[CancelToken], parent: QObject) -> None:
        super().__init__(parent)
        self._open_database, self._lane = open_database, lane
        self._told = ""
        self._timer = QTimer(self)
        self._timer.setInterval(FIRST_MS)
        self._timer.timeout.connect(self.copy)
        self._timer.start()

    def copy(self) -> None:
        """Make the copy of today, unless there is one."""
        self._timer.setInterval(NEXT_MS)
        self._lane.read(self._copy, lambda _: None, key="copy")

    def _copy(self, cancel: CancelToken) -> None:
        """In the lane's thread, with a connection that is closed again: it must keep nobody from anything."""
        try:
            with self._open_database() as db:
                drop_unfinished_import(db)  # before it gets into the copy
                make_daily_copy(db, cancel=cancel)
            self._told = ""
        except UserFacingError as error:
            if error.sentence != self._told:
                self._told = error.sentence
                raise

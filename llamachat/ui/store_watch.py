"""Notices what other programs, such as the command line, do to the history while the window is in front."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from llamachat.core.errors import StorageError, UserFacingError
from llamachat.storage.database import Database
from llamachat.storage.open_files import HistoryGone
from llamachat.ui.tasks import Lane

LOOK_MS = 2000


class StoreWatch(QObject):
    """Asks the store, which costs no reading. What this program's own turns write is told as well.

    A file that was deleted or replaced is told once. One that cannot be opened is tried again with each look.
    """

    changed = Signal()
    failed = Signal(object)  # the UserFacingError

    def __init__(self, tasks: Lane[Database], parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._told = ""
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)

    def set_active(self, active: bool) -> None:
        """The window came to the front, or left it."""
        if active and not self._timer.isActive():
            self._timer.start()
            self.look()
        elif not active:
            self._timer.stop()

    def look(self) -> None:
        """Ask now."""
        self._tasks.read(self._ask, self._take, self._take_failure, key="elsewhere")

    def _ask(self, db: Database) -> bool:
        """In the lane's thread. A store that cannot be read is told of by whoever wants something from it."""
        try:
            changed = db.changed_elsewhere()
        except HistoryGone as gone:
            if gone.sentence == self._told:
                return False
            self._told = gone.sentence
            raise
        except StorageError:
            return False
        self._told = ""
        return changed

    def _take(self, changed: bool) -> None:
        if changed:
            self.changed.emit()

    def _take_failure(self, error: UserFacingError) -> None:
        """Whoever wants something from the store tells of the rest."""
        if isinstance(error, HistoryGone):
            self.failed.emit(error)

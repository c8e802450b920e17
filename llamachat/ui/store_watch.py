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

    A file that was deleted or replaced is told once, and so is one that cannot be opened.
    """

    changed = Signal()
    failed = Signal(object)  # the UserFacingError
    back = Signal()  # it can be read, which failed the last time; told together with `changed`

    def __init__(self, tasks: Lane[Database], parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._told = ""
        self._shut = False
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
        was_shut, self._shut = self._shut, False
        if was_shut:
            self.back.emit()
        if changed or was_shut:
            self.changed.emit()

    def _take_failure(self, error: UserFacingError) -> None:
        """It is gone, or could not be opened, which is tried again each time."""
        is_new, self._shut = isinstance(error, HistoryGone) or not self._shut, not isinstance(error, HistoryGone)
        if is_new:
            self.failed.emit(error)

"""What is typed and not sent, kept for each chat over a restart. Written soon, also while it is being typed.

Where that fails it is said once, and again only after it has worked in between: the next letter tries anew.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from llamachat.core.conversation import is_temporary
from llamachat.core.errors import UserFacingError
from llamachat.storage.conversations import keep_draft
from llamachat.storage.database import Database
from llamachat.ui.tasks import Tasks

SOON_MS = 500


class Drafts(QObject):
    """Holds back one text and writes it; None stands for the chat that is not made yet."""

    failed = Signal(object)  # UserFacingError

    def __init__(self, tasks: Tasks[Database], parent: QObject) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._waiting: tuple[int | None, str] | None = None
        self._failing = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.flush)

    def keep(self, conversation_id: int | None, text: str) -> None:
        """Write this soon; a text that waits for another chat is written first. That of a temporary chat is not."""
        if is_temporary(conversation_id):
            return
        if self._waiting and self._waiting[0] != conversation_id:
            self.flush()
        self._waiting = (conversation_id, text)
        if not self._timer.isActive():  # not begun anew by each letter: who types on and on loses no more either
            self._timer.start(SOON_MS)

    def forget(self) -> None:
        """Do not write what waits: it is written in another way, or its chat is gone."""
        self._timer.stop()
        self._waiting = None

    def flush(self) -> None:
        """Write what waits now."""
        self._timer.stop()
        if self._waiting:
            conversation_id, text = self._waiting
            self._waiting = None
            self._tasks.write(lambda db: keep_draft(db, conversation_id, text), self._stored, self._not_stored)

    def _stored(self, _: None) -> None:
        self._failing = False

    def _not_stored(self, error: UserFacingError) -> None:
        if not self._failing:
            self._failing = True
            self.failed.emit(error)

"""Loads more of the chat that is shown, above and below, when the reader comes near the end of what is there."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from llamachat.core.messages import StoredMessage
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.ui.opened_chat import OpenedChat, read_newer
from llamachat.ui.tasks import Tasks
from llamachat.ui.transcript.view import TranscriptView

NEXT_PAGE = 10


class Paging(QObject):
    """`oldest` is the id of the first message that is shown, `last` the last one as it was stored."""

    end_reached = Signal()  # the end of the chat has been loaded

    def __init__(
        self, view: TranscriptView, tasks: Tasks[Database], *, shown: Callable[[], int | None], parent: QObject
    ) -> None:
        """`shown` tells which chat is shown."""
        super().__init__(parent)
        self.oldest: int | None = None
        self.last: StoredMessage | None = None
        self._view, self._tasks, self._shown = view, tasks, shown
        self._reads_newer = False
        view.older_requested.connect(self._load_older)
        view.newer_requested.connect(self._load_newer)

    def take(self, opened: OpenedChat | None) -> None:
        """These messages are shown now; None for a chat that is not made yet."""
        self.oldest, self.last = (opened.oldest, opened.last) if opened else (None, None)
        self._reads_newer = False

    def outdate(self) -> None:
        """What is being read may be older than what has just been stored: read it again."""
        if self._reads_newer:
            self._load_newer()

    def _load_older(self) -> None:
        number, oldest = self._shown(), self.oldest
        if number is None or oldest is None:
            return

        def show(messages: list[StoredMessage]) -> None:
            if number == self._shown() and oldest == self.oldest:
                self.oldest = messages[0].id if messages else oldest
                self._view.prepend_messages(messages, has_older=OpenedChat(None, messages).has_older)

        self._tasks.read(lambda db: load_branch(db, number, limit=NEXT_PAGE, before_id=oldest), show, key="older")

    def _load_newer(self) -> None:
        number, last = self._shown(), self.last
        if number is None or last is None:
            return

        def show(opened: OpenedChat) -> None:
            if number == self._shown() and last is self.last:
                self.last, self._reads_newer = opened.last or last, False
                self._view.append_messages(opened.messages, has_newer=opened.has_newer)
                if not opened.has_newer:
                    self.end_reached.emit()

        self._reads_newer = True
        self._tasks.read(lambda db: read_newer(db, number, last.id, NEXT_PAGE), show, key="newer")

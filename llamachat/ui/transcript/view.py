"""The transcript: one read-only text document that shows a conversation and grows while an answer streams."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QTextBrowser, QWidget

from llamachat.core.clock import SystemClock
from llamachat.core.events import Event
from llamachat.core.messages import StoredMessage
from llamachat.core.seams import Clock
from llamachat.ui.theme import LIGHT, Theme


class TranscriptView(QTextBrowser):
    """Shows messages root to head.

    The owner loads: `set_messages` the last few, `prepend_messages` after `older_requested`. A turn is
    `begin_answer`, any number of `apply` with drained batches of events, `end_answer` with the stored row.
    """

    older_requested = Signal()  # the reader nears the top and there is more; answer with prepend_messages
    retry_requested = Signal(int)  # id of the answer to make anew
    continue_requested = Signal(int)  # id of the answer to go on with

    def __init__(
        self,
        theme: Theme = LIGHT,
        parent: QWidget | None = None,
        *,
        clock: Clock | None = None,
        open_url: Callable[[QUrl], bool] = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(parent)
        self.search_provider = ""  # named while a search runs, such as "SearXNG"
        self._theme = theme
        self._clock = clock or SystemClock()
        self._open_url = open_url

    def set_messages(self, messages: Sequence[StoredMessage], *, has_older: bool = False) -> None:
        """Show these (root to head) and scroll to the end; `has_older`: there are more above them."""

    def prepend_messages(self, messages: Sequence[StoredMessage], *, has_older: bool) -> None:
        """Put older messages above the first one; the text under the reader's eye stays where it is."""

    def show_empty(self, text: str) -> None:
        """Show no message but this plain text (paragraphs by blank lines)."""

    def begin_answer(self, user: StoredMessage | None, answer: StoredMessage) -> None:
        """Start a turn: show the user's message (unless shown already) and the place of the answer.

        An answer that is shown already goes on (Continue); one with the same parent is replaced (Retry).
        """

    def apply(self, events: Sequence[Event]) -> None:
        """Show a drained batch of events of the turn that began last; only the tail of the document changes."""

    def end_answer(self, answer: StoredMessage) -> None:
        """End the turn: show the row as it is stored, with what it cost, its error and its actions."""

    def jump_to(self, message_id: int) -> bool:
        """Scroll a message to the top; False when it is not loaded."""
        return False

    def set_theme(self, theme: Theme) -> None:
        """Show the same in other colours, keeping place, folds and selection."""
        self._theme = theme

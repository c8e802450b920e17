"""The middle of the window as widgets: title and model, transcript, composer. What they do is in `chat_control`."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from llamachat.core.messages import StoredMessage
from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.ui.composer import Composer
from llamachat.ui.consent import ConsentCard
from llamachat.ui.icons import IconButton
from llamachat.ui.labels import OVERHANG_PX, ElidedLabel
from llamachat.ui.model_picker import ModelPicker
from llamachat.ui.opener import Opener
from llamachat.ui.queue_list import QueueList
from llamachat.ui.theme import Theme
from llamachat.ui.transcript.look import Look
from llamachat.ui.transcript.view import TranscriptView
from llamachat.ui.undo_bar import UndoBar

_ROOM_FOR_MARKS_PX = 520
_WIDEST_MARKS_PX = 180
_CARD_EDGES_PX = 32  # what the cards of the transcript stand out of its column


class Header(QFrame):
    """Title of the chat and its model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.sidebar = IconButton("sidebar", tr("Show or hide the list of chats"))
        self.title = ElidedLabel()
        self.title.setObjectName("title")
        self.title.setAccessibleName(tr("Title"))
        self.marks = ElidedLabel()
        self.marks.setObjectName("lesser")
        self.marks.hide()
        self.source = IconButton("fork", tr("Show what this chat was forked from"))
        self.source.hide()
        self.keep = IconButton("check", tr("Save this temporary chat in the history"), text=tr("Save"))
        self.keep.set_name(self.keep.accessibleName(), tr("Save this temporary chat in the history (Ctrl+S)"))
        self.keep.hide()
        self.model = ModelPicker()
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 6, 10, 6)
        row.setSpacing(8)
        row.addWidget(self.sidebar)
        row.addWidget(self.source)
        row.addWidget(self.title, 1)
        row.addWidget(self.marks)
        row.addWidget(self.keep)
        row.addWidget(self.model)

    def show_marks(self, text: str, told: str) -> None:
        """Show a few words beside the title where there is room. told: what a screen reader says of them."""
        self.marks.show_text(text)
        self.marks.setAccessibleName(told)
        self._fit_marks()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The title needs the room more."""
        super().resizeEvent(event)
        self._fit_marks()

    def _fit_marks(self) -> None:
        self.marks.ensurePolished()
        self.marks.setFixedWidth(min(self.marks.sizeHint().width(), _WIDEST_MARKS_PX))
        self.marks.setVisible(bool(self.marks.text()) and self.width() >= _ROOM_FOR_MARKS_PX)


class ChatPage(QWidget):
    """Header, then the transcript or the start page, then the composer in the same column as the text."""

    def __init__(self, theme: Theme, clock: Clock, opener: Opener) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._reading_width = Look().width_px
        self.header = Header()
        self.view = TranscriptView(theme, clock=clock, open_url=opener.open)
        self.view.setAccessibleName(tr("Chat"))
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.view)
        self.consent = ConsentCard()
        self.queue, self.undo = QueueList(), UndoBar()
        self.composer = Composer()
        self._below = QVBoxLayout()
        self._below.addWidget(self.consent)
        self._below.addWidget(self.queue)
        self._below.addWidget(self.undo)
        self._below.addWidget(self.composer)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.pages, 1)
        column.addLayout(self._below)
        self._fit()

    @property
    def starting(self) -> bool:
        """True while another page stands in place of the chat."""
        return self.pages.currentWidget() is not self.view

    def show_again(self, messages: Sequence[StoredMessage], *, has_older: bool) -> None:
        """Show the messages of the same chat anew, at the same place, or at the end of a chat that grew there."""
        bar = self.view.verticalScrollBar()
        place, at_end, last = bar.value(), bar.value() == bar.maximum(), self.view.last_id
        self.view.set_messages(messages, has_older=has_older)
        if not at_end or last not in {message.id for message in messages}:
            bar.setValue(place)

    def show_start(self, page: QWidget) -> None:
        """Show a page in place of the transcript; there is nothing to write to."""
        self.pages.setCurrentWidget(page)
        self.composer.setEnabled(False)  # a field that is only hidden can be typed into
        self.composer.hide()
        self.queue.hide()
        self.undo.withdraw()

    def show_chat(self) -> None:
        """Show the transcript and the composer."""
        self.pages.setCurrentWidget(self.view)
        self.composer.setEnabled(True)
        self.composer.show()
        self.queue.setVisible(bool(self.queue.rows))

    def set_temporary(self, *, temporary: bool) -> None:
        """Look like a chat that is not saved, or like any other."""
        title = self.header.title
        title.setMinimumWidth(_width(title, tr("Temporary…")) if temporary else 0)
        self.header.keep.setVisible(temporary)
        for frame in (self.header, self.composer):
            frame.setProperty("temporary", temporary)
            frame.style().unpolish(frame)
            frame.style().polish(frame)

    def set_look(self, look: Look) -> None:
        """Take other widths and fonts."""
        self._reading_width = look.width_px
        self.view.set_look(look)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the composer as wide as the text."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        bar = self.view.verticalScrollBar().sizeHint().width()
        side = max(12, (self.width() - bar - self._reading_width - _CARD_EDGES_PX) // 2)
        self._below.setContentsMargins(side, 4, side + bar, 8)


def _width(label: ElidedLabel, text: str) -> int:
    """How wide the label has to be for a text; the style sheet that makes it bold may not be there yet."""
    font = label.font()
    font.setBold(True)
    return QFontMetrics(font).horizontalAdvance(text) + 2 * OVERHANG_PX

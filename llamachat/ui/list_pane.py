"""The list of chats with what stands above and below it: which list it is, and how many chats are selected."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from llamachat.core.text import tr, trn
from llamachat.ui.conversation_list import ConversationList
from llamachat.ui.conversation_model import Listing
from llamachat.ui.icons import IconButton
from llamachat.ui.labels import ElidedLabel
from llamachat.ui.list_menu import listing_name


class ListPane(QWidget):
    """Holds a ConversationList."""

    all_requested = Signal()

    def __init__(self, chats: ConversationList) -> None:
        super().__init__()
        self._chats = chats
        self.which = ElidedLabel()
        self.all_button = IconButton("close", tr("Show all chats again"))
        self.all_button.clicked.connect(self.all_requested)
        self._above = _bar(self.which, self.all_button)
        self.empty = ElidedLabel()
        self.empty.setObjectName("lesser")
        self.empty.setContentsMargins(16, 6, 16, 6)
        self.count = ElidedLabel()
        self.acts = QPushButton(tr("Actions…"))
        self.acts.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the selection stays while the list has the keyboard
        self.acts.clicked.connect(self._offer)
        self._below = _bar(self.count, self.acts)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._above)
        column.addWidget(self.empty)
        column.addWidget(chats, 1)
        column.addWidget(self._below)
        for part in (self._above, self.empty, self._below):
            part.hide()
        chats.selection_grown.connect(self._tell_count)

    def show_listing(self, listing: Listing) -> None:
        """Say which list it is."""
        name = listing_name(listing)
        self.which.show_text(name)
        self._above.setVisible(bool(name))

    def tell_empty(self, listing: Listing, *, empty: bool) -> None:
        """Say that there is nothing in a list that was chosen."""
        name = listing_name(listing)
        self.empty.show_text(tr("No chats here."))
        self.empty.setVisible(empty and bool(name))

    def _tell_count(self, count: int) -> None:
        self.count.show_text(trn("{count} chat selected", "{count} chats selected", count))
        self._below.setVisible(count > 1)

    def _offer(self) -> None:
        place = self.acts.mapToGlobal(self.acts.rect().bottomLeft())
        self._chats.show_menu(self._chats.selected_chats(), place)


def _bar(label: QWidget, button: QWidget) -> QFrame:
    bar = QFrame()
    bar.setObjectName("undo")
    row = QHBoxLayout(bar)
    row.setContentsMargins(12, 4, 6, 4)
    row.addWidget(label)
    row.addWidget(button)
    return bar

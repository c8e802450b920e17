"""The left side: New chat, the search over the whole history, the list of chats, and Undo after a deletion.

What concerns the chat that is open it only announces.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from llamachat.core.conversation import Conversation
from llamachat.core.seams import Clock
from llamachat.core.tag import Tag
from llamachat.core.text import tr
from llamachat.storage.database import Database
from llamachat.ui.chat_acts import ChatAct
from llamachat.ui.conversation_list import ConversationList
from llamachat.ui.conversation_model import Listing
from llamachat.ui.icons import IconButton
from llamachat.ui.list_control import ListControl
from llamachat.ui.list_menu import fill_list_menu
from llamachat.ui.list_pane import ListPane
from llamachat.ui.passing_menu import PassingMenu
from llamachat.ui.search_pane import SearchPane
from llamachat.ui.tag_control import TagControl
from llamachat.ui.tasks import Lane
from llamachat.ui.undo_bar import UndoBar


class Sidebar(QWidget):
    """Chats to choose from."""

    new_requested = Signal()
    opened = Signal(int)
    hit_chosen = Signal(object)  # SearchHit
    renamed = Signal(int, str)
    deleted = Signal(int)  # about to be
    listed = Signal(int)  # how many chats the first page has
    failed = Signal(object)  # UserFacingError: what was to be changed is as it was
    export_requested = Signal(object)  # tuple of the ids of chats

    def __init__(self, tasks: Lane[Database], clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.new_button = IconButton("plus", tr("New chat"), text=tr("New chat"))
        self.list_button = IconButton("filter", tr("Which chats are listed, and in which order"))
        self.menu_button = IconButton("menu", tr("Menu"))
        self.field = QLineEdit()
        self.field.setAccessibleName(tr("Search all chats"))
        self.field.setPlaceholderText(tr("Search all chats"))
        self.field.setClearButtonEnabled(True)
        self.chats = ConversationList(clock)
        self.pane = ListPane(self.chats)
        self.search = SearchPane(self.field, tasks, clock)
        self.hits = self.search.hits
        self._pages = QStackedWidget()
        self._pages.addWidget(self.pane)
        self._pages.addWidget(self.search)
        self.undo = UndoBar()
        self.control = ListControl(self.chats, self.undo, tasks=tasks, parent=self)
        self.tags = TagControl(self.control, tasks, self)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self.new_button)
        buttons.addStretch(1)
        buttons.addWidget(self.list_button)
        buttons.addWidget(self.menu_button)
        top = QVBoxLayout()
        top.setContentsMargins(8, 6, 8, 4)
        top.setSpacing(8)
        top.addLayout(buttons)
        top.addWidget(self.field)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 1, 0)  # the line at the right
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._pages, 1)
        column.addWidget(self.undo)

    def _connect(self) -> None:
        self.new_button.clicked.connect(self.new_requested)
        self.list_button.clicked.connect(self.choose_list)
        self.chats.opened.connect(self.opened)
        self.chats.act_requested.connect(self.act)
        self.hits.chosen.connect(self.hit_chosen)
        self.search.shown.connect(lambda: self._pages.setCurrentWidget(self.search))
        self.search.left.connect(lambda: self._pages.setCurrentWidget(self.pane))
        self.pane.all_requested.connect(lambda: self.control.show_listing(Listing(self.control.listing.order)))
        control = self.control
        control.renamed.connect(self.renamed)
        control.deleted.connect(self.deleted)
        control.listed.connect(self.listed)
        control.failed.connect(self.failed)
        control.changed.connect(self.pane.show_listing)
        control.filled.connect(lambda empty: self.pane.tell_empty(control.listing, empty=empty))
        control.acted.connect(self.search.again)
        self.tags.failed.connect(self.failed)

    def load(self) -> None:
        """Read the list."""
        self.control.start()

    def reload(self) -> None:
        """Another program has written: read the beginning of the list again."""
        self.control.reload()

    def put(self, conversation: Conversation) -> None:
        """Show a chat that is new or has changed."""
        self.control.put(conversation)

    def rename(self, conversation_id: int, title: str) -> None:
        """Store a new title and show it everywhere."""
        self.control.rename(conversation_id, title)

    def delete(self, conversation_id: int) -> None:
        """Delete a chat and offer to undo it."""
        self.control.delete(conversation_id)

    def act(self, act: ChatAct, ids: tuple[int, ...]) -> None:
        """Do something with chats."""
        if act is ChatAct.TAG:
            self.tags.ask(ids)
        elif act is ChatAct.EXPORT:
            self.export_requested.emit(ids)
        else:
            self.control.do(act, ids)

    def choose_list(self) -> None:
        """Offer which chats are listed, and in which order."""
        self.tags.read(self._show_list_menu)

    def _show_list_menu(self, tags: list[Tag]) -> None:
        menu = PassingMenu(self.list_button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        control = self.control
        fill_list_menu(menu, control.listing, tags, choose=control.show_listing, manage=self.tags.manage)
        menu.popup(self.list_button.mapToGlobal(self.list_button.rect().bottomLeft()))

    def start_search(self) -> None:
        """Go to the search field."""
        self.search.start()

    def in_search(self) -> bool:
        """True while results are shown or the search field has the keyboard."""
        return bool(self.field.text()) or self.field.hasFocus()

    def end_search(self) -> None:
        """Back to the list."""
        self.search.end()

    def rename_current(self, shown: int | None) -> None:
        """Rename the chat that the keyboard is on in the list, else the one that is shown."""
        if self.chats.hasFocus():
            self.chats.edit(self.chats.currentIndex())
        elif shown is not None:
            self.end_search()
            self.chats.edit_title(shown)

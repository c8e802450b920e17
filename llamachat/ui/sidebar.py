"""The left side: New chat, the search over the whole history, the list of chats, and Undo after a deletion.

It reads and writes the store through the lane; what concerns the chat that is open it only announces.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from llamachat.core.conversation import Conversation, SearchHit
from llamachat.core.errors import UserFacingError
from llamachat.core.seams import Clock
from llamachat.core.text import clean, tr
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.ui.chat_acts import ChatAct
from llamachat.ui.conversation_list import ConversationList
from llamachat.ui.history_search import HitList
from llamachat.ui.icons import IconButton
from llamachat.ui.labels import WrapLabel
from llamachat.ui.list_control import ListControl
from llamachat.ui.tasks import Lane
from llamachat.ui.undo_bar import UndoBar

HITS = 50
TYPING_PAUSE_MS = 120
RETRY_MS = 1500


class Sidebar(QWidget):
    """Chats to choose from."""

    new_requested = Signal()
    opened = Signal(int)
    hit_chosen = Signal(object)  # SearchHit
    renamed = Signal(int, str)
    deleted = Signal(int)  # about to be
    listed = Signal(int)  # how many chats the first page has
    failed = Signal(object)  # UserFacingError: what was to be changed is as it was

    def __init__(self, tasks: Lane[Database], clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._entered = False  # the best hit is to be opened once there are hits
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.new_button = IconButton("plus", tr("New chat"), text=tr("New chat"))
        self.menu_button = IconButton("menu", tr("Menu"))
        self.field = QLineEdit()
        self.field.setAccessibleName(tr("Search all chats"))
        self.field.setPlaceholderText(tr("Search all chats"))
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        self.chats = ConversationList(clock)
        self.hits = HitList()
        self.nothing = WrapLabel()
        self.nothing.setObjectName("lesser")
        self.nothing.setContentsMargins(16, 8, 16, 8)
        self._pages = QStackedWidget()
        for page in (self.chats, self.hits, self.nothing):
            self._pages.addWidget(page)
        self.undo = UndoBar()
        self.control = ListControl(self.chats, self.undo, tasks=tasks, parent=self)
        self._lay_out()
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.timeout.connect(self._search)
        self._connect()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self.new_button)
        buttons.addStretch(1)
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
        self.field.textChanged.connect(self._typed)
        self.field.returnPressed.connect(self._enter)
        self.chats.opened.connect(self.opened)
        self.chats.act_requested.connect(self._act)
        for mine, signal in (
            (self.renamed, self.control.renamed),
            (self.deleted, self.control.deleted),
            (self.listed, self.control.listed),
            (self.failed, self.control.failed),
        ):
            signal.connect(mine)
        self.hits.chosen.connect(self.hit_chosen)
        self.hits.left.connect(self.field.setFocus)
        self.hits.rows.more_wanted.connect(self._search_more)

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

    def start_search(self) -> None:
        """Go to the search field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def in_search(self) -> bool:
        """True while results are shown or the search field has the keyboard."""
        return bool(self.field.text()) or self.field.hasFocus()

    def end_search(self) -> None:
        """Back to the list."""
        self.field.clear()

    def rename_current(self, shown: int | None) -> None:
        """Rename the chat that the keyboard is on in the list, else the one that is shown."""
        if self.chats.hasFocus():
            self.chats.edit(self.chats.currentIndex())
        elif shown is not None:
            self.end_search()
            self.chats.edit_title(shown)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """From the search field, Down goes into the results. Who leaves it has nothing opened any more."""
        if watched is self.field and isinstance(event, QFocusEvent):
            left = event.lostFocus() and event.reason() is not Qt.FocusReason.ActiveWindowFocusReason
            self._entered = self._entered and not left
        elif watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            page = self._pages.currentWidget()
            if event.key() == Qt.Key.Key_Down and isinstance(page, HitList):
                page.setFocus(Qt.FocusReason.OtherFocusReason)
                page.setCurrentIndex(page.rows.index(0))
                return True
        return super().eventFilter(watched, event)

    def _act(self, act: ChatAct, ids: tuple[int, ...]) -> None:
        self.control.do(act, ids)

    def _typed(self, text: str) -> None:
        self._entered = False
        self._typing.start(TYPING_PAUSE_MS if text else 0)

    def _enter(self) -> None:
        self._typing.stop()
        self._entered = True
        self._search()

    def _search(self) -> None:
        text = clean(self.field.text()).strip()
        if not text:
            self._tasks.forget("search")
            self._pages.setCurrentWidget(self.chats)
            return

        def show(hits: list[SearchHit]) -> None:
            self.hits.rows.set_hits(hits, has_more=len(hits) == HITS)
            self.nothing.setText(tr("Nothing found."))
            self._pages.setCurrentWidget(self.hits if hits else self.nothing)
            if self._entered:
                self._entered = False
                self.hits.choose_first()

        self._tasks.read(lambda db: search_history(db, text, limit=HITS), show, self._tell, key="search")

    def _tell(self, error: UserFacingError) -> None:
        """The index may be under repair: say so where the hits would be, and search again soon."""
        self.nothing.setText(str(error))
        self._pages.setCurrentWidget(self.nothing)
        self._typing.start(RETRY_MS)

    def _search_more(self) -> None:
        text, offset = clean(self.field.text()).strip(), self.hits.rows.found
        self._tasks.read(
            lambda db: search_history(db, text, limit=HITS, offset=offset),
            lambda hits: self.hits.rows.add_hits(hits, has_more=len(hits) == HITS),
            key="search",
        )

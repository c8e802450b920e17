"""The window: puts the parts side by side and connects them. What the parts do is in their own files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMenu, QSplitter, QToolButton, QVBoxLayout, QWidget

from llamachat.app import App
from llamachat.core.conversation import SearchHit
from llamachat.core.errors import UserFacingError
from llamachat.core.seams import Clock
from llamachat.ui.actions import ShortcutOverview, add_actions
from llamachat.ui.appearance import Appearance
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.lanes import Lanes
from llamachat.ui.notices import Notices
from llamachat.ui.placement import Placement
from llamachat.ui.server_watch import ServerWatch
from llamachat.ui.settings_control import SettingsControl
from llamachat.ui.sidebar import Sidebar
from llamachat.ui.start_page import StartPage
from llamachat.ui.status_line import StatusLine
from llamachat.ui.theme import Theme
from llamachat.ui.turns import Turns

END_TURNS_S = 1.2


class MainWindow(QMainWindow):
    """Everything a person sees. `close` stops what runs and waits for it."""

    closed = Signal()

    def __init__(self, app: App, *, appearance: Appearance, clock: Clock) -> None:
        super().__init__()
        appearance.setParent(self)
        self.app = app
        self.ended_cleanly = True
        self.notices = Notices()
        self.lanes = Lanes(app, self)
        self.turns = Turns(app, clock, self)
        self.sidebar = Sidebar(self.lanes.store, clock)
        self.page = ChatPage(appearance.theme, clock)
        provider = self.page.view.search_provider = app.web_search().provider
        self.chat = ChatControl(app, self.page, tasks=self.lanes.store, turns=self.turns, parent=self)
        self.server = ServerWatch(app, self.lanes.network, self)
        self.start_page = StartPage(app, tasks=self.lanes.store, network=self.lanes.network, engine=self.lanes.engine)
        self.page.pages.addWidget(self.start_page)
        self.settings = SettingsControl(
            app,
            tasks=self.lanes.store,
            notices=self.notices,
            search=self.page.composer.search,
            appearance=appearance,
            parent=self,
        )
        self.status = StatusLine(provider, control=self.chat.turns, turns=self.turns, server=self.server, clock=clock)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self._placement = Placement(self, self.splitter, self.lanes.store)
        self._no_chats = False
        self._start_page_waits = False  # it is shown because no server answers, and goes when one does
        self._helped = False  # it was shown by itself, which happens once
        self._lay_out()
        self._connect()
        appearance.theme_changed.connect(self._set_theme)
        self._add_actions()
        self._set_theme(appearance.theme)

    def _lay_out(self) -> None:
        right = QWidget()
        right.setObjectName("chat")
        right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.notices)
        column.addWidget(self.page, 1)
        line = QHBoxLayout()
        line.setContentsMargins(16, 0, 16, 7)
        line.addWidget(self.status)
        column.addLayout(line)
        self.splitter.addWidget(self.sidebar)
        self.splitter.addWidget(right)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        self.sidebar.setMinimumWidth(180)
        right.setMinimumWidth(320)
        self.setCentralWidget(self.splitter)
        self.setWindowTitle("llamachat")

    def _connect(self) -> None:
        side, chat = self.sidebar, self.chat
        self.lanes.failed.connect(self.tell)
        self.lanes.told.connect(lambda text: self.notices.keep(text, text))
        side.new_requested.connect(self._new_chat)
        side.opened.connect(self._open)
        side.hit_chosen.connect(self._open_hit)
        side.renamed.connect(chat.retitle)
        side.deleted.connect(self._forget)
        side.listed.connect(self._count_chats)
        side.failed.connect(self.tell)
        chat.shown.connect(self._chat_shown)
        chat.changed.connect(side.put)
        chat.failed.connect(self.tell)
        self.turns.changed.connect(lambda: side.chats.rows.set_live(self.turns.conversations()))
        self.server.answered.connect(self.page.header.model.set_models)
        self.server.answered.connect(lambda _: self._server_answered())
        self.server.failed.connect(self._server_failed)
        self.chat.turns.begun.connect(lambda *_: self.notices.drop("failure"))
        self.chat.turns.ended.connect(lambda _: self.server.refresh())
        self.page.header.model.opened.connect(self.server.refresh)
        self.page.header.sidebar.clicked.connect(self._toggle_sidebar)
        self.start_page.connected.connect(self._connected)
        self.settings.changed.connect(self._settings_changed)

    def _add_actions(self) -> None:
        self.actions_by_id = add_actions(
            self,
            {
                "new": self._new_chat,
                "search": self._search,
                "compose": self._compose,
                "stop": self._escape,
                "rename": self._rename,
                "delete": self._delete,
                "sidebar": self._toggle_sidebar,
                "connect": self.show_start_page,
                "settings": self.settings.open_file,
                "shortcuts": lambda: ShortcutOverview(self).show(),
                "quit": self.close,
            },
        )
        menu = QMenu(self.sidebar.menu_button)
        for action in self.actions_by_id.values():
            menu.addAction(action)
        self.sidebar.menu_button.setMenu(menu)
        self.sidebar.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    # Beginning and ending

    def begin(self) -> None:
        """Show the window where it was the last time, and start reading."""
        self._placement.restore_and_show()
        self.sidebar.load()
        self.chat.start()
        self.server.refresh()
        self.page.composer.setFocus()

    def begin_demo(self, model: Path | None, *, agreed: bool) -> None:
        """Show the page with the built-in engine; start it at once where that was agreed to."""
        self.show_start_page()
        panel = self.start_page.engine
        if model is not None:
            panel.use_model(model)
        if agreed or not panel.needs_download:
            panel.start()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the turns, save what is typed, end every thread."""
        self._placement.save()
        self.hide()
        self.chat.close()
        self.start_page.engine.stop()
        turns_ended = self.turns.close(END_TURNS_S)
        self.ended_cleanly = self.lanes.close() and turns_ended
        self.app.close()
        event.accept()
        self.closed.emit()

    # What concerns more than one part

    def tell(self, error: UserFacingError) -> None:
        """Say what went wrong, above the chat."""
        self.notices.keep("failure", str(error), tone="error")

    def show_start_page(self) -> None:
        """The page for connecting to a server."""
        self._start_page_waits = False
        self.start_page.offer_address()
        self.page.show_start(self.start_page)
        self.start_page.address.setFocus()
        self.start_page.address.selectAll()

    def raise_up(self) -> None:
        """Bring the window before the eyes of the person who started the program again."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def changeEvent(self, event: QEvent) -> None:
        """Back in front after the server was away: look again at once."""
        if (
            event.type() == QEvent.Type.ActivationChange
            and self.isActiveWindow()
            and not self.server.status.reachable
        ):
            self.server.refresh()
        super().changeEvent(event)

    def _new_chat(self) -> None:
        self._leave_start_page()
        self.chat.new_chat()

    def _compose(self) -> None:
        self._leave_start_page()
        self.page.composer.setFocus()

    def _open(self, conversation_id: int) -> None:
        self.chat.open(conversation_id)
        self._compose()

    def _open_hit(self, hit: SearchHit) -> None:
        self._leave_start_page()
        self.chat.open(hit.conversation_id, message_id=hit.message_id)

    def _forget(self, conversation_id: int) -> None:
        if turn := self.turns.of(conversation_id):
            turn.stop()
        self.chat.forget(conversation_id)

    def _chat_shown(self, conversation_id: int | None) -> None:
        self._no_chats = self._no_chats and conversation_id is None  # one that was just begun counts
        self.sidebar.chats.show_current(conversation_id)
        self.status.chat_changed()
        self.setWindowTitle(f"{self.page.header.title.text()} - llamachat")

    def _search(self) -> None:
        self.sidebar.show()
        self.sidebar.start_search()

    def _escape(self) -> None:
        if self.sidebar.in_search():
            self.sidebar.end_search()
            self.page.composer.setFocus()
        elif not self.chat.turns.stop():
            self.page.composer.setFocus()

    def _rename(self) -> None:
        self.sidebar.show()
        self.sidebar.rename_current(self.chat.conversation_id)

    def _delete(self) -> None:
        if (number := self.chat.conversation_id) is not None:
            self.sidebar.delete(number)

    def _toggle_sidebar(self) -> None:
        self.sidebar.setVisible(not self.sidebar.isVisible())

    # The model server

    def _count_chats(self, count: int) -> None:
        self._no_chats = count == 0
        self._help_to_start()

    def _server_failed(self, error: UserFacingError) -> None:
        self.status.refresh()
        self.start_page.explain(error)
        self._help_to_start()

    def _help_to_start(self) -> None:
        """The first start without a server: what to do stands in place of an empty chat."""
        if self.server.away and self._no_chats and not self._helped and not self.page.starting:
            self.show_start_page()
            self._start_page_waits = self._helped = True

    def _server_answered(self) -> None:
        self.status.refresh()
        if self._start_page_waits:
            self._leave_start_page()

    def _connected(self) -> None:
        self._settings_changed()
        self._compose()

    def _leave_start_page(self) -> None:
        self._start_page_waits = False
        self.page.show_chat()

    def _settings_changed(self) -> None:
        self.chat.settings_changed()
        self.server.refresh()

    def _set_theme(self, theme: Theme) -> None:
        self.page.view.set_theme(theme)
        self.chat.settings_changed()  # an empty chat says its text again
        self.sidebar.hits.painter.match_colour = QColor(theme.match)

"""The window: puts the parts side by side and connects them. What the parts do is in their own files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor
from PySide6.QtWidgets import QMainWindow, QSplitter, QToolButton

from llamachat.app import App
from llamachat.core.errors import UserFacingError
from llamachat.core.seams import Clock
from llamachat.engines.formulas import can_draw_formulas
from llamachat.ui.actions import add_actions, enable_actions
from llamachat.ui.appearance import Appearance, look_of
from llamachat.ui.around_turns import AroundTurns
from llamachat.ui.broken_off_control import BrokenOffControl
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.consent import ConsentDesk
from llamachat.ui.ending_control import EndingControl
from llamachat.ui.first_paint import FirstPaint, WarmUp
from llamachat.ui.lanes import Lanes
from llamachat.ui.navigation import Navigation
from llamachat.ui.notices import Notices
from llamachat.ui.opener import Opener
from llamachat.ui.passing_menu import PassingMenu
from llamachat.ui.placement import Placement
from llamachat.ui.server_watch import ServerWatch
from llamachat.ui.settings_control import SettingsControl
from llamachat.ui.shape_control import ShapeControl
from llamachat.ui.shortcut_overview import ShortcutOverview
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.sidebar import Sidebar
from llamachat.ui.start_control import Demo, StartControl
from llamachat.ui.start_page import StartPage
from llamachat.ui.status_line import StatusLine
from llamachat.ui.store_watch import StoreWatch
from llamachat.ui.taking_along import TakingAlong
from llamachat.ui.taking_up import TakingUp
from llamachat.ui.temporary_control import TemporaryControl
from llamachat.ui.theme import Theme
from llamachat.ui.to_the_field import ToTheField
from llamachat.ui.turns import Turns
from llamachat.ui.unsaved_control import UnsavedControl
from llamachat.ui.view_actions import view_handlers
from llamachat.ui.window_layout import lay_out
from llamachat.ui.window_menu import fill_window_menu

END_TURNS_S = 1.2


class Control(Protocol):
    """A part of the window that does some of its actions."""

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""


class MainWindow(QMainWindow):
    """Everything a person sees. `close` stops what runs and waits for it."""

    closed = Signal()

    def __init__(self, app: App, *, appearance: Appearance, clock: Clock) -> None:
        super().__init__()
        appearance.setParent(self)
        self.app = app
        self.ended_cleanly, self._must_end = True, False
        self.notices = Notices()
        self.opener = Opener(self.notices)
        self.lanes = Lanes(app, self)
        self.turns = Turns(app, clock, self)
        self.sidebar = Sidebar(self.lanes.store, clock)
        self.page = ChatPage(appearance.theme, clock, self.opener)
        if can_draw_formulas():
            self.page.view.formulas.set_source(self.lanes.formulas)
        provider = self.page.view.search_provider = lambda: app.search.provider().name
        app.search.consent = ConsentDesk(self.page.consent, self)
        self.store = ShownStore(self.lanes.store)
        self.chat = ChatControl(app, self.page, tasks=self.store, turns=self.turns, parent=self)
        self.server = ServerWatch(app, self.lanes.network, self)
        self.start_page = StartPage(app, tasks=self.lanes.store, network=self.lanes.network, engine=self.lanes.engine)
        self.page.pages.addWidget(self.start_page)
        self.start = StartControl(self.page, self.start_page, self.server, self)
        self.navigation = Navigation(
            self.sidebar, self.chat, self.page, start=self.start, turns=self.turns, parent=self
        )
        self._make_controls(app, clock)
        self.settings = SettingsControl(
            app,
            lanes=self.lanes,
            notices=self.notices,
            opener=self.opener,
            search=self.page.composer.search,
            appearance=appearance,
            window=self,
        )
        self.status = StatusLine(provider, control=self.chat.turns, turns=self.turns, server=self.server, clock=clock)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self._placement = Placement(self, self.splitter, self.page.view, self.lanes.store)
        self._first_paint = FirstPaint(self)
        self._first_paint.done.connect(WarmUp(self).start)
        lay_out(self, self.splitter, left=self.sidebar, notices=self.notices, page=self.page, status=self.status)
        self._connect()
        ToTheField(self, self.page)
        appearance.theme_changed.connect(self._set_theme)
        self._add_actions()
        self._set_theme(appearance.theme)
        self.page.set_look(look_of(app.config))

    def _make_controls(self, app: App, clock: Clock) -> None:
        """The parts that do something with chats, beside navigation and turns."""
        self.around = AroundTurns(
            app,
            self.chat,
            self.page,
            turns=self.turns,
            store=self.store,
            lanes=self.lanes,
            server=self.server,
            parent=self,
        )
        self.temporary = TemporaryControl(
            app,
            self.chat,
            self.page,
            start=self.start,
            store=self.store,
            turns=self.turns,
            notices=self.notices,
            clock=clock,
            parent=self,
        )
        self.endings = EndingControl(
            app, self.chat, self.page, store=self.store, lane=self.lanes.summary, temporary=self.temporary
        )
        self.broken_off = BrokenOffControl(self.chat, self.navigation, tasks=self.lanes.store, notices=self.notices)
        self.taking_along = TakingAlong(self)
        self.elsewhere = StoreWatch(self.lanes.store, self)
        self.unsaved = UnsavedControl(app.unsaved, tasks=self.lanes.store, notices=self.notices, parent=self)
        self.shape = ShapeControl(
            app,
            self.chat,
            self.page,
            store=self.store,
            lanes=self.lanes,
            sidebar=self.sidebar,
            navigation=self.navigation,
            turns=self.turns,
            notices=self.notices,
            parent=self,
        )
        self._controls: tuple[Control, ...] = (
            *(self.navigation, self.shape, self.around, self.temporary, self.endings, self.taking_along),
        )

    def _connect(self) -> None:
        side, chat = self.sidebar, self.chat
        self.lanes.failed.connect(self.tell)
        self.lanes.told.connect(lambda text: self.notices.keep(text, text))
        side.renamed.connect(chat.retitle)
        side.listed.connect(self.start.count_chats)
        side.failed.connect(self.tell)
        chat.shown.connect(self._chat_shown)
        chat.retitled.connect(self._entitle)
        chat.changed.connect(side.put)
        chat.failed.connect(self.tell)
        self.around.failed.connect(self.tell)
        self.around.named.connect(side.chats.rows.retitle)
        self.around.named.connect(chat.retitle)
        side.deleted.connect(self.around.queue.forget)
        self.turns.changed.connect(lambda: side.chats.rows.set_live(self.turns.conversations(), self.turns.behind()))
        self.turns.changed.connect(lambda: self.unsaved.watch(live=bool(self.turns.conversations())))
        self.server.answered.connect(self.page.header.model.set_models)
        self.server.failed.connect(lambda _: self.page.header.model.set_away(away=self.server.away))
        self.elsewhere.failed.connect(self.tell)
        self.lanes.store_back.connect(lambda: self.notices.drop("failure"))
        self.lanes.store_back.connect(self.elsewhere.changed)
        self.elsewhere.changed.connect(side.reload)
        self.elsewhere.changed.connect(chat.read_again)
        self.elsewhere.changed.connect(self.around.look)
        self.elsewhere.changed.connect(self.shape.look)
        self.chat.turns.begun.connect(lambda *_: self.notices.drop("failure"))
        self.chat.turns.ended.connect(lambda _: self.server.refresh())
        self.page.header.model.opened.connect(self.server.refresh)
        self.start.connected.connect(self._settings_changed)
        self.status.put_behind.connect(self.page.view.set_waits_behind)
        self.settings.changed.connect(self._settings_changed)
        self.page.composer.prompt.settings_requested.connect(self.settings.open_file)

    def _add_actions(self) -> None:
        handlers = dict(self._handlers())
        for control in self._controls:
            handlers |= control.handlers()
        self.actions_by_id = add_actions(self, handlers)
        menu = PassingMenu(self.sidebar.menu_button)
        fill_window_menu(menu, self.actions_by_id)
        self.sidebar.menu_button.setMenu(menu)
        self.sidebar.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def _handlers(self) -> Mapping[str, Callable[[], object]]:
        return {
            **view_handlers(self.page.view),
            "connect": self.start.show,
            "settings": self.settings.open_file,
            "search-settings": self.settings.open_search,
            "shortcuts": lambda: ShortcutOverview(self).show(),
            "quit": self.close,
        }

    # Beginning and ending

    def begin(self, demo: Demo | None = None) -> None:
        """Show the window where it was the last time, and start reading."""
        self._placement.restore_and_show()
        self.elsewhere.look()  # what is written after this is noticed, even if the window is not in front for long
        self.sidebar.load()
        self.chat.start()
        TakingUp(self.app, self.chat.turns, self.lanes).look(then=self.broken_off.look)
        self.page.composer.setFocus()
        if demo:
            self.start.demonstrate(demo)
        else:
            self._first_paint.done.connect(self.server.refresh)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the turns, save what is typed, end every thread. Asks first where something would be lost."""
        if not (self._must_end or self._may_close()):
            event.ignore()
            return
        self._placement.save()
        self.hide()
        self.chat.close()
        self.start_page.engine.stop()
        turns_ended = self.turns.close(END_TURNS_S)
        self.unsaved.try_again()
        self.temporary.close()
        self.ended_cleanly = self.lanes.close() and turns_ended
        self.app.close()
        event.accept()
        self.closed.emit()

    def _may_close(self) -> bool:
        if self.temporary.holds(self.close):
            return False
        if self.unsaved.may_close():
            return True
        self.temporary.ask_again()
        return False

    def end(self) -> None:
        """Close the window without a question: the system asks for it."""
        self._must_end = True
        self.close()

    # What concerns more than one part

    def tell(self, error: UserFacingError) -> None:
        """Say what went wrong, above the chat."""
        self.notices.keep("failure", str(error), tone="error")

    def raise_up(self) -> None:
        """Bring the window before the eyes of the person who started the program again."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def changeEvent(self, event: QEvent) -> None:
        """Back in front: look at once for a server that was away, and for what other programs have written."""
        if event.type() == QEvent.Type.ActivationChange:
            self.elsewhere.set_active(self.isActiveWindow())
            if self.isActiveWindow() and self.server.failure:
                self.server.refresh()
        super().changeEvent(event)

    def _chat_shown(self, conversation_id: int | None) -> None:
        if conversation_id is not None:
            self.start.chat_made()
        self.sidebar.chats.show_current(conversation_id)
        enable_actions(self.actions_by_id, conversation_id)
        self.status.chat_changed()
        self._entitle()

    def _entitle(self) -> None:
        self.setWindowTitle(f"{self.page.header.title.text()} - llamachat")

    def _settings_changed(self) -> None:
        self.page.set_look(look_of(self.app.config))
        self.chat.settings_changed()
        self.server.refresh()

    def _set_theme(self, theme: Theme) -> None:
        self.page.view.set_theme(theme)
        self.chat.settings_changed()  # an empty chat says its text again
        self.sidebar.hits.painter.match_colour = QColor(theme.match)

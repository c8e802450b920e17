"""When the page for connecting to a server is shown, what it says there, and when it goes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from llamachat.core.text import tr
from llamachat.ui.chat_page import ChatPage
from llamachat.ui.server_watch import ServerWatch
from llamachat.ui.start_page import StartPage


@dataclass(frozen=True, slots=True)
class Demo:
    """Begin with the built-in engine: with `model`, or the small one; `agreed`: to its download."""

    model: Path | None = None
    agreed: bool = False


class StartControl(QObject):
    """Shows the page by itself once: at the first start, when no server answers. It then goes when one does."""

    connected = Signal()  # by what was done on the page

    def __init__(self, page: ChatPage, start_page: StartPage, server: ServerWatch, parent: QObject) -> None:
        super().__init__(parent)
        self._page, self._start, self._server = page, start_page, server
        self._no_chats = False
        self._waits = False  # the page is shown because no server answers
        self._helped = False  # it was shown by itself, which happens once
        server.answered.connect(lambda _: self._server_answered())
        server.failed.connect(lambda _: self._server_failed())
        start_page.left.connect(self.go_back)
        start_page.connected.connect(self._connect)

    def show(self) -> None:
        """Show the page because someone wants to see it."""
        self._waits = False
        self._open()

    def demonstrate(self, demo: Demo) -> None:
        """Show the built-in engine, and ask no server; start it at once where that was agreed to."""
        self._server.held = True
        self.show()
        panel = self._start.engine
        if demo.model is not None:
            panel.use_model(demo.model)
        if demo.agreed or not panel.needs_download:
            panel.start()
        else:
            panel.button.setFocus()

    def leave(self) -> None:
        """Show the chat; what is typed next goes into its field."""
        self._waits = False
        if self._server.held:
            self._server.held = False
            self._server.refresh()
        if self._page.starting:
            focus = QApplication.focusWidget()
            free = focus is None or focus is self._start or self._start.isAncestorOf(focus)
            self._page.show_chat()
            if free:
                self._page.composer.setFocus()

    def go_back(self) -> bool:
        """Leave the page if there is something to go back to; False if not."""
        can = self._page.starting and self._can_leave
        if can:
            self.leave()
        return can

    def count_chats(self, count: int) -> None:
        """The list was read."""
        self._no_chats = count == 0
        self._help()

    def chat_made(self) -> None:
        """There is a chat now."""
        self._no_chats = False

    @property
    def _can_leave(self) -> bool:
        return not (self._waits or self._server.held)

    def _open(self) -> None:
        self._start.offer_address()
        self._explain()
        self._page.show_start(self._start)
        self._start.address.setFocus()
        self._start.address.selectAll()

    def _explain(self) -> None:
        held = tr("The demo needs no server: its model runs inside this program, once it is started.")
        self._start.explain(held if self._server.held else self._server.status.sentence, can_leave=self._can_leave)

    def _help(self) -> None:
        """The first start without a server: what to do stands in place of an empty chat."""
        if self._server.away and self._no_chats and not self._helped and not self._page.starting:
            self._waits = self._helped = True
            self._open()

    def _server_failed(self) -> None:
        self._explain()
        self._help()

    def _server_answered(self) -> None:
        if self._waits and not self._start.in_use:
            self.leave()
        self._waits = False
        self._explain()

    def _connect(self) -> None:
        self._server.held = False
        self.leave()
        self.connected.emit()

"""Chats out of the window and into it: exporting, copying, printing, importing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from llamachat.ui.export_control import ExportControl
from llamachat.ui.file_drop import FileDrop
from llamachat.ui.import_control import ImportControl
from llamachat.ui.places import AskedPlaces, Places
from llamachat.ui.print_control import PrintControl

if TYPE_CHECKING:
    from llamachat.ui.main_window import MainWindow


class TakingAlong:
    """The controls for it. Imports have a lane of their own: nothing else waits for them."""

    def __init__(self, window: MainWindow) -> None:
        chat, view, store, notices = window.chat, window.page.view, window.store, window.notices
        app, lane = window.app, window.lanes.files
        self.exports = ExportControl(app, chat, store=store, lane=lane, notices=notices, window=window)
        self.prints = PrintControl(app, chat, view, store=store, lane=lane, notices=notices, window=window)
        self.imports = ImportControl(
            app,
            store=store.history,
            lane=window.lanes.imports,
            navigation=window.navigation,
            notices=notices,
            sidebar=window.sidebar,
            busy=lambda: {*window.turns.conversations(), window.chat.conversation_id or 0},
            window=window,
        )
        for part in (view, view.viewport()):
            part.setAcceptDrops(False)  # it takes none itself, and hands none on
        drop = FileDrop(window, window.page.composer.edit.viewport(), parent=window)
        drop.dropped.connect(self.imports.look_through)
        window.closed.connect(self.prints.close)
        self.set_places(AskedPlaces())
        window.sidebar.export_requested.connect(self.exports.export_chats)

    def set_places(self, places: Places) -> None:
        """Whom to ask where a file is to be."""
        self.exports.places = self.prints.places = self.imports.places = places

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {**self.exports.handlers(), **self.prints.handlers(), **self.imports.handlers()}

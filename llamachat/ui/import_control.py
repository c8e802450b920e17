"""Importing chats into the window: a look through the file, a choice, the import, and a way back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from llamachat.app import App
from llamachat.core.cancel import CancelToken
from llamachat.core.late import LateModule
from llamachat.core.text import tr
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.daily_copy import make_daily_copy
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.imported import Arrival, Fate, expected_arrivals, take_in
from llamachat.transfer.reading import Reading
from llamachat.ui.import_dialog import ImportDialog
from llamachat.ui.import_preview import Preview, done_sentence
from llamachat.ui.navigation import Navigation
from llamachat.ui.notices import Notices
from llamachat.ui.places import AskedPlaces, Places, usual_folder
from llamachat.ui.progress_panel import Tell
from llamachat.ui.sidebar import Sidebar
from llamachat.ui.tasks import Lane

if TYPE_CHECKING:
    from llamachat.transfer import chat_reader
else:
    chat_reader = LateModule("llamachat.transfer.chat_reader")  # 15 ms, which opening the window need not wait for

_NOTICE = "imported"  # key of the bar that offers the way back


class ImportControl(QObject):
    """One dialog at a time."""

    def __init__(
        self,
        app: App,
        *,
        store: Lane[Database],
        lane: Lane[CancelToken],
        navigation: Navigation,
        notices: Notices,
        sidebar: Sidebar,
        busy: Callable[[], Collection[int]],
        window: QWidget,
    ) -> None:
        """`busy` tells which chats are shown or being answered; `window` is the parent of dialogs, and owns this."""
        super().__init__(window)
        self._app, self._store, self._lane, self._window = app, store, lane, window
        self._navigation, self._notices, self._sidebar, self._busy = navigation, notices, sidebar, busy
        self.places: Places = AskedPlaces()
        self._folder = usual_folder()
        self.dialog: ImportDialog | None = None

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {"import": self.ask}

    def ask(self) -> None:
        """Ask for a file, and look through it."""
        if path := self.places.old_file(self._window, self._folder):
            self._folder = path.parent
            self.look_through([path])

    def look_through(self, paths: Sequence[Path]) -> None:
        """Show what is in these files; nothing is changed."""
        if self.dialog and self.dialog.panel.running:
            self.dialog.raise_()
            return
        self._paths = tuple(paths)
        dialog = self.dialog or self._make_dialog()
        dialog.show_running()
        dialog.panel.run(
            tr("Looking through {file}").format(file=_named(paths)),
            partial(self._look, paths),
            done=dialog.show_preview,
            failed=lambda error: dialog.show_refusal(str(error)),
            stopped=dialog.reject,
        )

    def _make_dialog(self) -> ImportDialog:
        dialog = self.dialog = ImportDialog(self._lane, self._window)
        dialog.wanted.connect(lambda uids: self._import(dialog, uids))
        dialog.other_wanted.connect(self._choose_another)
        dialog.finished.connect(self._forget)
        dialog.show()  # the window stays free meanwhile
        return dialog

    def _choose_another(self) -> None:
        if (path := self.places.old_file(self._window, self._folder)) and self.dialog:
            self._folder = path.parent
            self.look_through([path])

    def _forget(self) -> None:
        self.dialog = None

    def _import(self, dialog: ImportDialog, uids: frozenset[str]) -> None:
        dialog.show_running()
        dialog.panel.run(
            tr("Importing from {file}").format(file=_named(self._paths)),
            partial(self._take, self._paths, uids),
            done=lambda arrivals: self._done(dialog, arrivals),
            failed=lambda error: dialog.show_refusal(str(error)),
            stopped=dialog.reject,
        )

    def _done(self, dialog: ImportDialog, arrivals: list[Arrival]) -> None:
        dialog.accept()
        self._sidebar.control.reload(whole=True)
        made = [arrival for arrival in arrivals if arrival.fate in (Fate.NEW, Fate.RESTORED)]
        changed = [arrival for arrival in arrivals if arrival.fate is not Fate.KNOWN]
        buttons = []
        if changed:
            newest = max(changed, key=lambda arrival: arrival.updated_at)
            buttons.append((tr("Show"), lambda: self._navigation.open(newest.conversation_id)))
        if made:
            numbers = [arrival.conversation_id for arrival in made]
            buttons.append((tr("Undo"), lambda: self._undo(numbers)))
        self._notices.offer(_NOTICE, done_sentence(arrivals), buttons)

    def _undo(self, numbers: Sequence[int]) -> None:
        """Delete what has come, as chats are deleted: that can be undone as well."""
        self._notices.drop(_NOTICE)
        for number in {*numbers} & {*self._busy()}:
            self._sidebar.deleted.emit(number)

        def undone(_: int) -> None:
            self._sidebar.control.reload(whole=True)
            self._notices.toast(tr("The imported chats are deleted."))

        self._store.write(lambda db: delete_chats(db, numbers), undone)

    # In the lane's thread

    def _look(self, paths: Sequence[Path], tell: Tell) -> Preview:
        reading = _reading(tell)
        with self._app.database() as db:
            return Preview(tuple(expected_arrivals(db, _chats(paths, reading))), reading)

    def _take(self, paths: Sequence[Path], uids: frozenset[str], tell: Tell) -> list[Arrival]:
        chats = (chat for chat in _chats(paths, _reading(tell)) if chat.conversation.uid in uids)
        with self._app.database() as db:
            make_daily_copy(db)
            return take_in(db, chats)


def _chats(paths: Sequence[Path], reading: Reading) -> Iterator[WholeChat]:
    return chain.from_iterable(chat_reader.read_chats(path, reading) for path in paths)


def _reading(tell: Tell) -> Reading:
    return Reading(watch=lambda reading: tell(reading.read_bytes, reading.total_bytes))


def _named(paths: Sequence[Path]) -> str:
    return ", ".join(path.name or str(path) for path in paths)

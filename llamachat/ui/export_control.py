"""Exporting chats from the window, and copying one as Markdown. All is read and written in lanes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from llamachat.app import App
from llamachat.chat_files import (
    Form,
    all_chats,
    chat_text,
    count_chats,
    file_name,
    these_chats,
    write_chats,
    write_folder,
    write_text,
)
from llamachat.core.cancel import CancelToken
from llamachat.core.conversation import Conversation, is_temporary
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr, trn
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.ui.appearance import look_of
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.conversation_model import title_of
from llamachat.ui.export_choice import ExportChoice, keep_choice, last_choice
from llamachat.ui.export_dialog import ExportDialog
from llamachat.ui.export_pdf import print_job, write_job, write_pdfs
from llamachat.ui.notices import Notices
from llamachat.ui.places import AskedPlaces, Places, usual_folder
from llamachat.ui.print_message import PrintLook
from llamachat.ui.progress_panel import Tell
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.tasks import Lane
from llamachat.ui.transcript.pointer import put_on_clipboard

MOST_COPIED_CHARS = 5_000_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be exported: one chat, or these (None: all of the history). count: how many that is."""

    chat: Conversation | None
    numbers: tuple[int, ...] | None
    count: int

    @property
    def title(self) -> str:
        """What it is called in the dialog."""
        if self.chat:
            return title_of(self.chat)
        if self.numbers is None:
            return trn("All chats: {count}", "All chats: {count}", self.count)
        return trn("{count} chat", "{count} chats", self.count)


class ExportControl(QObject):
    """One dialog at a time."""

    def __init__(
        self,
        app: App,
        chat: ChatControl,
        *,
        store: ShownStore,
        lane: Lane[CancelToken],
        notices: Notices,
        window: QWidget,
    ) -> None:
        """`window` is the parent of dialogs, and owns this."""
        super().__init__(window)
        self._app, self._chat, self._window = app, chat, window
        self._store, self._lane, self._notices = store, lane, notices
        self.places: Places = AskedPlaces()
        self.dialog: ExportDialog | None = None

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {
            "export": self.export_shown,
            "export-all": partial(self._open_for, None),
            "copy-chat": self.copy_shown,
        }

    def export_shown(self) -> None:
        """Ask how to export the chat that is shown, also a temporary one."""
        if (number := self._chat.conversation_id) is not None:
            self._store.of(number).read(partial(_one, number=number), self._open)

    def export_chats(self, numbers: Sequence[int]) -> None:
        """Ask how to export some chats of the history."""
        self._open_for(tuple(dict.fromkeys(numbers)))

    def copy_shown(self) -> None:
        """Put the chat that is shown on the clipboard, with what was chosen for the last export."""
        number = self._chat.conversation_id
        if number is not None:
            self._store.history.read(last_choice, lambda choice: self._copy(number, choice))

    def _copy(self, number: int, choice: ExportChoice) -> None:
        form = replace(choice, markdown=True).form
        self._store.of(number).read(lambda db: _text(db, number, form), self._put_on_clipboard, key="copy chat")

    def _put_on_clipboard(self, text: str) -> None:
        if len(text) > MOST_COPIED_CHARS:
            way_out = tr("Export it to a file instead.")
            self._notices.toast(" ".join((tr("This chat is too long for the clipboard."), way_out)))
        else:
            put_on_clipboard(text)
            self._notices.toast(tr("The chat was copied as Markdown."))

    # The dialog

    def _open_for(self, numbers: tuple[int, ...] | None) -> None:
        self._store.history.read(lambda db: _several(db, numbers), self._open)

    def _open(self, wanted: Wanted | None) -> None:
        if wanted is None or not wanted.count:
            self._notices.toast(tr("There is no chat to export."))
            return
        self._store.history.read(last_choice, lambda choice: self._show(wanted, choice))

    def _show(self, wanted: Wanted, choice: ExportChoice) -> None:
        if self.dialog and self.dialog.panel.running:
            self.dialog.raise_()
            return
        if self.dialog:
            self.dialog.reject()  # it asked about other chats
        several = wanted.chat is None
        dialog = ExportDialog(wanted.title, choice, several=several, lane=self._lane, parent=self._window)
        dialog.wanted.connect(lambda chosen: self._begin(dialog, wanted, chosen))
        dialog.finished.connect(self._forget)
        self.dialog = dialog
        dialog.show()  # the window stays free meanwhile

    def _forget(self) -> None:
        self.dialog = None

    def _begin(self, dialog: ExportDialog, wanted: Wanted, choice: ExportChoice) -> None:
        folder = Path(choice.place) if choice.place else usual_folder()
        if wanted.chat is None and (choice.pdf or not choice.one_file):
            place = self.places.folder(dialog, folder)
        else:
            place = self.places.new_file(dialog, folder / _suggested(wanted, choice))
        if place is None or self.dialog is not dialog:
            return
        kept = replace(choice, place=str(place if place.is_dir() else place.parent))
        self._store.history.write(lambda db: keep_choice(db, kept))
        dialog.show_running(running=True)
        look = look_of(self._app.config).for_paper()
        how = PrintLook(look.font(self._window.font(), 100)[0], look, frozenset())
        if (chat := wanted.chat) is not None and is_temporary(chat.id):
            self._store.of(chat.id).read(
                lambda db: _read(db, chat.id, choice, how),
                lambda write: self._run(dialog, place, lambda tell: write(place, tell)),
                lambda error: self._failed(dialog, error),
            )
        else:
            self._run(dialog, place, lambda tell: self._write(wanted, choice, how, place=place, tell=tell))

    def _run(self, dialog: ExportDialog, place: Path, work: Callable[[Tell], int]) -> None:
        dialog.panel.run(
            tr("Writing {place}").format(place=place.name or place),
            work,
            done=lambda count: self._done(dialog, place, count),
            failed=lambda error: self._failed(dialog, error),
            stopped=lambda: self._stopped(dialog),
        )

    def _write(self, wanted: Wanted, choice: ExportChoice, how: PrintLook, *, place: Path, tell: Tell) -> int:
        """In the lane's thread, with a connection of its own."""
        with self._app.database() as db:
            if wanted.chat:
                return _read(db, wanted.chat.id, choice, how)(place, tell)
            chats = all_chats(db) if wanted.numbers is None else these_chats(db, wanted.numbers)
            step = partial(_tell, tell, wanted.count)
            if choice.pdf:
                return write_pdfs(db, chats, place, how, step=step)
            if choice.one_file:
                return write_chats(db, chats, place, choice.form, step=step)
            return write_folder(db, chats, place, choice.form, keep=True, step=step)

    def _done(self, dialog: ExportDialog, place: Path, count: int) -> None:
        dialog.accept()
        told = trn("{count} chat was exported.", "{count} chats were exported.", count)
        self._notices.toast(f"{told} {place}")

    def _failed(self, dialog: ExportDialog, error: UserFacingError) -> None:
        dialog.show_running(running=False, error=str(error))

    def _stopped(self, dialog: ExportDialog) -> None:
        dialog.show_running(running=False)
        dialog.reject()


def _one(db: Database, number: int) -> Wanted | None:
    chat = get_conversation(db, number)
    return Wanted(chat, (number,), 1) if chat else None


def _several(db: Database, numbers: tuple[int, ...] | None) -> Wanted | None:
    if numbers and len(numbers) == 1:
        return _one(db, numbers[0])
    return Wanted(None, numbers, count_chats(db) if numbers is None else len(numbers))


def _text(db: Database, number: int, form: Form) -> str:
    return chat_text(db, _still_there(db, number), form)


def _still_there(db: Database, number: int) -> Conversation:
    """The chat. Raises UserFacingError where it is gone."""
    chat = get_conversation(db, number)
    if chat is None:
        raise UserFacingError(tr("This chat no longer exists."), tr("Choose another one."))
    return chat


def _read(db: Database, number: int, choice: ExportChoice, how: PrintLook) -> Callable[[Path, Tell], int]:
    """Read a chat; gives what writes it to a place without the store."""
    if choice.pdf:
        job = print_job(db, _still_there(db, number), how)
        return lambda place, tell: write_job(place, job, tell)
    text = _text(db, number, choice.form)
    return lambda place, _: write_text(place, text)


def _suggested(wanted: Wanted, choice: ExportChoice) -> str:
    return file_name(wanted.chat, choice.ending) if wanted.chat else tr("chats") + choice.ending


def _tell(tell: Tell, total: int, done: int) -> None:
    tell(done, total)

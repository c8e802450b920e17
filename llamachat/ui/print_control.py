"""Printing the chat that is shown, and saving it as a PDF: laid out and painted in a lane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from llamachat.app import App
from llamachat.chat_files import file_name
from llamachat.core.cancel import CancelToken
from llamachat.core.conversation import Conversation
from llamachat.core.errors import UserFacingError
from llamachat.core.late import LateModule
from llamachat.core.messages import StoredMessage
from llamachat.core.text import tr, trn
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.ui.appearance import look_of
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.conversation_model import title_of
from llamachat.ui.notices import Notices
from llamachat.ui.places import AskedPlaces, Places, usual_folder
from llamachat.ui.print_chat import PrintJob, print_messages, printed_messages, write_pdf
from llamachat.ui.print_formulas import FormulaDrawing
from llamachat.ui.print_message import PrintedMessage, PrintLook
from llamachat.ui.print_pages import PageRange, count_wanted
from llamachat.ui.progress_panel import ProgressPanel, Tell
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.tasks import Lane
from llamachat.ui.transcript.view import TranscriptView

if TYPE_CHECKING:
    from PySide6 import QtPrintSupport
else:
    QtPrintSupport = LateModule("PySide6.QtPrintSupport")  # few print, and it may be missing

T = TypeVar("T")
Read = tuple[Conversation | None, list[StoredMessage]]

# What the preview paints at once, in the window's own thread: 40 pages take about 0.2 s.
_PREVIEWED_MESSAGES, _PREVIEWED_CHARS = 60, 80_000
_WIDTH_PX = 420


class WorkDialog(QDialog):
    """Nothing but a job in its `panel`; closing it stops that."""

    def __init__(self, title: str, lane: Lane[CancelToken], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.panel = ProgressPanel(lane)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 18, 22, 18)
        column.addWidget(self.panel)
        self.resize(_WIDTH_PX, self.sizeHint().height())

    def reject(self) -> None:
        """Stop; the end of the job closes."""
        self.panel.cancel()


class PrintControl(QObject):
    """One job at a time."""

    def __init__(
        self,
        app: App,
        chat: ChatControl,
        view: TranscriptView,
        *,
        store: ShownStore,
        lane: Lane[CancelToken],
        notices: Notices,
        window: QWidget,
    ) -> None:
        """`window` is the parent of dialogs, and owns this."""
        super().__init__(window)
        self._app, self._chat, self._view, self._window = app, chat, view, window
        self._store, self._lane, self._notices = store, lane, notices
        self.places: Places = AskedPlaces()
        self.dialog: QDialog | None = None

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {"pdf": lambda: self._read(self._save), "print": lambda: self._read(self._print)}

    def _read(self, then: Callable[[Conversation, PrintJob], object]) -> None:
        """Read all of the chat that is shown, not only what is loaded."""
        number = self._chat.conversation_id
        if number is None or self.dialog:
            return

        def read(db: Database) -> Read:
            return get_conversation(db, number), load_branch(db, number)

        self._store.of(number).read(read, lambda found: self._take(found, then), key="print")

    def _take(self, found: Read, then: Callable[[Conversation, PrintJob], object]) -> None:
        chat, messages = found
        if chat is None or not messages:
            self._notices.toast(tr("There is nothing to print in this chat."))
            return
        look = look_of(self._app.config).for_paper()
        font, _ = look.font(self._view.font(), 100)
        then(chat, PrintJob(title_of(chat), messages, PrintLook(font, look, self._view.open_folds)))

    def _run(
        self,
        text: str,
        work: Callable[[Tell], T],
        done: Callable[[T], object],
        stopped: Callable[[], object] = lambda: None,
    ) -> None:
        """Do it in the lane, behind a dialog that says so."""
        dialog = self.dialog = WorkDialog(tr("Print"), self._lane, self._window)

        def end() -> None:
            self.dialog = None
            dialog.hide()
            dialog.deleteLater()

        def then(result: T) -> None:
            end()
            done(result)

        def failed(error: UserFacingError) -> None:
            end()
            self._notices.keep("failure", str(error), tone="error")

        def given_up() -> None:
            end()
            stopped()

        dialog.show()
        dialog.panel.run(text, work, done=then, failed=failed, stopped=given_up)

    # As a file

    def _save(self, chat: Conversation, job: PrintJob) -> None:
        path = self.places.new_file(self._window, usual_folder() / file_name(chat, ".pdf"))
        if path is not None:
            text = tr("Writing {place}").format(place=path.name)
            self._run(text, lambda tell: _write(path, job, tell), lambda pages: self._saved(path, pages))

    def _saved(self, path: Path, pages: int) -> None:
        told = trn("{count} page was written.", "{count} pages were written.", pages)
        self._notices.toast(f"{told} {path}")

    # On paper

    def _print(self, _chat: Conversation, job: PrintJob) -> None:
        try:
            printer = QtPrintSupport.QPrinter(QtPrintSupport.QPrinter.PrinterMode.HighResolution)
        except ImportError:
            sentence = tr("This installation of Qt cannot print.")
            way_out = tr("Save the chat as a PDF, and print that with another program.")
            self._notices.keep("failure", f"{sentence} {way_out}", tone="error")
            return
        printer.setDocName(job.title)
        characters = sum(len(message.content) + len(message.reasoning) for message in job.messages)
        if len(job.messages) <= _PREVIEWED_MESSAGES and characters <= _PREVIEWED_CHARS:
            gui = QThread.currentThread()
            text = tr("Laying out {count} messages").format(count=len(job.messages))
            self._run(text, partial(_laid_out, job, gui), lambda printed: self._preview(printer, job, printed))
            return
        dialog = self.dialog = QtPrintSupport.QPrintDialog(printer, self._window)
        dialog.accepted.connect(lambda: self._print_on(printer, job))
        dialog.finished.connect(self._forget)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.show()

    def _preview(self, printer: QtPrintSupport.QPrinter, job: PrintJob, printed: list[PrintedMessage]) -> None:
        dialog = self.dialog = QtPrintSupport.QPrintPreviewDialog(printer, self._window)
        dialog.setWindowTitle(tr("Print"))
        dialog.setStyleSheet("QLineEdit { padding: 0 2px; border-radius: 0; }")  # its fields have less room than ours
        dialog.resize(self._window.size() * 0.9)
        # Qt keeps the address of the printer, and nothing else would keep the printer.
        dialog.paintRequested.connect(lambda _: self._paint_now(printer, job, printed))
        dialog.finished.connect(self._forget)
        dialog.open()

    def _paint_now(self, printer: QtPrintSupport.QPrinter, job: PrintJob, printed: list[PrintedMessage]) -> None:
        """What the preview shows, or prints where its button is pressed."""
        try:
            print_messages(printer, job, printed, pages=_pages_of(printer))
        except UserFacingError as error:
            self._notices.keep("failure", str(error), tone="error")

    def _print_on(self, printer: QtPrintSupport.QPrinter, job: PrintJob) -> None:
        self.dialog = None
        self._run(tr("Printing"), lambda tell: _paint(printer, job, tell), self._printed, self._stopped)

    def _printed(self, pages: int) -> None:
        self._notices.toast(trn("{count} page was printed.", "{count} pages were printed.", pages))

    def _stopped(self) -> None:
        self._notices.toast(tr("Printing was stopped. The pages that were ready may still come."))

    def close(self) -> None:
        """The window has closed: a dialog that is open goes before its printer does."""
        dialog = self.dialog
        self._forget()
        if dialog and not self.dialog:
            QCoreApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete.value)

    def _forget(self) -> None:
        if self.dialog and not isinstance(self.dialog, WorkDialog):
            self.dialog.deleteLater()
            self.dialog = None


def _pages_of(printer: QtPrintSupport.QPrinter) -> PageRange | None:
    """The pages that were chosen in the print dialog; None for all."""
    return (printer.fromPage(), printer.toPage()) if printer.fromPage() else None


# In the lane's thread


def _write(path: Path, job: PrintJob, tell: Tell) -> int:
    with closing(FormulaDrawing()) as formulas:
        return write_pdf(path, job, draw_formula=formulas.draw, step=partial(_tell, tell, job))


def _paint(printer: QtPrintSupport.QPrinter, job: PrintJob, tell: Tell) -> int:
    with closing(FormulaDrawing()) as formulas:
        printed = printed_messages(job, draw_formula=formulas.draw, step=partial(_tell, tell, job))
        wanted = _pages_of(printer)
        return count_wanted(print_messages(printer, job, printed, pages=wanted), wanted)


def _laid_out(job: PrintJob, gui: QThread, tell: Tell) -> list[PrintedMessage]:
    """The messages, ready to be painted in the thread of the window."""
    with closing(FormulaDrawing()) as formulas:
        printed = list(printed_messages(job, draw_formula=formulas.draw, step=partial(_tell, tell, job)))
    for message in printed:
        message.document.moveToThread(gui)
    return printed


def _tell(tell: Tell, job: PrintJob, done: int) -> None:
    tell(done, len(job.messages))

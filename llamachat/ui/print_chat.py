"""A chat onto paper or into a PDF, in any one thread: message after message, so that only one is held at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QMarginsF
from PySide6.QtGui import QPagedPaintDevice, QPageLayout, QPageSize, QPainter, QPdfWriter

from llamachat.chat_files import cannot_write
from llamachat.core.errors import UserFacingError
from llamachat.core.messages import StoredMessage
from llamachat.core.text import tr
from llamachat.core.whole_file import whole_path
from llamachat.ui.print_formulas import DrawFormula
from llamachat.ui.print_message import PrintedMessage, PrintLook
from llamachat.ui.print_pages import WIDTH_PX, PagePainter, PageRange

_DPI = 1200
_MARGINS_MM = QMarginsF(12, 14, 12, 14)
_LETTER_LANDS = (QLocale.Country.UnitedStates, QLocale.Country.Canada, QLocale.Country.Mexico)
_PDF_END = b"%%EOF"

Step = Callable[[int], object]
"""Told before each message how many are printed, and often inside a long one; may raise Cancelled to stop."""


@dataclass(frozen=True, slots=True)
class PrintJob:
    """What is printed, and how."""

    title: str
    messages: Sequence[StoredMessage]
    how: PrintLook


def printed_messages(
    job: PrintJob, *, draw_formula: DrawFormula | None = None, step: Step = lambda _: None
) -> Iterator[PrintedMessage]:
    """Yield the messages laid out for paper."""
    for number, message in enumerate(job.messages):
        step(number)
        yield PrintedMessage(message, WIDTH_PX, job.how, draw_formula=draw_formula, step=partial(step, number))


def print_messages(
    device: QPagedPaintDevice, job: PrintJob, printed: Iterable[PrintedMessage], *, pages: PageRange | None = None
) -> int:
    """Print on a device whose paper is chosen; returns how many pages there are. Raises UserFacingError.

    pages: the first and the last page that are wanted, counted from 1.
    """
    device.setPageMargins(_MARGINS_MM, QPageLayout.Unit.Millimeter)
    painter = QPainter()
    if not painter.begin(device):
        way_out = tr("Look whether it is on, or save the chat as a PDF.")
        raise UserFacingError(tr("The printer takes nothing."), way_out)
    try:
        paper = PagePainter(device, painter, title=job.title, font=job.how.font, pages=pages)
        flow = paper.begin()
        for message in printed:
            for part in flow.place(message):
                paper.paint(part)
        paper.finish()
    finally:
        painter.end()
    return paper.page + 1


def write_pdf(
    path: Path, job: PrintJob, *, draw_formula: DrawFormula | None = None, step: Step = lambda _: None
) -> int:
    """Print into a file that is there as a whole or not at all; returns how many pages.

    Raises UserFacingError, and what `step` raises.
    """
    try:
        with whole_path(path) as beside:
            writer = QPdfWriter(str(beside))
            writer.setResolution(_DPI)
            writer.setPageSize(usual_page())
            writer.setTitle(job.title)
            writer.setCreator("llamachat")
            pages = print_messages(writer, job, printed_messages(job, draw_formula=draw_formula, step=step))
            _check_end(beside)
    except OSError as error:
        raise cannot_write(path, error) from error
    return pages


def usual_page() -> QPageSize:
    """The paper that is usual where the user lives."""
    is_letter = QLocale.system().territory() in _LETTER_LANDS
    return QPageSize(QPageSize.PageSizeId.Letter if is_letter else QPageSize.PageSizeId.A4)


def _check_end(path: Path) -> None:
    """Qt does not tell that a disk was full: raise OSError where the end of the file is missing."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 20))
        if _PDF_END not in file.read():
            raise OSError(28, tr("the disk is full"))

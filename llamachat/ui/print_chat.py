"""A chat onto paper or into a PDF, in any one thread: message after message, so that only one is held at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from llamachat.ui.print_pages import WIDTH_PX, PagePainter

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


def print_chat(
    device: QPagedPaintDevice, job: PrintJob, *, draw_formula: DrawFormula | None = None, step: Step = lambda _: None
) -> int:
    """Print on a device whose paper is chosen; returns how many pages.

    Raises UserFacingError, and what `step` raises.
    """
    device.setPageMargins(_MARGINS_MM, QPageLayout.Unit.Millimeter)
    painter = QPainter()
    if not painter.begin(device):
        raise UserFacingError(
            tr("The printer takes nothing."), tr("Look whether it is on, or save the chat as a PDF.")
        )
    try:
        pages = PagePainter(device, painter, title=job.title, font=job.how.font)
        flow = pages.begin()
        for number, message in enumerate(job.messages):
            step(number)
            printed = PrintedMessage(
                message, WIDTH_PX, job.how, draw_formula=draw_formula, step=partial(step, number)
            )
            for part in flow.place(printed):
                pages.paint(part)
        pages.finish_page()
    finally:
        painter.end()
    return pages.page + 1


def write_pdf(
    path: Path, job: PrintJob, *, draw_formula: DrawFormula | None = None, step: Step = lambda _: None
) -> int:
    """Print into a file that is there as a whole or not at all; returns how many pages. Raises as `print_chat`."""
    try:
        with whole_path(path) as beside:
            writer = QPdfWriter(str(beside))
            writer.setResolution(_DPI)
            writer.setPageSize(usual_page())
            writer.setTitle(job.title)
            writer.setCreator("llamachat")
            pages = print_chat(writer, job, draw_formula=draw_formula, step=step)
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

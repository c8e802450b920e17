"""Chats into PDFs, in a lane: what is printed is read from the store and laid out there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

from llamachat.chat_files import file_name, made_folder, unused
from llamachat.core.conversation import Conversation
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.ui.conversation_model import title_of
from llamachat.ui.print_chat import PrintJob, write_pdf
from llamachat.ui.print_formulas import FormulaDrawing
from llamachat.ui.print_message import PrintLook
from llamachat.ui.progress_panel import Tell

PDF = ".pdf"


def print_job(db: Database, chat: Conversation, how: PrintLook) -> PrintJob:
    """All of a chat, to be printed. Raises UserFacingError where nothing was said in it."""
    messages = load_branch(db, chat.id)
    if not messages:
        raise UserFacingError(tr("There is nothing to print in this chat."), tr("Choose another one."))
    return PrintJob(title_of(chat), messages, how)


def write_job(place: Path, job: PrintJob, tell: Tell) -> int:
    """Write one chat; returns 1. Raises UserFacingError, and what `tell` does."""
    with closing(FormulaDrawing()) as formulas:
        write_pdf(place, job, draw_formula=formulas.draw, step=lambda done: tell(done, len(job.messages)))
    return 1


def write_pdfs(
    db: Database, chats: Iterable[Conversation], folder: Path, how: PrintLook, *, step: Callable[[int], object]
) -> int:
    """Write each chat that something was said in into a file of its own; returns how many.

    Files that are there already stay. step: told often how many chats are done; what it raises stops.
    """
    made_folder(folder)
    written = 0
    with closing(FormulaDrawing()) as formulas:
        for done, chat in enumerate(chats):
            if messages := load_branch(db, chat.id):
                job = PrintJob(title_of(chat), messages, how)
                still_here = partial(lambda number, _: step(number), done)
                write_pdf(unused(folder / file_name(chat, PDF)), job, draw_formula=formulas.draw, step=still_here)
                written += 1
    return written

"""`llamachat history export --format pdf`: chats as the window prints them. Qt is loaded when one is wanted."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from llamachat.chat_files import file_name, is_folder, made_folder
from llamachat.cli.output import remark
from llamachat.core.conversation import Conversation
from llamachat.core.errors import UserFacingError
from llamachat.core.late import LateModule
from llamachat.core.text import tr, trn
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.ui.system_check import missing_parts  # no Qt in it

if TYPE_CHECKING:
    from llamachat.ui import print_offscreen
else:
    print_offscreen = LateModule("llamachat.ui.print_offscreen")

PDF = "pdf"


def export_pdf(db: Database, chats: Iterable[Conversation], options: argparse.Namespace) -> None:
    """Write each chat that something was said in into a PDF of its own."""
    into_folder = options.output and is_folder(options.output)
    if not options.output or (not into_folder and (options.all or len(options.ids) > 1)):
        raise UserFacingError(
            tr("A PDF is a file of its own for each chat."),
            tr("Say where to: --output FILE, or FOLDER/ for several."),
        )
    if missing := missing_parts({"QT_QPA_PLATFORM": "offscreen"}):
        raise UserFacingError(" ".join(missing))
    place = made_folder(Path(options.output)) if into_folder else Path(options.output)

    def printed() -> Iterator[print_offscreen.Printed]:
        for chat in chats:
            if messages := load_branch(db, chat.id):
                yield chat, messages, place / file_name(chat, ".pdf") if into_folder else place

    pages = list(print_offscreen.print_offscreen(printed(), options.settings, reasoning=options.reasoning))
    remark(
        " ".join(
            (
                trn("{count} chat was written.", "{count} chats were written.", len(pages)),
                trn("That is {count} page.", "That is {count} pages.", sum(pages)),
            )
        )
    )

"""PDFs without a window: for the command line, on a machine that need not have a display."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from llamachat.config.schema import Config
from llamachat.core.conversation import Conversation
from llamachat.core.messages import StoredMessage
from llamachat.render.links import Anchor, AnchorKind
from llamachat.ui.appearance import look_of
from llamachat.ui.conversation_model import title_of
from llamachat.ui.print_chat import PrintJob, write_pdf
from llamachat.ui.print_formulas import FormulaDrawing
from llamachat.ui.print_message import PrintLook

Printed = tuple[Conversation, Sequence[StoredMessage], Path]


def print_offscreen(chats: Iterable[Printed], config: Config, *, reasoning: bool) -> Iterator[int]:
    """Write a PDF for each chat at its path; yields how many pages each has. Raises UserFacingError.

    reasoning: with what the model thought, which is folded up otherwise.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"  # whatever display there is: nothing is shown
    application = QGuiApplication.instance() or QGuiApplication(["llamachat"])
    assert isinstance(application, QGuiApplication)
    look = look_of(config).for_paper()
    font, _ = look.font(application.font(), 100)
    with closing(FormulaDrawing()) as formulas:
        for chat, messages, path in chats:
            opened = [Anchor(AnchorKind.REASONING, message.id) for message in messages if reasoning]
            job = PrintJob(title_of(chat), messages, PrintLook(font, look, frozenset(opened)))
            yield write_pdf(path, job, draw_formula=formulas.draw)

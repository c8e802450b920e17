"""What the tests of printing share: a job, and what stands in a PDF."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pypdfium2
from PySide6.QtGui import QGuiApplication

from llamachat.core.messages import StoredMessage
from llamachat.render.links import Anchor
from llamachat.ui.print_chat import PrintJob
from llamachat.ui.print_message import PrintLook
from tests.gallery.turns import TEXTS, answer, question


def job(messages: Sequence[StoredMessage], *opened: Anchor, title: str = "Tides") -> PrintJob:
    """Print these with that title."""
    return PrintJob(title, messages, PrintLook(QGuiApplication.font(), opened=frozenset(opened)))


def every_construct() -> list[StoredMessage]:
    """A chat with an answer for each of the gallery's texts."""
    messages = list[StoredMessage]()
    for number, file in enumerate(sorted(TEXTS.glob("*.md")), 1):
        messages.append(replace(question(f"What is {file.stem}?"), id=2 * number))
        messages.append(replace(answer(file.read_text(encoding="utf-8")), id=2 * number + 1))
    return messages


def page_texts(path: Path) -> list[str]:
    """The text on each page."""
    with closing(pypdfium2.PdfDocument(path)) as document:
        return [str(page.get_textpage().get_text_range()) for page in document]


def page_pictures(path: Path) -> list[npt.NDArray[np.uint8]]:
    """The pixels of each page."""
    with closing(pypdfium2.PdfDocument(path)) as document:
        return [np.array(page.render().to_numpy()) for page in document]

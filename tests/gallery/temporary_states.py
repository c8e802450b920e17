"""A temporary chat: before anything is said, with an answer, and when it is about to be left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from PySide6.QtWidgets import QMessageBox, QWidget

from tests.end2end.stage import Stage
from tests.fakes.scripted_llama import ScriptedLlama, says

OpenWindow = Callable[[str, str], AbstractContextManager[Stage]]  # the model server, more settings

ANSWER = "Say it plainly: *I was wrong about the keys, and I am sorry.* Then wait. Explain later, if you are asked."


def temporary_states(open_window: OpenWindow) -> Iterator[tuple[str, Stage, QWidget | None]]:
    """The window in each state, by name, and the part of it to look at; None for all."""
    with ScriptedLlama(says(ANSWER)) as llama, open_window(llama.base_url, "") as shown:
        window = shown.window
        window.temporary.new()
        shown.until(lambda: window.chat.conversation_id)
        yield "temporary-empty", shown, None
        shown.ask("How do I apologise to a neighbour for something embarrassing?")
        window.page.composer.edit.setPlainText("And if she does not")
        yield "temporary-answered", shown, None
        window.resize(560, 700)
        yield "temporary-narrow", shown, None
        window.navigation.new_chat()
        (box,) = window.findChildren(QMessageBox)
        yield "temporary-leaving", shown, box
        box.close()
        window.end()

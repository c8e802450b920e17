"""The system prompt of a chat: the menu of them, the text, and the question before one is changed in mid-chat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from PySide6.QtWidgets import QMessageBox, QWidget

from llamachat.ui.prompt_dialog import PromptDialog
from tests.end2end.stage import Stage
from tests.fakes.scripted_llama import ScriptedLlama, says

OpenWindow = Callable[[str, str], AbstractContextManager[Stage]]  # the model server, more settings

CONFIG = """default_prompt = "Answer in one sentence."
prompt = "reviewer"

[prompts.reviewer]
text = "You review code. Name the worst fault first, with its line, and say how to mend it."
temperature = 0.2

[prompts.translator]
text = "You translate between German and English, and say nothing else."
"""


def prompt_states(open_window: OpenWindow) -> Iterator[tuple[str, Stage, QWidget | None]]:
    """The window in each state, by name, and what of it is to be shown."""
    with (
        ScriptedLlama(says("Line 3: the file is never closed.")) as llama,
        open_window(llama.base_url, CONFIG) as shown,
    ):
        window, button = shown.window, shown.window.page.composer.prompt
        shown.ask("def size(path):\n    file = open(path)\n    return len(file.read())")
        shown.config.write_text(shown.config.read_text().replace("Name the worst fault first", "Name three faults"))
        shown.until(lambda: "three faults" in shown.app.config.prompts["reviewer"].text)
        shown.rest(0.3)
        button.menu().popup(window.mapToGlobal(window.rect().center()))
        yield "prompt-menu", shown, button.menu()
        button.menu().actions()[2].trigger()
        button.menu().close()
        shown.until(lambda: window.findChildren(QMessageBox))
        (box,) = window.findChildren(QMessageBox)
        yield "prompt-cost", shown, box
        box.close()
        window.around.prompts.view()
        shown.until(lambda: window.findChildren(PromptDialog))
        (dialog,) = window.findChildren(PromptDialog)
        dialog.field.appendPlainText("Be kind.")
        yield "prompt-text", shown, dialog
        dialog.close_button.click()
        shown.rest(0.1)
        window.notices.drop("toast")
        yield "prompt-in-the-composer", shown, None

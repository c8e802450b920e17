"""What waits above the composer: behind an answer that is written, and after one that was stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from tests.end2end.stage import Stage
from tests.fakes.scripted_llama import Piece, ScriptedLlama, says

OpenWindow = Callable[[str, str], AbstractContextManager[Stage]]  # the model server, more settings

WAITING = (
    "And how do I convert it into a time of another zone?",
    (
        "Then write a test for both, with the last Sunday in March, when the clocks go forward, and the last one in "
        "October, when they go back; the hour that there is twice has to be told apart"
    ),
)


def queue_states(open_window: OpenWindow) -> Iterator[tuple[str, Stage]]:
    """The window in each state, by name."""
    gate = threading.Event()
    script: list[Piece] = [
        *says("An ISO date is read with `datetime.fromisoformat`. It takes "),
        gate,
        *says("a zone too."),
    ]
    with ScriptedLlama(script) as llama, open_window(llama.base_url, "") as shown:
        shown.ask("How do I read an ISO date in Python?", wait=False)
        shown.until(lambda: "takes" in shown.window.page.view.toPlainText())
        for text in WAITING:
            shown.window.page.composer.edit.setPlainText(text)
            shown.window.page.composer.queue.click()
            shown.until(lambda: shown.window.page.composer.text == "")
        shown.until(lambda: len(shown.window.page.queue.rows) == len(WAITING))
        shown.window.page.composer.edit.setPlainText("Explain")
        shown.rest(0.3)
        yield "queue-behind-an-answer", shown
        shown.window.chat.turns.stop()
        gate.set()
        shown.until(shown.idle)
        shown.window.page.composer.edit.setPlainText("")
        shown.rest(0.3)
        yield "queue-after-a-stop", shown

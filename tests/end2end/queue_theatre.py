"""What tests of the queue share: a profile, a server whose answers wait for gates, and what the window shows."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from llamachat.storage.queued import list_queued
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import Answer, Piece, ScriptedLlama, says


class Theatre:
    """A profile, a server whose answers wait for gates, and windows on them."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        self._folder, self._things = folder, things

    def server(self, *answers: Answer) -> ScriptedLlama:
        return self._things.enter_context(ScriptedLlama(*answers))

    def held(self, text: str) -> tuple[list[Piece], threading.Event]:
        """An answer that waits in its middle, and what lets it go on."""
        gate = threading.Event()
        self._things.callback(gate.set)
        return [*says("Half "), gate, *says(text)], gate

    def window(self, llama: ScriptedLlama) -> Stage:
        return self._things.enter_context(self.own_window(llama))

    def own_window(self, llama: ScriptedLlama) -> AbstractContextManager[Stage]:
        """One that the test closes."""
        return stage(self._folder / "profile", f'base_url = "{llama.base_url}"\n')


def begin(shown: Stage, text: str = "First") -> int:
    """Ask, and wait for half of the answer."""
    before = view_text(shown).count("Half")
    shown.ask(text, wait=False)
    shown.until(lambda: view_text(shown).count("Half") > before)
    number = shown.window.chat.conversation_id
    assert number is not None
    return number


def view_text(shown: Stage) -> str:
    return shown.window.page.view.toPlainText()


def send(shown: Stage, text: str) -> None:
    """Type and press Enter, and wait until it is stored."""
    composer, count = shown.window.page.composer, len(waiting(shown))
    composer.edit.setPlainText(text)
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    shown.until(lambda: composer.text == "" and len(waiting(shown)) == count + 1)


def waiting(shown: Stage) -> list[str]:
    """What the window shows as waiting."""
    queue = shown.window.page.queue
    return [row.queued.text for row in queue.rows] if queue.isVisible() else []


def stored(shown: Stage, number: int) -> list[str]:
    with shown.app.database() as db:
        return [queued.text for queued in list_queued(db, number)]


def asked(llama: ScriptedLlama) -> list[str]:
    """The last message of each request."""
    return [body["messages"][-1]["content"] for body in llama.asked]  # type: ignore[index]  # JSON


def all_ended(shown: Stage) -> bool:
    return not shown.window.turns.conversations()


def stop(shown: Stage) -> None:
    shown.window.actions_by_id["stop"].trigger()

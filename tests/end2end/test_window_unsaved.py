"""Answers that cannot be written, because another program holds the history: seen, kept, told, saved later."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Status, StoredMessage
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.ui.unsaved_control import BAR
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import Piece, ScriptedLlama, says

pytestmark = pytest.mark.slow


@contextmanager
def answering(folder: Path, *rest: Piece) -> Iterator[tuple[Stage, threading.Event]]:
    """A window whose chat has half an answer, and the gate before its rest."""
    gate = threading.Event()
    script: list[Piece] = [*says("The first half "), gate, *rest]
    with ScriptedLlama(script) as llama, stage(folder, f'base_url = "{llama.base_url}"\n') as shown:
        shown.ask("One", wait=False)
        shown.until(lambda: "first half" in shown.window.page.view.toPlainText())
        shown.until(lambda: "first half" in stored(shown).content)
        yield shown, gate


@contextmanager
def locked(shown: Stage) -> Iterator[None]:
    """Another program holds the history."""
    with Database.open(shown.app.paths.database) as other:
        other.connection.execute("BEGIN EXCLUSIVE")
        yield
        other.connection.execute("ROLLBACK")


def stored(shown: Stage) -> StoredMessage:
    """The answer as another program reads it."""
    with Database.open(shown.app.paths.database) as other:
        return load_branch(other, 1)[-1]


def bar(shown: Stage) -> str:
    """What the bar says."""
    return shown.window.notices.text(BAR)


def when_asked(press: str, after: Callable[[], object] = lambda: None) -> None:
    """Press a button of the message box that will open."""

    def answer() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(50, answer)
            return
        after()
        next(button for button in box.buttons() if button.text() == press).click()

    QTimer.singleShot(50, answer)


def test_the_end_of_an_answer_is_seen_and_saved_when_the_lock_is_gone(qtbot: QtBot, tmp_path: Path) -> None:
    with answering(tmp_path / "p", *says("and the second.")) as (shown, gate):
        with locked(shown):
            gate.set()
            shown.until(shown.idle)
            shown.until(lambda: "not saved yet" in bar(shown))
            assert "Another program is writing to the history" in bar(shown)
            assert stored(shown).status is Status.STREAMING
            shown.window.chat.read_again()
            shown.rest(0.3)
            assert "The first half and the second." in shown.window.page.view.toPlainText()
        shown.until(lambda: bar(shown) == "")
        answer = stored(shown)
        assert (answer.content, answer.status) == ("The first half and the second.", Status.COMPLETE)


def test_the_bar_comes_while_the_answer_is_still_written_and_stop_is_not_held_up(
    qtbot: QtBot, tmp_path: Path
) -> None:
    never = threading.Event()
    with answering(tmp_path / "p", *says("and more "), never) as (shown, gate):
        with locked(shown):
            gate.set()
            shown.until(lambda: "not saved yet" in bar(shown))
            assert not shown.idle()
            shown.window.chat.turns.stop()
            shown.until(shown.idle, limit_s=4)  # two writes that wait their half second, not their five
        never.set()
        shown.until(lambda: stored(shown).status is Status.STOPPED)
        assert stored(shown).content == "The first half and more "


def test_closing_asks_and_the_window_can_stay(qtbot: QtBot, tmp_path: Path) -> None:
    with answering(tmp_path / "p", *says("and the second.")) as (shown, gate):
        with locked(shown):
            gate.set()
            shown.until(lambda: "not saved yet" in bar(shown))
            when_asked("Keep the window open")
            shown.window.close()
            assert shown.window.isVisible()
        shown.until(lambda: bar(shown) == "")


def test_what_is_saved_at_the_last_moment_is_saved(qtbot: QtBot, tmp_path: Path) -> None:
    with answering(tmp_path / "p", *says("and the second.")) as (shown, gate):
        with Database.open(shown.app.paths.database) as other:
            other.connection.execute("BEGIN EXCLUSIVE")
            gate.set()
            shown.until(lambda: "not saved yet" in bar(shown))
            when_asked("Close anyway", after=lambda: other.connection.execute("ROLLBACK"))
            shown.window.close()
        assert not shown.window.isVisible()
        assert stored(shown).content == "The first half and the second."

"""The built-in engine in the window: asks before it downloads, loads a file that was given, ends with the window."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from llamachat.core.messages import Status
from llamachat.storage.conversations import list_conversations
from llamachat.storage.messages import load_branch
from tests.end2end.stage import NOWHERE, stage
from tests.integration.llama_server import ParrotServer

CONFIG = f'base_url = "{NOWHERE}"\n'


def test_a_given_model_is_loaded_and_answers(qtbot: QtBot, tmp_path: Path, parrot_server: ParrotServer) -> None:
    with stage(tmp_path / "p", CONFIG) as shown:
        shown.window.begin_demo(parrot_server.model_file, agreed=False)
        shown.until(lambda: not shown.window.page.starting)
        assert shown.app.engine_running
        shown.until(lambda: shown.window.server.models)
        assert shown.window.status.text() == "Connected to the built-in engine"
        shown.ask("Say this.")
        assert "Say this." in shown.window.page.view.toPlainText()
        with shown.app.database() as db:
            answer = load_branch(db, list_conversations(db)[0].id)[-1]
        assert (answer.content, answer.status) == ("Say this.", Status.COMPLETE)
    assert not shown.app.engine_running


def test_nothing_is_downloaded_before_it_was_agreed_to(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", CONFIG) as shown:
        panel = shown.window.start_page.engine
        shown.window.begin_demo(None, agreed=False)
        assert panel.button.text() == "Download 93 MB and start"
        assert panel.button.isVisible()
        assert not panel.bar.isVisible()
        assert shown.window.page.starting


def test_a_file_that_is_no_model_is_told_and_can_be_tried_again(qtbot: QtBot, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_text("no model")
    with stage(tmp_path / "p", CONFIG) as shown:
        panel = shown.window.start_page.engine
        shown.window.begin_demo(wrong, agreed=False)
        shown.until(lambda: "is not a GGUF file" in panel.text.text())
        assert panel.button.isVisible()
        assert not panel.cancel.isVisible()


def test_a_start_can_be_cancelled(qtbot: QtBot, tmp_path: Path, parrot_server: ParrotServer) -> None:
    with stage(tmp_path / "p", CONFIG) as shown:
        panel = shown.window.start_page.engine
        shown.window.begin_demo(parrot_server.model_file, agreed=False)
        shown.until(panel.cancel.isVisible)
        panel.cancel.click()
        assert panel.text.text() == "Cancelled."
        assert panel.button.isVisible()
        done: list[bool] = []
        shown.window.lanes.engine.write(lambda _: True, done.append)  # the lane is free again
        shown.until(lambda: done)
        assert not shown.app.engine_running

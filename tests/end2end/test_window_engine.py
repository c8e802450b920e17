"""The built-in engine in the window: asks before it downloads, loads a file that was given, ends with the window."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind, Phase, PhaseName
from llamachat.core.messages import Status
from llamachat.storage.conversations import list_conversations
from llamachat.storage.messages import load_branch
from llamachat.ui.start_control import Demo
from tests.end2end.stage import NOWHERE, stage
from tests.fakes.scripted_llama import ScriptedLlama, says
from tests.integration.llama_server import ParrotServer

ENGINE = b"llamachat.engines.embedded_llama"


def engines() -> set[int]:
    """The processes of built-in engines below this one."""
    listed = " ".join(file.read_text() for file in Path("/proc/self/task").glob("*/children"))
    return {int(number) for number in listed.split() if ENGINE in Path(f"/proc/{number}/cmdline").read_bytes()}


CONFIG = f'base_url = "{NOWHERE}"\n'


def test_a_given_model_is_loaded_and_answers(qtbot: QtBot, tmp_path: Path, parrot_server: ParrotServer) -> None:
    with stage(tmp_path / "p", CONFIG, demo=Demo(parrot_server.model_file)) as shown:
        shown.until(lambda: not shown.window.page.starting)
        assert shown.app.models.engine_running
        shown.window.actions_by_id["connect"].trigger()
        assert shown.window.start_page.engine.text.text() == "The built-in engine runs."
        assert not shown.window.start_page.engine.button.isVisible()
        shown.until(lambda: shown.window.start_page.reason.text() == "Connected to the built-in engine")
        shown.window.start_page.back.click()
        assert not shown.window.page.starting
        shown.until(lambda: shown.window.server.models)
        assert shown.window.status.text() == "Connected to the built-in engine"
        shown.ask("Say this.")
        assert "Say this." in shown.window.page.view.toPlainText()
        with shown.app.database() as db:
            answer = load_branch(db, list_conversations(db)[0].id)[-1]
        assert (answer.content, answer.status) == ("Say this.", Status.COMPLETE)
    assert not shown.app.models.engine_running


@pytest.mark.slow
def test_an_engine_that_was_killed_is_told_and_started_again_by_the_next_message(
    qtbot: QtBot, tmp_path: Path, parrot_server: ParrotServer
) -> None:
    others = engines()
    with stage(tmp_path / "p", CONFIG, demo=Demo(parrot_server.model_file)) as shown:
        window = shown.window
        shown.until(lambda: not window.page.starting and window.server.models)
        shown.ask("Say this.")
        (number,) = engines() - others
        os.kill(number, signal.SIGKILL)
        shown.until(lambda: not shown.app.models.engine_running)
        window.server.refresh()
        shown.until(lambda: window.status.text().startswith("The system ended the built-in engine"))
        seen: list[Event] = []
        window.chat.turns.progressed.connect(seen.extend)
        shown.ask("Say that.")
        shown.until(lambda: window.status.text().startswith("Connected to the built-in engine"))
        assert Event(Kind.PHASE, Phase(PhaseName.LOADING)) in seen
        with shown.app.database() as db:
            answers = load_branch(db, list_conversations(db)[0].id)[1::2]
        assert [(answer.content, answer.status) for answer in answers] == [
            ("Say this.", Status.COMPLETE),
            ("Say that.", Status.COMPLETE),
        ]


def test_nothing_is_downloaded_before_it_was_agreed_to(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", CONFIG, demo=Demo()) as shown:
        panel = shown.window.start_page.engine
        assert panel.button.text() == "Download 93 MB and start"
        assert panel.button.isVisible()
        assert not panel.bar.isVisible()
        assert shown.window.page.starting
        shown.be_in_front()
        assert panel.button.hasFocus()


def at(llama: ScriptedLlama) -> str:
    """Settings that name a server."""
    return f'base_url = "{llama.base_url}"\n'


def test_while_the_download_is_offered_no_server_is_asked(qtbot: QtBot, tmp_path: Path) -> None:
    with ScriptedLlama(says("Answer.")) as llama, stage(tmp_path / "p", at(llama), demo=Demo()) as shown:
        window = shown.window
        window.server.refresh()
        done: list[bool] = []
        window.lanes.network.write(lambda _: True, done.append)
        shown.until(lambda: done)
        assert (window.server.models, window.status.text()) == ((), "")
        assert window.start_page.reason.text().startswith("The demo needs no server")
        assert not window.start_page.back.isVisible()
        window.actions_by_id["stop"].trigger()
        assert window.page.starting  # there is nothing to go back to
        window.actions_by_id["new"].trigger()
        shown.until(lambda: window.server.models)


def test_a_file_that_is_no_model_is_told_and_can_be_tried_again(qtbot: QtBot, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_text("no model")
    with stage(tmp_path / "p", CONFIG, demo=Demo(wrong)) as shown:
        panel = shown.window.start_page.engine
        shown.until(lambda: "is not a GGUF file" in panel.text.text())
        assert panel.button.isVisible()
        assert not panel.cancel.isVisible()


def test_a_start_can_be_cancelled(qtbot: QtBot, tmp_path: Path, parrot_server: ParrotServer) -> None:
    with stage(tmp_path / "p", CONFIG, demo=Demo(parrot_server.model_file)) as shown:
        panel = shown.window.start_page.engine
        shown.until(panel.cancel.isVisible)
        panel.cancel.click()
        assert panel.text.text() == "Cancelled."
        assert panel.button.isVisible()
        done: list[bool] = []
        shown.window.lanes.engine.write(lambda _: True, done.append)  # the lane is free again
        shown.until(lambda: done)
        assert not shown.app.models.engine_running

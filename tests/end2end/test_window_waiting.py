"""What the window says of the server while answers come: who writes, who waits, and that it is away."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.ui.list_row import Row
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import Piece, ScriptedLlama, says

MODEL = "Qwen3-8B-Q4_K_M"


def text_of(shown: Stage) -> str:
    """What the reader sees."""
    return shown.window.page.view.toPlainText()


def test_a_chat_beside_one_that_is_answered_waits_for_the_other_answer(qtbot: QtBot, tmp_path: Path) -> None:
    first, second = threading.Event(), threading.Event()
    one: list[Piece] = [*says("Half "), first, *says("done.")]
    two: list[Piece] = [second, *says("Mine.")]
    with ScriptedLlama(one, two) as llama, stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown:
        shown.ask("One", wait=False)
        shown.until(lambda: "Half" in text_of(shown))
        answering = shown.window.chat.conversation_id
        assert answering is not None
        shown.window.chat.new_chat()
        shown.ask("Two", wait=False)
        shown.until(lambda: shown.window.status.text().startswith("Waiting for another answer to end"))
        shown.until(lambda: "waiting for another answer to end" in text_of(shown))
        assert marked(shown, "Two").waiting
        shown.window.chat.open(answering)
        shown.until(lambda: shown.window.status.text() == "Answering · 1 other chat waits")
        assert not marked(shown, "One").waiting
        assert len(llama.asked) == 1  # it is held back here, not at the server
        first.set()
        shown.until(lambda: len(llama.asked) == 2)
        shown.until(lambda: not marked(shown, "Two").waiting)
        second.set()
        shown.until(lambda: not shown.window.turns.conversations())
        assert (marked(shown, "One").fresh, marked(shown, "Two").fresh) == (False, True)
        other = marked(shown, "Two").conversation
        assert other is not None
        shown.window.chat.open(other.id)
        shown.until(lambda: not marked(shown, "Two").fresh)


def marked(shown: Stage, title: str) -> Row:
    """What the list says of a chat."""
    rows = shown.window.sidebar.chats.rows
    return next(row for row in map(rows.row, map(rows.index, range(rows.rowCount()))) if row.text == title)


ROUTER = [("gemma", "unloaded"), ("qwen", "loaded"), ("phi", "unloaded")]


@pytest.mark.parametrize(("model", "waits"), [("gemma", "another answer"), ("qwen", "the model")])
def test_behind_a_router_a_chat_waits_for_an_answer_of_the_same_model(
    qtbot: QtBot, tmp_path: Path, model: str, waits: str
) -> None:
    first, second = threading.Event(), threading.Event()
    one: list[Piece] = [*says("Half "), first, *says("done.")]
    two: list[Piece] = [second, *says("Mine.")]
    config = 'model = "gemma"\nbase_url = "{}"\n'
    with (
        ScriptedLlama(one, two, models=ROUTER) as llama,
        stage(tmp_path / "p", config.format(llama.base_url)) as shown,
    ):
        shown.ask("One", wait=False)
        shown.until(lambda: "Half" in text_of(shown))
        llama.models[:2] = [("gemma", "loaded"), ("qwen", "loaded")]  # the question has loaded it
        shown.window.chat.new_chat()
        shown.window.page.header.model.set_choice(model)
        shown.ask("Two", wait=False)
        shown.until(lambda: shown.window.status.text().startswith(f"Waiting for {waits}"))
        first.set()
        second.set()
        shown.until(lambda: not shown.window.turns.conversations())


def test_an_answer_has_the_name_of_the_model_from_its_beginning(qtbot: QtBot, tmp_path: Path) -> None:
    gate = threading.Event()
    script: list[Piece] = [*says("Half "), gate, *says("done.")]
    with ScriptedLlama(script) as llama, stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown:
        shown.ask("One", wait=False)
        shown.until(lambda: "Half" in text_of(shown))
        assert MODEL in text_of(shown)
        gate.set()
        shown.until(shown.idle)
        assert MODEL in text_of(shown)
        assert "Assistant" not in text_of(shown)


def test_the_model_is_shown_as_away_with_its_server(qtbot: QtBot, tmp_path: Path) -> None:
    with ScriptedLlama(says("Answer.")) as llama, stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown:
        picker = shown.window.page.header.model
        assert picker.text() == MODEL
        shown.config.write_text('base_url = "http://127.0.0.1:9"\n', encoding="utf-8")
        shown.until(lambda: shown.window.server.away)
        assert picker.text() == f"{MODEL} · server away"
        shown.config.write_text(f'base_url = "{llama.base_url}"\n', encoding="utf-8")
        shown.until(lambda: picker.text() == MODEL)


def test_what_an_answer_cost_stays_when_the_store_is_looked_at(qtbot: QtBot, tmp_path: Path) -> None:
    with ScriptedLlama(says("One two.")) as llama, stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown:
        shown.ask("One")
        shown.until(lambda: "tokens/s" in shown.window.status.text())
        looked: list[object] = []
        shown.window.chat.read_again()
        shown.window.lanes.store.read(lambda _: None, looked.append)
        shown.until(lambda: looked)
        assert "tokens/s" in shown.window.status.text()

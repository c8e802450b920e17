"""Titles by the model in the real window: after the first answer, out of everybody's way, never over one's own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from llamachat.storage.conversations import list_conversations
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import Answer, ScriptedLlama, says

Open = Callable[..., Stage]


@pytest.fixture
def things() -> Iterator[ExitStack]:
    with ExitStack() as things:
        yield things


@pytest.fixture
def open_window(qtbot: QtBot, tmp_path: Path, things: ExitStack) -> Open:
    def opened(llama: ScriptedLlama, titles: str = "model") -> Stage:
        return things.enter_context(stage(tmp_path / "p", f'base_url = "{llama.base_url}"\ntitles = "{titles}"\n'))

    return opened


def server(things: ExitStack, *answers: Answer, slots: int = 2) -> ScriptedLlama:
    llama = things.enter_context(ScriptedLlama(*answers))
    llama.slots = slots
    return llama


def titles(shown: Stage) -> list[str]:
    """Those in the store, the newest first."""
    with shown.app.database() as db:
        return [chat.title for chat in list_conversations(db)]


def is_title(body: dict[str, object]) -> bool:
    """Whether a request asks for a title."""
    return "title" in str(body["messages"][0]["content"])  # type: ignore[index]  # JSON


def waits(shown: Stage) -> int:
    """How long the next title waits; -1 for not at all."""
    timer = shown.window.around.titles.findChild(QTimer)
    assert timer is not None
    return timer.interval() if timer.isActive() else -1


def test_the_first_words_at_once_and_the_models_title_after_the_answer(things: ExitStack, open_window: Open) -> None:
    llama = server(things, says("It scatters."), says('"The blue sky"'), says("More."))
    shown = open_window(llama)
    shown.ask("Why is the sky blue, and not green or red?")
    assert shown.window.page.header.title.text() == "Why is the sky blue, and not green or red?"
    shown.until(lambda: titles(shown) == ["The blue sky"])
    shown.until(lambda: shown.window.page.header.title.text() == "The blue sky")
    assert shown.window.windowTitle() == "The blue sky - llamachat"
    rows = shown.window.sidebar.chats.rows
    assert "The blue sky" in [rows.row(rows.index(number)).text for number in range(rows.rowCount())]
    shown.ask("And at night?")
    shown.rest(0.8)
    assert [is_title(body) for body in llama.asked] == [False, True, False]


@pytest.mark.slow
def test_words_asks_no_model(things: ExitStack, open_window: Open) -> None:
    llama = server(things, says("It scatters."))
    shown = open_window(llama, "words")
    shown.ask("Why?")
    assert waits(shown) == -1
    shown.rest(0.8)
    assert len(llama.asked) == 1


@pytest.mark.slow
def test_a_title_of_ones_own_stays(things: ExitStack, open_window: Open) -> None:
    gate = threading.Event()
    things.callback(gate.set)
    llama = server(things, says("It scatters."), [gate, *says("The model's")])
    shown = open_window(llama)
    shown.ask("Why?")
    shown.until(lambda: len(llama.asked) == 2)
    shown.window.sidebar.rename(1, "Mine")
    shown.until(lambda: titles(shown) == ["Mine"])
    gate.set()
    shown.rest(0.4)
    assert titles(shown) == ["Mine"]
    assert shown.window.page.header.title.text() == "Mine"


@pytest.mark.slow
def test_a_new_turn_ends_the_asking_and_it_is_asked_again_after_it(things: ExitStack, open_window: Open) -> None:
    gate = threading.Event()
    things.callback(gate.set)
    llama = server(things, says("It scatters."), [gate, *says("Too late")], says("More."), says("The sky"))
    shown = open_window(llama)
    shown.ask("Why?")
    shown.until(lambda: len(llama.asked) == 2)
    shown.ask("And at night?")
    shown.until(lambda: titles(shown) == ["The sky"])
    assert [is_title(body) for body in llama.asked] == [False, True, False, True]
    gate.set()


@pytest.mark.slow
def test_no_title_is_asked_for_while_another_chat_is_answered(things: ExitStack, open_window: Open) -> None:
    gate = threading.Event()
    things.callback(gate.set)
    llama = server(things, [*says("Half "), gate, *says("done.")], says("Other."), says("A title"), says("A title"))
    shown = open_window(llama)
    shown.ask("One", wait=False)
    shown.until(lambda: len(llama.asked) == 1)
    shown.window.chat.new_chat()
    shown.ask("Two")
    shown.rest(0.8)
    assert waits(shown) == -1
    assert len(llama.asked) == 2
    gate.set()
    shown.until(lambda: titles(shown) == ["A title", "A title"])


@pytest.mark.slow
def test_stop_gives_the_asking_up(things: ExitStack, open_window: Open) -> None:
    gate = threading.Event()
    things.callback(gate.set)
    llama = server(things, says("It scatters."), [gate, *says("A title")])
    shown = open_window(llama)
    shown.ask("Why?")
    shown.until(lambda: len(llama.asked) == 2)
    shown.window.actions_by_id["stop"].trigger()
    gate.set()
    shown.rest(0.4)
    assert titles(shown) == ["Why?"]
    assert waits(shown) == -1


@pytest.mark.slow
def test_with_one_slot_half_a_minute_of_quiet_is_waited_for(things: ExitStack, open_window: Open) -> None:
    llama = server(things, says("It scatters."), slots=1)
    shown = open_window(llama)
    shown.ask("Why?")
    shown.until(lambda: waits(shown) == 30_000)
    assert len(llama.asked) == 1


@pytest.mark.slow
def test_no_answer_no_title(things: ExitStack, open_window: Open) -> None:
    llama = server(things, [(500, "boom")])
    shown = open_window(llama)
    shown.ask("Why?")
    shown.rest(0.3)
    assert waits(shown) == -1


@pytest.mark.slow
def test_a_title_that_is_of_no_use_leaves_the_words(things: ExitStack, open_window: Open) -> None:
    llama = server(things, says("It scatters."), says("..."))
    shown = open_window(llama)
    shown.ask("Why?")
    shown.until(lambda: len(llama.asked) == 2)
    shown.rest(0.3)
    assert titles(shown) == ["Why?"]
    assert waits(shown) == -1


@pytest.mark.slow
def test_who_switches_it_off_meanwhile_is_not_asked_for(things: ExitStack, open_window: Open) -> None:
    llama = server(things, says("It scatters."))
    shown = open_window(llama)
    shown.ask("Why?")
    shown.until(lambda: waits(shown) == 500)
    shown.app.set_setting("titles", "words")
    shown.until(lambda: waits(shown) == -1)
    shown.rest(0.2)
    assert len(llama.asked) == 1

"""The system prompt of a chat in the real window: chosen, kept over edits of the settings, changed after a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from llamachat.core.conversation import SystemPrompt
from llamachat.storage.conversations import create_conversation, get_conversation, list_conversations, set_prompt
from llamachat.ui.prompt_dialog import PromptDialog
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says

CONFIG = """default_prompt = "Be brief."
temperature = 0.5

[prompts.reviewer]
text = "You review."
temperature = 0.1
model = "gemma"

[prompts.poet]
text = "You rhyme."
"""
ROUTER = [("qwen", "loaded"), ("gemma", "unloaded")]
Open = Callable[[str], Stage]


@pytest.fixture
def llama() -> Iterator[ScriptedLlama]:
    with ScriptedLlama(says("Answer."), models=ROUTER) as llama:
        yield llama


@pytest.fixture
def open_window(qtbot: QtBot, tmp_path: Path, llama: ScriptedLlama) -> Iterator[Open]:
    with ExitStack() as things:
        yield lambda more: things.enter_context(stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n{more}'))


def choose(shown: Stage, line: str) -> None:
    """Click a line of the menu."""
    menu = shown.window.page.composer.prompt.menu()
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == line).trigger()


def system(llama: ScriptedLlama, number: int) -> str:
    """The system prompt of a request."""
    first = llama.asked[number]["messages"][0]  # type: ignore[index]  # JSON
    assert first["role"] == "system"
    return str(first["content"])


def agree(shown: Stage, button: str) -> str:
    """Press a button of the question, and give what it says."""
    shown.until(lambda: shown.window.findChildren(QMessageBox))
    (box,) = shown.window.findChildren(QMessageBox)
    text = box.informativeText()
    next(one for one in box.buttons() if one.text() == button).click()
    shown.until(lambda: not shown.window.findChildren(QMessageBox))
    return text


def edit_config(shown: Stage, before: str, after: str) -> None:
    told = shown.config.read_text(encoding="utf-8")
    assert before in told
    known = shown.app.config
    shown.config.write_text(told.replace(before, after), encoding="utf-8")
    shown.until(lambda: shown.app.config != known)


def prompt_text(shown: Stage) -> str:
    return shown.window.page.composer.prompt.text()


def test_a_new_chat_takes_the_configured_one_or_another_with_its_samplers_and_model(
    open_window: Open, llama: ScriptedLlama
) -> None:
    shown = open_window(CONFIG)
    assert prompt_text(shown) == "Default prompt"
    shown.ask("One")
    shown.window.chat.new_chat()
    choose(shown, "reviewer")
    assert shown.window.page.header.model.model == "gemma"
    shown.ask("Two")
    assert [system(llama, 0), system(llama, 1)] == ["Be brief.", "You review."]
    assert [body["temperature"] for body in llama.asked] == [0.5, 0.1]
    assert [body["model"] for body in llama.asked] == ["qwen", "gemma"]
    shown.window.chat.new_chat()
    assert prompt_text(shown) == "Default prompt"
    with shown.app.database() as db:
        stored = [chat.system_prompt for chat in list_conversations(db)]
    assert stored == [SystemPrompt("reviewer", "You review."), SystemPrompt("", "Be brief.")]


@pytest.mark.slow
def test_an_edit_of_the_settings_changes_no_chat_until_its_new_text_is_chosen(
    open_window: Open, llama: ScriptedLlama
) -> None:
    shown = open_window(f'prompt = "reviewer"\n{CONFIG}')
    shown.ask("One")
    edit_config(shown, "You review.", "You review well.")
    edit_config(shown, "temperature = 0.1", "temperature = 0.3")
    shown.ask("Two")
    assert system(llama, 1) == "You review."
    assert llama.asked[1]["temperature"] == 0.3  # this costs no reading
    choose(shown, "reviewer: use its new text")
    told = agree(shown, "Change it")
    assert told == "The model then reads the whole chat again before the next answer: about 213 tokens."
    shown.until(lambda: shown.window.page.composer.prompt.prompt.text == "You review well.")
    shown.ask("Three")
    assert system(llama, 2) == "You review well."


@pytest.mark.slow
def test_a_prompt_that_is_gone_from_the_settings_goes_on_in_its_chat(open_window: Open, llama: ScriptedLlama) -> None:
    shown = open_window(f'prompt = "reviewer"\n{CONFIG}')
    shown.ask("One")
    number = shown.window.chat.conversation_id
    assert number is not None
    edit_config(shown, 'prompt = "reviewer"\n', "")
    edit_config(shown, '[prompts.reviewer]\ntext = "You review."', '[prompts.other]\ntext = "Other."')
    shown.window.chat.new_chat()
    assert prompt_text(shown) == "Default prompt"
    shown.window.chat.open(number)
    shown.until(lambda: prompt_text(shown) == "reviewer")
    shown.ask("Two")
    assert system(llama, 1) == "You review."
    assert llama.asked[1]["temperature"] == 0.5


@pytest.mark.slow
def test_no_is_no(open_window: Open, llama: ScriptedLlama) -> None:
    shown = open_window(CONFIG)
    shown.ask("One")
    choose(shown, "poet")
    agree(shown, "Cancel")
    assert prompt_text(shown) == "Default prompt"
    shown.ask("Two")
    assert system(llama, 1) == "Be brief."


@pytest.mark.slow
def test_an_empty_chat_is_not_asked_about(open_window: Open) -> None:
    shown = open_window(CONFIG)
    with shown.app.database() as db:
        number = create_conversation(db, title="Empty", prompt="Be brief.").id
    shown.window.chat.open(number)
    shown.until(lambda: shown.window.chat.conversation_id == number)
    choose(shown, "poet")
    shown.until(lambda: prompt_text(shown) == "poet")
    assert not shown.window.findChildren(QMessageBox)


@pytest.mark.slow
def test_the_text_is_changed_for_one_chat_alone(open_window: Open, llama: ScriptedLlama) -> None:
    shown = open_window(f'prompt = "reviewer"\n{CONFIG}')
    shown.ask("One")
    shown.window.actions_by_id["prompt"].trigger()
    shown.until(lambda: shown.window.findChildren(PromptDialog))
    (dialog,) = shown.window.findChildren(PromptDialog)
    assert dialog.field.toPlainText() == "You review."
    dialog.field.setPlainText("You review kindly.")
    dialog.use.click()
    shown.until(lambda: prompt_text(shown) == "Own prompt")
    shown.ask("Two")
    assert system(llama, 1) == "You review kindly."
    assert llama.asked[1]["temperature"] == 0.1  # still those of its prompt
    assert shown.app.config.prompts["reviewer"].text == "You review."
    shown.window.chat.new_chat()
    assert prompt_text(shown) == "reviewer"


@pytest.mark.slow
def test_what_is_chosen_for_a_new_chat_stays_while_another_one_is_shown(open_window: Open) -> None:
    shown = open_window(CONFIG)
    shown.ask("One")
    number = shown.window.chat.conversation_id
    assert number is not None
    shown.window.chat.new_chat()
    choose(shown, "poet")
    shown.window.chat.open(number)
    shown.until(lambda: prompt_text(shown) == "Default prompt")
    shown.window.chat.new_chat()
    assert prompt_text(shown) == "poet"


@pytest.mark.slow
def test_what_another_program_chose_is_shown(open_window: Open) -> None:
    shown = open_window(CONFIG)
    shown.ask("One")
    number = shown.window.chat.conversation_id
    assert number is not None
    with shown.app.database() as db:
        set_prompt(db, number, SystemPrompt("poet", "You rhyme."))
        assert get_conversation(db, number) is not None
    shown.window.elsewhere.changed.emit()
    shown.until(lambda: prompt_text(shown) == "poet")


@pytest.mark.slow
def test_a_temporary_chat_has_a_prompt_of_its_own_too(open_window: Open, llama: ScriptedLlama) -> None:
    shown = open_window(CONFIG)
    shown.window.actions_by_id["new-temporary"].trigger()
    shown.until(lambda: shown.window.temporary.is_shown)
    assert prompt_text(shown) == "Default prompt"
    choose(shown, "poet")
    shown.until(lambda: prompt_text(shown) == "poet")
    shown.ask("One")
    assert system(llama, 0) == "You rhyme."
    with shown.app.database() as db:
        assert list_conversations(db) == []

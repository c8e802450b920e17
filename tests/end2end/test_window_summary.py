"""A chat that is too long for the context goes on in a new one, in the real window."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from llamachat.storage.conversations import get_conversation, list_conversations
from llamachat.storage.messages import load_branch
from llamachat.ui.summary_dialog import SummaryDialog
from tests.end2end.ended_turns import TOO_LONG, buttons, press, scripted, window_on
from tests.end2end.stage import Stage
from tests.fakes.scripted_llama import says
from tests.integration.llama_server import running_parrot

SUMMED_UP = "In short: it was about tides."
FIRST = f"About tides\n---\n@system:summary\n{SUMMED_UP}"  # the parrot sums up what it is told here
LONG = "Is that so? " + "z" * 2300


@pytest.fixture
def windows(qtbot: QtBot) -> Iterator[ExitStack]:
    """Closes what is opened in it."""
    with ExitStack() as opened:
        yield opened


def _full(shown: Stage) -> None:
    """A chat whose second question does not fit the context any more."""
    shown.ask(FIRST)
    shown.ask(LONG)
    assert buttons(shown) == ["New chat with a summary", "New empty chat"]
    assert "the context holds 4,096" in shown.window.page.view.toPlainText()


def _dialog(shown: Stage) -> SummaryDialog:
    shown.until(lambda: shown.window.endings.dialog)
    dialog = shown.window.endings.dialog
    assert dialog is not None
    return dialog


def _temporary(windows: ExitStack, folder: Path) -> Stage:
    """A temporary chat whose second question does not fit."""
    _, shown = scripted(windows, folder, says("Yes."), [TOO_LONG], says("In short."), says("Well."))
    windows.callback(shown.window.end)  # closing it would ask
    shown.window.temporary.new()
    shown.until(lambda: shown.window.temporary.is_shown)
    shown.ask("One?")
    shown.ask("Two?")
    return shown


def _leave(shown: Stage) -> None:
    """Leave the temporary chat."""
    _answer(shown, "Leave")


def _answer(shown: Stage, text: str) -> None:
    """Answer the question whether it may be left."""
    shown.until(lambda: shown.window.findChildren(QMessageBox))
    (box,) = shown.window.findChildren(QMessageBox)
    next(button for button in box.buttons() if button.text() == text).click()
    shown.until(lambda: not shown.window.findChildren(QMessageBox))


def _nothing_is_stored(shown: Stage) -> bool:
    with shown.app.database() as db:
        rows = [row for table in ("conversations", "messages", "state") for row in db.rows(f"SELECT * FROM {table}")]
    return not any(word in str(tuple(row)) for row in rows for word in ("Two?", "One?", "In short."))


@pytest.mark.slow
def test_a_new_chat_begins_with_a_summary_that_was_read_and_changed(windows: ExitStack, tmp_path: Path) -> None:
    server = windows.enter_context(running_parrot(tmp_path / "parrot.gguf", slots=1, n_ctx=4096))
    shown = windows.enter_context(window_on(server.base_url, tmp_path))
    _full(shown)
    before = shown.window.chat.conversation_id
    press(shown, "New chat with a summary")
    dialog = _dialog(shown)
    assert not dialog.begin.isEnabled()
    shown.until(dialog.begin.isEnabled)
    assert dialog.summary.toPlainText().startswith(SUMMED_UP)
    assert dialog.question.toPlainText() == LONG
    with shown.app.database() as db:
        assert len(list_conversations(db)) == 1, "nothing is used before it was seen"
    dialog.summary.setPlainText("It was about tides, and we agreed.")
    dialog.question.setPlainText("Is that so?")
    dialog.begin.click()
    shown.until(lambda: shown.window.chat.conversation_id not in (None, before))
    shown.until(shown.idle)
    with shown.app.database() as db:
        made = list_conversations(db, limit=1)[0]
        question = load_branch(db, made.id)[0]
    assert made.title == "Is that so?"
    assert question.content == ("Is that so?\n\nSummary of the chat before:\n\nIt was about tides, and we agreed.")
    assert "we agreed" in shown.window.page.view.toPlainText()
    assert shown.window.endings.dialog is None


@pytest.mark.slow
def test_a_new_empty_chat_has_the_question_in_its_field(windows: ExitStack, tmp_path: Path) -> None:
    server = windows.enter_context(running_parrot(tmp_path / "parrot.gguf", slots=1, n_ctx=4096))
    shown = windows.enter_context(window_on(server.base_url, tmp_path))
    _full(shown)
    press(shown, "New empty chat")
    shown.until(lambda: shown.window.page.composer.text)
    assert (shown.window.chat.conversation_id, shown.window.page.composer.text) == (None, LONG)
    shown.window.sidebar.opened.emit(1)
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    shown.window.chat.new_chat()
    assert shown.window.page.composer.text == LONG, "it is kept as what is typed"


def test_what_was_typed_for_a_new_chat_is_not_lost_by_one_that_begins_with_a_summary(
    windows: ExitStack, tmp_path: Path
) -> None:
    answers = (says("Yes."), [TOO_LONG], says("In short."), says("Well."))
    llama, shown = scripted(windows, tmp_path, *answers)
    composer = shown.window.page.composer
    shown.ask("One?")
    shown.window.chat.new_chat()
    QTest.keyClicks(composer.edit, "Half a thought")
    shown.window.sidebar.opened.emit(1)
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    shown.ask("Two?")
    press(shown, "New chat with a summary")
    dialog = _dialog(shown)
    shown.until(dialog.begin.isEnabled)
    dialog.begin.click()
    shown.until(lambda: shown.window.chat.conversation_id == 2)
    shown.until(shown.idle)
    assert composer.text == ""
    assert str(llama.asked[-1]["messages"]).count("In short.") == 1
    shown.window.chat.new_chat()
    assert composer.text == "Half a thought"


def test_the_new_chat_has_the_prompt_the_model_and_the_search_of_the_old_one(
    windows: ExitStack, tmp_path: Path
) -> None:
    _, shown = scripted(windows, tmp_path, says("Yes."), [TOO_LONG], says("In short."), says("Well."))
    shown.ask("One?")
    with shown.app.database() as db:
        db.write("UPDATE conversations SET prompt = 'Be brief.', search_mode = 'off', prompt_edited = 1")
    shown.window.chat.new_chat()
    shown.window.sidebar.opened.emit(1)
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    shown.ask("Two?")
    press(shown, "New empty chat")
    shown.until(lambda: shown.window.page.composer.text == "Two?")
    shown.window.page.composer.send.click()
    shown.until(lambda: shown.window.chat.conversation_id == 2)
    shown.until(shown.idle)
    with shown.app.database() as db:
        old, new = get_conversation(db, 1), get_conversation(db, 2)
    assert old is not None
    assert new is not None
    assert (new.prompt, new.search_mode, new.model) == (old.prompt, old.search_mode, old.model)


def test_a_summary_that_cannot_be_written_can_be_typed_or_tried_again(windows: ExitStack, tmp_path: Path) -> None:
    answers = (says("Yes."), [TOO_LONG], [(500, "out of memory")], says("In short."), says("Well."))
    _, shown = scripted(windows, tmp_path, *answers)
    shown.ask("One?")
    shown.ask("Two?")
    press(shown, "New chat with a summary")
    dialog = _dialog(shown)
    shown.until(dialog.again.isEnabled)
    assert "out of memory" in dialog.state.text()
    assert not dialog.begin.isEnabled()
    dialog.summary.setPlainText("My own words.")
    assert dialog.begin.isEnabled()
    dialog.again.click()
    shown.until(dialog.begin.isEnabled)
    assert dialog.summary.toPlainText() == "In short."


def test_the_window_of_the_summary_closes_at_once_while_it_is_written(windows: ExitStack, tmp_path: Path) -> None:
    held = threading.Event()
    _, shown = scripted(windows, tmp_path, says("Yes."), [TOO_LONG], [*says("In "), held, *says("short.")])
    shown.ask("One?")
    shown.ask("Two?")
    press(shown, "New chat with a summary")
    dialog = _dialog(shown)
    shown.until(lambda: dialog.summary.toPlainText() == "In ")
    dialog.reject()
    assert shown.window.endings.dialog is None
    held.set()
    shown.rest(0.2)
    with shown.app.database() as db:
        assert len(list_conversations(db)) == 1


def test_the_new_chat_after_a_temporary_one_is_temporary_too(windows: ExitStack, tmp_path: Path) -> None:
    shown = _temporary(windows, tmp_path)
    press(shown, "New empty chat")
    _leave(shown)
    shown.until(lambda: shown.window.page.composer.text == "Two?")
    assert shown.window.temporary.is_shown
    assert "Yes." not in shown.window.page.view.toPlainText()
    assert _nothing_is_stored(shown)


def test_so_is_one_that_begins_with_a_summary(windows: ExitStack, tmp_path: Path) -> None:
    shown = _temporary(windows, tmp_path)
    press(shown, "New chat with a summary")
    dialog = _dialog(shown)
    shown.until(dialog.begin.isEnabled)
    dialog.begin.click()
    _leave(shown)
    shown.until(lambda: "Well." in shown.window.page.view.toPlainText())
    shown.until(shown.idle)
    assert shown.window.temporary.is_shown
    assert shown.window.endings.dialog is None
    assert _nothing_is_stored(shown)


def test_who_stays_in_the_temporary_chat_can_begin_the_new_one_later(windows: ExitStack, tmp_path: Path) -> None:
    shown = _temporary(windows, tmp_path)
    press(shown, "New chat with a summary")
    dialog = _dialog(shown)
    shown.until(dialog.begin.isEnabled)
    dialog.begin.click()
    assert not dialog.begin.isEnabled()
    _answer(shown, "Stay")
    shown.until(dialog.begin.isEnabled)
    dialog.begin.click()
    _answer(shown, "Leave")
    shown.until(lambda: "Well." in shown.window.page.view.toPlainText())
    assert shown.window.endings.dialog is None

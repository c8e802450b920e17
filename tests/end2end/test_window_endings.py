"""Turns that did not end well, in the real window on a real llama-server: each button does what it says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Role, Status, StoredMessage
from llamachat.render.block_kinds import BlockKind, kind_of
from llamachat.storage.conversations import get_conversation, list_conversations
from llamachat.storage.messages import load_branch
from llamachat.ui.summary_dialog import SummaryDialog
from llamachat.ui.transcript.buttons import buttons_of
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import Answer, ScriptedLlama, says, thinks
from tests.integration.llama_server import ParrotServer, running_parrot
from tests.integration.test_turn_endings import ANSWER, BEGUN, CLOSED

TOO_LONG = (400, "the request exceeds the available context size")
SUMMED_UP = "In short: it was about tides."
FIRST = f"About tides\n---\n@system:summary\n{SUMMED_UP}"  # the parrot sums up what it is told here
LONG = "Is that so? " + "z" * 2300


@pytest.fixture
def windows(qtbot: QtBot) -> Iterator[ExitStack]:
    """Closes what is opened in it."""
    with ExitStack() as opened:
        yield opened


@contextmanager
def window_on(base_url: str, folder: Path, more: str = "") -> Iterator[Stage]:
    with stage(folder / "profile", f'base_url = "{base_url}"\n{more}') as shown:
        yield shown


def last_of(shown: Stage) -> StoredMessage:
    """The last message of the newest chat in the store."""
    with shown.app.database() as db:
        return load_branch(db, list_conversations(db, limit=1)[0].id)[-1]


def offered(shown: Stage) -> dict[str, str]:
    """What the buttons at the end of the chat say, and the links that they are."""
    block = shown.window.page.view.document().begin()
    while block.isValid() and kind_of(block.userState()) is not BlockKind.BUTTONS:
        block = block.next()
    labels = [label.strip("\u00a0").replace("\u00a0", " ") for label in block.text().split(" ") if label]
    return dict(zip(labels, (href for href, _ in buttons_of(block)), strict=True)) if block.isValid() else {}


def buttons(shown: Stage) -> list[str]:
    return list(offered(shown))


def press(shown: Stage, label: str) -> None:
    """Press a button, as a click on it does."""
    shown.window.page.view.anchorClicked.emit(QUrl(offered(shown)[label]))


def test_thinking_that_used_up_the_limit_is_left_and_the_answer_goes_on_to_its_end(
    windows: ExitStack, parrot_server: ParrotServer, tmp_path: Path
) -> None:
    limit = len(BEGUN)
    shown = windows.enter_context(window_on(parrot_server.base_url, tmp_path, f"max_tokens = {limit}\n"))
    shown.ask(BEGUN + "x" * len(CLOSED) + ANSWER)
    assert buttons(shown) == ["Continue without thinking", "Continue thinking", "Answer again"]
    press(shown, "Continue without thinking")
    shown.until(shown.idle)
    assert (last_of(shown).content, last_of(shown).reasoning) == (ANSWER[:limit], "A long th")
    assert buttons(shown) == ["Continue"]
    shown.window.actions_by_id["help"].trigger()  # what is offered first, by its key
    shown.until(shown.idle)
    assert (last_of(shown).content, last_of(shown).status) == (ANSWER, Status.COMPLETE)
    assert buttons(shown) == []


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


def scripted(windows: ExitStack, folder: Path, *answers: Answer) -> tuple[ScriptedLlama, Stage]:
    """A window on a server that answers so."""
    llama = windows.enter_context(ScriptedLlama(*answers))
    return llama, windows.enter_context(window_on(llama.base_url, folder))


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


def test_retry_goes_on_after_a_server_that_broke_off(windows: ExitStack, tmp_path: Path) -> None:
    _, shown = scripted(windows, tmp_path, [*says("Half an"), (500, "")], says(" answer."))
    shown.ask("One?")
    assert buttons(shown) == ["Continue", "Retry"]
    press(shown, "Continue")
    shown.until(shown.idle)
    assert (last_of(shown).content, last_of(shown).role) == ("Half an answer.", Role.ASSISTANT)
    assert buttons(shown) == []


def test_a_stop_in_thought_offers_to_go_on_with_it_and_without(windows: ExitStack, tmp_path: Path) -> None:
    held = threading.Event()
    llama, shown = scripted(windows, tmp_path, [*thinks("Hm. Well."), held], says("Noon."))
    shown.ask("When?", wait=False)
    shown.until(lambda: "thinking" in shown.window.page.view.toPlainText())
    shown.window.chat.turns.stop()
    shown.until(shown.idle)
    held.set()
    assert buttons(shown) == ["Continue without thinking", "Continue thinking", "Answer again"]
    press(shown, "Continue without thinking")
    shown.until(shown.idle)
    assert llama.asked[-1]["continue_final_message"] == "content"
    assert last_of(shown).content == "Noon."

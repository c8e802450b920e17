"""A temporary chat in the real window: chats like any other, asks before it is left, can be saved after all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from llamachat.core.conversation import is_temporary
from llamachat.core.messages import Status
from llamachat.storage.conversations import get_conversation, list_conversations
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import load_branch, load_messages
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says

pytestmark = pytest.mark.slow


@pytest.fixture
def llama() -> Iterator[ScriptedLlama]:
    """A server that says One, Two, Three."""
    with ScriptedLlama(says("One."), says("Two."), says("Three.")) as server:
        yield server


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path, llama: ScriptedLlama) -> Iterator[Stage]:
    """A window with one stored chat, and a temporary one in front."""
    with stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown:
        shown.ask("Stored?")
        begin(shown)
        yield shown
        shown.window.end()


def begin(shown: Stage) -> None:
    """Begin a temporary chat as its key does."""
    shown.window.actions_by_id["new-temporary"].trigger()
    shown.until(lambda: is_temporary(shown.window.chat.conversation_id))


def press(shown: Stage, name: str) -> None:
    """Press a button of the question that is shown."""
    box = question(shown)
    (button,) = [button for button in box.buttons() if button.text().replace("&", "") == name]
    button.click()
    shown.until(lambda: not shown.window.findChildren(QMessageBox))


def question(shown: Stage) -> QMessageBox:
    """The question that is shown."""
    (box,) = shown.window.findChildren(QMessageBox)
    return box


def text_of(shown: Stage) -> str:
    """What the reader sees."""
    return shown.window.page.view.toPlainText()


def titles(shown: Stage) -> list[str]:
    """The list of chats."""
    with shown.app.database() as db:
        return [chat.title for chat in list_conversations(db)]


def test_it_says_what_it_is_and_is_in_no_list(shown: Stage) -> None:
    page = shown.window.page
    assert page.header.title.text() == "Temporary chat · not saved"
    assert shown.window.windowTitle() == "Temporary chat · not saved - llamachat"
    assert "It is gone when you leave it." in text_of(shown)
    assert page.header.keep.isVisible()
    shown.ask("Secret?")
    assert "Two." in text_of(shown)
    assert page.header.title.text() == "Temporary chat · not saved"
    assert titles(shown) == ["Stored?"]
    rows = shown.window.sidebar.chats.rows
    assert [rows.index(row).data() for row in range(rows.rowCount())][1:] == ["Stored?"]
    for name, enabled in (("rename", False), ("delete", False), ("keep", True)):
        assert shown.window.actions_by_id[name].isEnabled() is enabled


def test_with_nothing_said_it_is_left_without_a_question(shown: Stage) -> None:
    shown.window.page.header.keep.click()
    assert shown.window.notices.text("toast") == "Nothing is said in this chat yet."
    shown.window.chat.open(1)
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    assert not shown.window.page.header.keep.isVisible()
    assert shown.window.actions_by_id["rename"].isEnabled()
    assert shown.window.store.temporary is None


def test_leaving_is_asked_about_and_then_the_chat_is_gone(shown: Stage) -> None:
    shown.ask("Secret?")
    find_bar = shown.window.page.view.find_bar
    find_bar.open()
    find_bar.field.setText("Two")
    shown.window.chat.open(1)
    assert question(shown).text() == "This chat is gone when you leave it."
    press(shown, "Stay")
    assert is_temporary(shown.window.chat.conversation_id)
    assert "Two." in text_of(shown)
    shown.window.chat.open(1)
    press(shown, "Leave")
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    assert "Stored?" in text_of(shown)
    assert titles(shown) == ["Stored?"]
    assert find_bar.field.text() == ""
    shown.until(lambda: "temporary chat" not in {thread.name for thread in threading.enumerate()})
    begin(shown)
    assert "Secret" not in text_of(shown)


def test_what_is_only_typed_is_asked_about_too_and_written_nowhere(shown: Stage) -> None:
    QTest.keyClicks(shown.window.page.composer.edit, "unsent secret")
    shown.rest(0.7)  # longer than drafts wait
    shown.window.navigation.new_chat()
    press(shown, "Leave")
    shown.until(lambda: shown.window.chat.conversation_id is None)
    assert shown.window.page.composer.text == ""
    shown.window.page.composer.edit.undo()
    assert shown.window.page.composer.text == ""


def test_another_one_asks_for_the_first(shown: Stage) -> None:
    first = shown.window.chat.conversation_id
    shown.window.actions_by_id["new-temporary"].trigger()  # nothing is said: it is the same one
    assert shown.window.chat.conversation_id == first
    shown.ask("Secret?")
    shown.window.actions_by_id["new-temporary"].trigger()
    press(shown, "Leave")
    shown.until(lambda: shown.window.chat.conversation_id not in (None, first))
    assert is_temporary(shown.window.chat.conversation_id)
    assert "Secret" not in text_of(shown)


def test_saved_it_is_whole_and_goes_on_like_any_other(shown: Stage, llama: ScriptedLlama) -> None:
    shown.ask("Secret?")
    view = shown.window.page.view
    answer = view.last_id
    assert answer
    view.retry_requested.emit(answer)
    shown.until(lambda: "Three." in text_of(shown))
    shown.until(shown.idle)
    QTest.keyClicks(shown.window.page.composer.edit, "typed")
    shown.window.page.header.keep.click()
    shown.until(lambda: (shown.window.chat.conversation_id or 0) > 0)
    assert shown.window.page.header.title.text() == "Secret?"
    assert shown.window.page.composer.text == "typed"
    assert not shown.window.page.header.keep.isVisible()
    assert titles(shown) == ["Secret?", "Stored?"]
    assert shown.window.store.temporary is None
    number = shown.window.chat.conversation_id or 0
    with shown.app.database() as db:
        assert [message.content for message in load_messages(db, number)] == ["Secret?", "Two.", "Three."]
        assert [message.content for message in load_branch(db, number)] == ["Secret?", "Three."]
        assert {hit.conversation_id for hit in search_history(db, "secret")} == {number}


def test_saved_on_leaving_the_other_chat_is_shown(shown: Stage) -> None:
    shown.ask("Secret?")
    shown.window.chat.open(1)
    press(shown, "Save it")
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    assert titles(shown) == ["Secret?", "Stored?"]


def gated(shown: Stage, llama: ScriptedLlama) -> threading.Event:
    """Half of an answer is there, and the gate before its rest."""
    gate = threading.Event()
    llama.answers = [*llama.answers[: len(llama.asked)], [*says("Half "), gate, *says("done.")], says("Three.")]
    shown.ask("Secret?", wait=False)
    shown.until(lambda: "Half" in text_of(shown))
    return gate


def test_while_it_answers_saving_waits_for_the_end(shown: Stage, llama: ScriptedLlama) -> None:
    gate = gated(shown, llama)
    shown.window.actions_by_id["keep"].trigger()
    assert shown.window.notices.text("toast") == "The chat will be saved when the answer has ended."
    assert titles(shown) == ["Stored?"]
    gate.set()
    shown.until(lambda: (shown.window.chat.conversation_id or 0) > 0)
    assert "Half done." in text_of(shown)


def test_left_in_the_middle_of_an_answer_the_answer_is_stopped(shown: Stage, llama: ScriptedLlama) -> None:
    gate = gated(shown, llama)
    shown.window.navigation.new_chat()
    press(shown, "Leave")
    shown.until(lambda: shown.window.chat.conversation_id is None)
    gate.set()
    shown.until(lambda: not shown.window.turns.conversations())
    assert "Half" not in text_of(shown)
    assert titles(shown) == ["Stored?"]


def test_left_and_saved_in_the_middle_what_is_there_is_saved(shown: Stage, llama: ScriptedLlama) -> None:
    gate = gated(shown, llama)
    shown.window.navigation.new_chat()
    press(shown, "Save it")
    gate.set()
    shown.until(lambda: shown.window.chat.conversation_id is None)
    assert titles(shown) == ["Secret?", "Stored?"]
    with shown.app.database() as db:
        assert [message.status for message in load_branch(db, 2)] == [Status.COMPLETE, Status.STOPPED]


def test_what_waits_to_be_asked_is_asked_in_it_and_saved_as_a_draft(shown: Stage, llama: ScriptedLlama) -> None:
    gate = gated(shown, llama)
    for text in ("Next?", "Last?"):
        shown.window.page.composer.set_text(text)
        shown.window.page.composer.queue.click()
        shown.until(lambda: shown.window.page.composer.text == "")
    shown.until(lambda: len(shown.window.page.queue.rows) == 2)
    shown.window.page.composer.set_text("typed")
    shown.window.navigation.new_chat()
    press(shown, "Save it")
    gate.set()
    shown.until(lambda: shown.window.chat.conversation_id is None)
    with shown.app.database() as db:
        saved = get_conversation(db, 2)
    assert saved
    assert saved.draft == "Next?\n\nLast?\n\ntyped"


def test_the_next_question_that_waits_is_asked(shown: Stage, llama: ScriptedLlama) -> None:
    gate = gated(shown, llama)
    shown.window.page.composer.set_text("Next?")
    shown.window.page.composer.queue.click()
    shown.until(lambda: shown.window.page.queue.rows)
    gate.set()
    shown.until(lambda: "Three." in text_of(shown))
    assert is_temporary(shown.window.chat.conversation_id)


def test_closing_the_window_asks_and_the_system_does_not(shown: Stage) -> None:
    shown.ask("Secret?")
    shown.window.close()
    assert shown.window.isVisible()
    press(shown, "Stay")
    shown.window.close()
    assert question(shown)
    shown.window.end()  # with the question still there
    assert not shown.window.isVisible()
    assert titles(shown) == ["Stored?"]


def test_closing_after_saving(shown: Stage) -> None:
    shown.ask("Secret?")
    shown.window.close()
    press(shown, "Save it")
    shown.until(lambda: not shown.window.isVisible())
    assert titles(shown) == ["Secret?", "Stored?"]


def test_where_it_cannot_be_saved_it_stays(shown: Stage) -> None:
    shown.ask("Secret?")
    with shown.app.database() as other:
        other.connection.execute("BEGIN IMMEDIATE")
        shown.window.lanes.store.write(lambda db: db.connection.execute("PRAGMA busy_timeout = 10"))
        shown.window.page.header.keep.click()
        shown.until(lambda: "Another program is writing" in shown.window.notices.text("failure"))
        assert is_temporary(shown.window.chat.conversation_id)
        other.connection.execute("ROLLBACK")
    shown.window.page.header.keep.click()
    shown.until(lambda: (shown.window.chat.conversation_id or 0) > 0)
    assert titles(shown) == ["Secret?", "Stored?"]

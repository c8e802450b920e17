"""Giving a chat another shape in the real window: edited answers, other models, forks, lost answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from llamachat.storage.conversations import get_conversation, list_conversations
from llamachat.storage.messages import load_branch
from llamachat.storage.versions import load_versions
from llamachat.ui.edit_dialog import EditDialog
from llamachat.ui.transcript.message_acts import Act
from tests.end2end.stage import Stage, stage
from tests.end2end.test_window_messages import (
    CHAT,
    UNANSWERED,
    do,
    go_to,
    one_chat,
    stored,
    until_shown,
    until_versions,
)
from tests.fakes.scripted_llama import ScriptedLlama, says

MODELS = (("Qwen3-8B", "loaded"), ("Llama-3", "unloaded"))


@pytest.fixture
def llama() -> Iterator[ScriptedLlama]:
    with ScriptedLlama(says("Anew."), models=MODELS) as llama:
        yield llama


@pytest.fixture
def open_chat(qtbot: QtBot, llama: ScriptedLlama, tmp_path: Path) -> Iterator[Callable[[list[str]], Stage]]:
    """Opens the window on a chat of these messages."""
    with ExitStack() as stack:

        def make(texts: list[str]) -> Stage:
            config = f'base_url = "{llama.base_url}"\n'
            shown = stack.enter_context(stage(tmp_path / "p", config, before=one_chat(texts)))
            shown.window.chat.open(1)
            shown.until(lambda: texts[-1] in shown.window.page.view.toPlainText())
            return shown

        yield make


def dialog_of(shown: Stage) -> EditDialog:
    shown.until(lambda: shown.window.findChildren(EditDialog))
    (dialog,) = shown.window.findChildren(EditDialog)
    return dialog


def write(dialog: EditDialog, text: str) -> None:
    """Put a text in the place of the one there, as typing does."""
    dialog.field.selectAll()
    dialog.field.insertPlainText(text)


def asked_messages(llama: ScriptedLlama) -> list[tuple[object, object]]:
    messages = llama.asked[-1]["messages"]
    assert isinstance(messages, list)
    return [(message["role"], message["content"]) for message in messages]


def test_an_answer_is_edited_and_the_model_takes_the_new_text_for_its_own(
    open_chat: Callable[[list[str]], Stage], llama: ScriptedLlama
) -> None:
    shown = open_chat(CHAT)
    go_to(shown, "Two.")
    do(shown, Act.REWRITE)
    dialog = dialog_of(shown)
    assert dialog.field.toPlainText() == "Two."
    write(dialog, "Twelve.")
    dialog.send.click()
    until_shown(shown, ["First?", "One.", "Second?", "Twelve."])
    shown.until(lambda: not shown.window.findChildren(EditDialog))
    assert "edited by you" in shown.window.page.view.toPlainText()
    go_to(shown, "Twelve.")
    until_versions(shown, "2/2")
    shown.ask("Next?")
    until_shown(shown, ["First?", "One.", "Second?", "Twelve.", "Next?", "Anew."])
    assert asked_messages(llama)[3:] == [("assistant", "Twelve."), ("user", "Next?")]
    do(shown, Act.EARLIER)
    until_shown(shown, CHAT)
    assert "edited by you" not in shown.window.page.view.toPlainText()


def test_an_edited_answer_is_continued(open_chat: Callable[[list[str]], Stage], llama: ScriptedLlama) -> None:
    shown = open_chat(CHAT[:2])
    do(shown, Act.REWRITE)
    dialog = dialog_of(shown)
    write(dialog, "One and")
    dialog.send.click()
    shown.until(lambda: stored(shown) == ["First?", "One and"])
    shown.until(lambda: "One and" in shown.window.page.view.toPlainText())
    llama.answers[:] = [says(" two.")]
    do(shown, Act.CONTINUE)
    shown.until(lambda: shown.idle() and len(llama.asked) == 1)
    shown.until(lambda: stored(shown) == ["First?", "One and two."])
    assert asked_messages(llama) == [("user", "First?"), ("assistant", "One and")]
    assert "edited by you" in shown.window.page.view.toPlainText()


def test_a_changed_text_is_not_dropped_by_escape(open_chat: Callable[[list[str]], Stage]) -> None:
    shown = open_chat(CHAT)
    do(shown, Act.EDIT)
    dialog = dialog_of(shown)
    write(dialog, "Half a thou")
    QTest.keyClick(dialog.field, Qt.Key.Key_Escape)
    (box,) = dialog.findChildren(QMessageBox)
    assert box.text() == "Throw your changes away?"
    QTest.keyClick(box, Qt.Key.Key_Escape)
    shown.until(lambda: not dialog.findChildren(QMessageBox))
    assert dialog.field.toPlainText() == "Half a thou"
    write(dialog, "Third?")
    QTest.keyClick(dialog.field, Qt.Key.Key_Escape)
    shown.until(lambda: not shown.window.findChildren(EditDialog))
    assert stored(shown) == CHAT


def test_nothing_is_changed_below_an_answer_that_is_being_written(
    open_chat: Callable[[list[str]], Stage], llama: ScriptedLlama
) -> None:
    go_on = threading.Event()
    llama.answers[:] = [[*says("Ane"), go_on, *says("w.")]]
    shown = open_chat(CHAT)
    for act in (Act.REWRITE, Act.EDIT):
        do(shown, act)
        dialog = dialog_of(shown)
        write(dialog, "Changed.")
        shown.window.chat.turns.send("Fourth?")  # one that waited
        shown.until(lambda: shown.window.chat.turns.turn)
        dialog.send.click()
        assert dialog.note.text() == "An answer is being written in this chat. Try again when it has ended."
        go_on.set()
        shown.until(shown.idle)
        dialog.accept()
        shown.until(lambda: not shown.window.findChildren(EditDialog))
    assert "Changed." not in stored(shown)


def test_another_model_answers_once_and_the_chat_keeps_its_own(
    open_chat: Callable[[list[str]], Stage], llama: ScriptedLlama
) -> None:
    shown = open_chat(CHAT[:2])
    view = shown.window.page.view
    shown.until(lambda: shown.window.page.header.model.offers("Llama-3"))
    do(shown, Act.MODELS)
    menu = next(menu for menu in shown.window.page.findChildren(QMenu) if menu.isVisible())
    lines = {action.text(): action for action in menu.actions()}
    assert [(name, line.isChecked()) for name, line in lines.items()] == [
        ("Llama-3   (loads on first use, which takes a while)", False),
        ("Qwen3-8B", True),  # wrote the answer
    ]
    lines["Llama-3   (loads on first use, which takes a while)"].trigger()
    menu.close()
    shown.until(lambda: shown.idle() and stored(shown) == ["First?", "Anew."])

    assert "Llama-3" in view.toPlainText()
    assert shown.window.page.header.model.model == "Qwen3-8B"
    with shown.app.database() as db:
        assert [message.model for message in load_branch(db, 1)] == ["", "Llama-3"]
        assert len(load_versions(db, 1)) == 2
    llama.answers[:] = [says(" And on.")]
    do(shown, Act.CONTINUE)
    shown.until(lambda: shown.idle() and stored(shown) == ["First?", "Anew. And on."])

    shown.ask("Second?")
    assert [asked["model"] for asked in llama.asked] == ["Llama-3", "Llama-3", "Qwen3-8B"]


def test_a_chat_is_forked_and_both_go_on(open_chat: Callable[[list[str]], Stage], llama: ScriptedLlama) -> None:
    shown = open_chat(CHAT)
    page = shown.window.page
    assert not page.header.source.isVisible()
    go_to(shown, "Two.")
    do(shown, Act.FORK)
    shown.until(lambda: shown.window.chat.conversation_id == 2)
    shown.until(page.header.source.isVisible)
    assert page.header.source.accessibleName() == "Forked from “Chat”. Show it"
    assert page.header.title.text() == "Chat (fork)"
    assert "Third?" not in page.view.toPlainText()
    shown.ask("Other?")
    assert asked_messages(llama) == [
        ("user", "First?"),
        ("assistant", "One."),
        ("user", "Second?"),
        ("assistant", "Two."),
        ("user", "Other?"),
    ]
    page.header.source.click()
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    shown.until(lambda: not page.header.source.isVisible())
    until_shown(shown, CHAT)
    with shown.app.database() as db:
        assert [chat.title for chat in list_conversations(db)] == ["Chat (fork)", "Chat"]
    rows = [row.text for row in map(shown.window.sidebar.chats.rows.row, _indexes(shown)) if row.conversation]
    assert rows == ["Chat (fork)", "Chat"]


def _indexes(shown: Stage) -> list[QModelIndex]:
    rows = shown.window.sidebar.chats.rows
    return [rows.index(number) for number in range(rows.rowCount())]


def test_a_question_that_lost_its_answer_is_answered(
    open_chat: Callable[[list[str]], Stage], llama: ScriptedLlama
) -> None:
    shown = open_chat(CHAT)
    view = shown.window.page.view
    go_to(shown, "Three.")
    view.act(Act.DELETE)
    until_shown(shown, CHAT[:-1])
    assert UNANSWERED in view.toPlainText()
    do(shown, Act.RETRY)
    until_shown(shown, [*CHAT[:-1], "Anew."])
    assert UNANSWERED not in view.toPlainText()
    assert asked_messages(llama)[-1] == ("user", "Third?")
    with shown.app.database() as db:
        chat = get_conversation(db, 1)
    assert chat
    assert chat.title == "Chat"


def test_in_a_temporary_chat_answers_are_edited_and_nothing_is_forked(
    open_chat: Callable[[list[str]], Stage], llama: ScriptedLlama
) -> None:
    shown = open_chat(CHAT)
    view = shown.window.page.view
    shown.window.actions_by_id["new-temporary"].trigger()
    shown.until(lambda: shown.window.chat.conversation_id != 1)
    shown.ask("Secret?")
    shown.until(lambda: "Anew." in view.toPlainText())
    view.step_message(-1)
    assert not view.bar.buttons[Act.FORK].isVisible()
    do(shown, Act.REWRITE)
    dialog = dialog_of(shown)
    write(dialog, "Another secret.")
    dialog.send.click()
    shown.until(lambda: "Another secret." in view.toPlainText())
    shown.ask("More?")
    assert asked_messages(llama)[:2] == [("user", "Secret?"), ("assistant", "Another secret.")]
    assert stored(shown) == CHAT
    shown.window.end()  # without the question that closing asks

"""Single messages in the real window: answered again, edited, deleted and brought back, versions gone through."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message, load_branch
from llamachat.ui.edit_dialog import EditDialog
from llamachat.ui.message_control import UNDO
from llamachat.ui.notices import NoticeBar
from llamachat.ui.transcript.message_acts import Act
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says

CHAT = ["First?", "One.", "Second?", "Two.", "Third?", "Three."]
LONG = 60
UNANSWERED = "There is no answer to this."


def one_chat(texts: list[str]) -> Callable[[Paths], None]:
    def fill(paths: Paths) -> None:
        with Database.open(paths.database) as db:
            chat, parent = create_conversation(db, title="Chat"), None
            for number, text in enumerate(texts):
                role = Role.ASSISTANT if number % 2 else Role.USER
                parent = add_message(db, conversation_id=chat.id, parent_id=parent, role=role, content=text).id

    return fill


@pytest.fixture
def llama() -> Iterator[ScriptedLlama]:
    with ScriptedLlama(says("Anew.")) as llama:
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


def stored(shown: Stage) -> list[str]:
    with shown.app.database() as db:
        return [message.content for message in load_branch(db, 1)]


def until_shown(shown: Stage, texts: list[str]) -> None:
    """Wait until exactly these messages are shown, and see that they are the branch in the store."""

    def said() -> list[str]:
        lines = shown.window.page.view.toPlainText().split("\n")
        return [line for line in lines if line.endswith(("?", ".")) and line[0].isupper() and line != UNANSWERED]

    shown.until(lambda: shown.idle() and said() == texts)
    assert stored(shown) == texts


def go_to(shown: Stage, text: str) -> None:
    """Put the keyboard on the message that says this."""
    view = shown.window.page.view
    for _ in range(2 * len(CHAT)):
        shown.window.actions_by_id["above"].trigger()
        if view.textCursor().block().next().text() == text:
            return
    raise AssertionError(f"the keyboard does not come to {text!r}")


def do(shown: Stage, act: Act) -> None:
    shown.window.actions_by_id[act.value].trigger()


def until_versions(shown: Stage, count: str) -> None:
    """Wait until the versions of the message that the keyboard is on are counted so."""
    shown.until(lambda: shown.window.page.view.bar.version.text() == count)


def press_undo(shown: Stage) -> None:
    (bar,) = [bar for bar in shown.window.notices.findChildren(NoticeBar) if "deleted" in bar.label.text()]
    bar.findChildren(QPushButton)[0].click()


def test_a_deleted_answer_goes_also_where_it_is_asked_anew_before_that_is_seen(
    open_chat: Callable[[list[str]], Stage],
) -> None:
    shown = open_chat(CHAT)
    go_to(shown, "Three.")
    shown.window.page.view.act(Act.DELETE)
    while "Three." in stored(shown):  # the window learns of it later, when the turn is on its way
        pass
    do(shown, Act.RETRY)
    until_shown(shown, CHAT[:-1])


def test_an_answer_in_the_middle_is_made_anew_and_both_versions_stay(open_chat: Callable[[list[str]], Stage]) -> None:
    shown = open_chat(CHAT)
    go_to(shown, "Two.")
    do(shown, Act.RETRY)
    until_shown(shown, ["First?", "One.", "Second?", "Anew."])
    until_versions(shown, "2/2")
    do(shown, Act.EARLIER)
    until_shown(shown, CHAT)
    until_versions(shown, "1/2")
    do(shown, Act.LATER)
    until_shown(shown, ["First?", "One.", "Second?", "Anew."])


def test_a_version_is_changed_without_the_text_above_moving(open_chat: Callable[[list[str]], Stage]) -> None:
    texts = [f"{'Question' if number % 2 == 0 else 'Answer'} {number}." for number in range(28)]
    shown = open_chat([*texts, "Last?", "Word " * 900 + "."])
    view = shown.window.page.view
    do(shown, Act.RETRY)
    shown.until(lambda: shown.idle() and "Anew." in view.toPlainText())
    view.step_message(-1)
    until_versions(shown, "2/2")
    place = view.verticalScrollBar().value()
    do(shown, Act.EARLIER)
    shown.until(lambda: "Word Word" in view.toPlainText())
    assert view.verticalScrollBar().value() == place
    assert view.verticalScrollBar().maximum() > place


def test_a_question_is_edited_and_the_draft_stays(
    open_chat: Callable[[list[str]], Stage], llama: ScriptedLlama
) -> None:
    shown = open_chat(CHAT)
    composer = shown.window.page.composer
    composer.set_text("A draft")
    go_to(shown, "Second?")
    do(shown, Act.EDIT)
    shown.until(lambda: shown.window.findChildren(EditDialog))
    (dialog,) = shown.window.findChildren(EditDialog)
    assert dialog.field.toPlainText() == "Second?"
    dialog.field.setPlainText("  ")
    assert not dialog.send.isEnabled()
    dialog.field.setPlainText("Another?")
    dialog.send.click()
    until_shown(shown, ["First?", "One.", "Another?", "Anew."])
    assert composer.text == "A draft"
    shown.until(lambda: not shown.window.findChildren(EditDialog))
    asked = llama.asked[-1]["messages"]
    assert isinstance(asked, list)
    assert [message["content"] for message in asked] == ["First?", "One.", "Another?"]
    go_to(shown, "Another?")
    until_versions(shown, "2/2")
    do(shown, Act.EARLIER)
    until_shown(shown, CHAT)


def test_a_message_is_deleted_with_what_follows_and_brought_back(open_chat: Callable[[list[str]], Stage]) -> None:
    shown = open_chat(CHAT)
    go_to(shown, "Second?")
    QTest.keyClick(shown.window.page.view, Qt.Key.Key_Delete)
    until_shown(shown, ["First?", "One."])
    assert shown.window.notices.text(UNDO) == "The message and what follows it are deleted."
    shown.ask("Fourth?")
    until_shown(shown, ["First?", "One.", "Fourth?", "Anew."])
    press_undo(shown)
    until_shown(shown, CHAT)
    assert shown.window.notices.text(UNDO) == ""


def test_the_first_message_is_deleted_and_the_chat_goes_on(open_chat: Callable[[list[str]], Stage]) -> None:
    shown = open_chat(CHAT)
    go_to(shown, "First?")
    shown.window.page.view.act(Act.DELETE)
    until_shown(shown, [])
    shown.ask("Afresh?")
    until_shown(shown, ["Afresh?", "Anew."])
    assert shown.window.chat.conversation_id == 1


def test_undo_is_no_longer_offered_in_another_chat(open_chat: Callable[[list[str]], Stage]) -> None:
    shown = open_chat(CHAT)
    shown.window.page.view.act(Act.DELETE)
    shown.until(lambda: shown.window.notices.text(UNDO))
    shown.window.actions_by_id["new"].trigger()
    assert shown.window.notices.text(UNDO) == ""


def test_in_the_middle_of_a_long_chat(open_chat: Callable[[list[str]], Stage]) -> None:
    texts = [f"{'Question' if number % 2 == 0 else 'Answer'} number {number}." for number in range(2 * LONG)]
    shown = open_chat(texts)
    view = shown.window.page.view
    shown.window.chat.new_chat()
    shown.window.chat.open(1, message_id=12)
    shown.until(lambda: view.has_newer)
    go_to(shown, "Answer number 11.")
    do(shown, Act.RETRY)
    shown.until(lambda: shown.idle() and "Anew." in view.toPlainText())
    assert not view.has_newer
    assert stored(shown) == [*texts[:11], "Anew."]
    assert "Question number 12." not in view.toPlainText()


def test_while_an_answer_runs_nothing_is_brought_back(
    open_chat: Callable[[list[str]], Stage], llama: ScriptedLlama
) -> None:
    go_on = threading.Event()
    llama.answers[:] = [[*says("Ane"), go_on, *says("w.")]]
    shown = open_chat(CHAT)
    shown.window.page.view.act(Act.DELETE)
    shown.until(lambda: shown.window.notices.text(UNDO))
    shown.ask("Fourth?", wait=False)
    press_undo(shown)
    assert shown.window.notices.text("toast") == "The message can be brought back when the answer has ended."
    assert stored(shown)[:3] == ["First?", "One.", "Second?"]
    go_on.set()
    until_shown(shown, [*CHAT[:5], "Fourth?", "Anew."])
    press_undo(shown)
    until_shown(shown, CHAT)


def test_a_deletion_in_the_middle_of_a_long_chat(open_chat: Callable[[list[str]], Stage]) -> None:
    texts = [f"{'Question' if number % 2 == 0 else 'Answer'} number {number}." for number in range(2 * LONG)]
    shown = open_chat(texts)
    view = shown.window.page.view
    shown.window.chat.new_chat()
    shown.window.chat.open(1, message_id=12)
    shown.until(lambda: view.has_newer)
    go_to(shown, "Answer number 11.")
    view.act(Act.DELETE)
    shown.until(lambda: "Answer number 11." not in view.toPlainText() and "Question number 10." in view.toPlainText())
    assert not view.has_newer
    assert stored(shown) == texts[:11]
    press_undo(shown)
    shown.until(lambda: texts[-1] in view.toPlainText())
    assert stored(shown) == texts

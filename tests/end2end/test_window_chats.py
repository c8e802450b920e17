"""Chats in the real window: drafts, switching while an answer streams, deleting, text that is never lost."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from llamachat.core.conversation import Conversation, SearchMode
from llamachat.core.messages import Status
from llamachat.storage.conversations import list_conversations
from llamachat.storage.messages import load_branch
from llamachat.ui.shortcut_overview import ShortcutOverview
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import Answer, ScriptedLlama, says


class Gate(threading.Event):
    """Where the model waits in the middle of an answer; opened at the end of the test at the latest."""


@dataclass
class Theatre:
    """Opens windows on one profile and servers with scripts."""

    folder: Path
    things: ExitStack

    def server(self, *answers: Answer) -> ScriptedLlama:
        """A server."""
        return self.things.enter_context(ScriptedLlama(*answers))

    def gate(self) -> Gate:
        """A gate."""
        gate = Gate()
        self.things.callback(gate.set)
        return gate

    def window(self, llama: ScriptedLlama, more: str = "") -> Stage:
        """A window, closed at the end of the test."""
        return self.things.enter_context(stage(self.folder / "profile", f'base_url = "{llama.base_url}"\n{more}'))


@pytest.fixture
def theatre(qtbot: QtBot, tmp_path: Path) -> Iterator[Theatre]:
    """An empty profile."""
    with ExitStack() as things:
        yield Theatre(tmp_path, things)


def chats(shown: Stage) -> list[Conversation]:
    """All chats in the store."""
    with shown.app.database() as db:
        return list_conversations(db)


def text_of(shown: Stage) -> str:
    """What the reader sees."""
    return shown.window.page.view.toPlainText()


def type_text(shown: Stage, text: str) -> None:
    """Type into the composer."""
    shown.window.page.composer.edit.setPlainText(text)


def test_drafts_are_kept_for_each_chat_and_over_a_restart(theatre: Theatre) -> None:
    llama = theatre.server(says("Answer."))
    with stage(theatre.folder / "profile", f'base_url = "{llama.base_url}"\n') as shown:
        shown.ask("First question")
        number = chats(shown)[0].id
        assert "What would you like to know?" not in text_of(shown)
        type_text(shown, "to the first chat")
        shown.window.chat.new_chat()
        type_text(shown, "to a new chat")
        shown.window.chat.open(number)
        shown.until(lambda: shown.window.page.composer.text == "to the first chat")
        assert shown.window.page.view.document().rootFrame().frameFormat().leftMargin() > 20
        shown.window.chat.new_chat()
        assert shown.window.page.composer.text == "to a new chat"
        assert "What would you like to know?" in text_of(shown)
    again = theatre.window(llama)
    again.until(lambda: again.window.page.composer.text == "to a new chat")
    again.window.chat.open(number)
    again.until(lambda: again.window.page.composer.text == "to the first chat")


def test_the_size_of_the_text_is_kept_over_a_restart(theatre: Theatre) -> None:
    llama = theatre.server()
    with stage(theatre.folder / "profile", f'base_url = "{llama.base_url}"\n') as shown:
        for name in ("larger", "larger", "smaller"):
            shown.window.actions_by_id[name].trigger()
        assert shown.window.page.view.zoom == 110
    again = theatre.window(llama)
    again.until(lambda: again.window.page.view.zoom == 110)
    again.window.actions_by_id["normal"].trigger()
    assert again.window.page.view.zoom == 100


def test_a_sent_text_is_no_draft_any_more(theatre: Theatre) -> None:
    llama = theatre.server(says("Answer."))
    with stage(theatre.folder / "profile", f'base_url = "{llama.base_url}"\n') as shown:
        type_text(shown, "Hello")
        shown.rest(0.7)  # it has become a draft
        shown.ask("Hello")
    again = theatre.window(llama)
    again.rest(0.1)
    assert again.window.page.composer.text == ""
    assert [chat.draft for chat in chats(again)] == [""]


def test_an_answer_goes_on_while_another_chat_is_shown(theatre: Theatre) -> None:
    gate = theatre.gate()
    llama = theatre.server([*says("Half of "), gate, *says("the answer.")], says("Another."))
    llama.slots = 2
    shown = theatre.window(llama)
    shown.ask("First", wait=False)
    shown.until(lambda: "Half of" in text_of(shown))
    first = shown.window.chat.conversation_id
    assert first is not None

    shown.window.chat.new_chat()
    assert "Half of" not in text_of(shown)
    assert shown.window.page.composer.send.accessibleName() == "Send"
    shown.ask("Second")
    assert "Another." in text_of(shown)

    shown.window.chat.open(first)
    shown.until(lambda: "Half of" in text_of(shown))
    assert text_of(shown).count("First") == 1
    assert shown.window.page.composer.send.accessibleName() == "Stop"
    gate.set()
    shown.until(shown.idle)
    assert "Half of the answer." in text_of(shown)
    assert text_of(shown).count("Half of") == 1
    assert len(chats(shown)) == 2


def test_an_answer_that_ends_while_its_chat_is_opened_is_shown_whole(theatre: Theatre) -> None:
    gate = theatre.gate()
    llama = theatre.server([*says("Half of "), gate, *says("the answer.")])
    shown = theatre.window(llama)
    shown.ask("First", wait=False)
    shown.until(lambda: "Half of" in text_of(shown))
    first = shown.window.chat.conversation_id
    assert first is not None
    shown.window.chat.new_chat()
    held = threading.Event()
    shown.window.lanes.store.write(lambda _: held.wait(10))  # the chat is read late
    shown.window.chat.open(first)
    gate.set()
    shown.until(lambda: not shown.window.turns.conversations())
    held.set()
    shown.until(lambda: "Half of the answer." in text_of(shown))
    assert shown.window.page.composer.send.accessibleName() == "Send"


def test_deleting_the_chat_that_streams_stops_it(theatre: Theatre) -> None:
    gate = theatre.gate()
    shown = theatre.window(theatre.server([*says("Half of "), gate, *says("the answer.")]))
    shown.ask("First", wait=False)
    shown.until(lambda: "Half of" in text_of(shown))
    number = shown.window.chat.conversation_id
    assert number is not None
    shown.window.sidebar.delete(number)
    assert shown.window.chat.conversation_id is None
    shown.until(lambda: not shown.window.turns.conversations())
    shown.until(lambda: chats(shown) == [])

    undo = shown.window.sidebar.undo
    assert undo.isVisible()
    undo.button.click()
    shown.until(lambda: len(chats(shown)) == 1)
    with shown.app.database() as db:
        answer = load_branch(db, number)[-1]
    assert (answer.content.strip(), answer.status) == ("Half of", Status.STOPPED)


def test_a_rename_is_stored_and_shown_everywhere(theatre: Theatre) -> None:
    shown = theatre.window(theatre.server(says("Answer.")))
    shown.ask("First")
    shown.window.sidebar.rename(chats(shown)[0].id, "A better title")
    shown.until(lambda: chats(shown)[0].title == "A better title")
    assert shown.window.page.header.title.text() == "A better title"
    assert shown.window.sidebar.chats.rows.row(shown.window.sidebar.chats.rows.index(1)).text == "A better title"


def test_actions_do_what_they_say(theatre: Theatre) -> None:
    gate = theatre.gate()
    shown = theatre.window(theatre.server([*says("Half of "), gate, *says("the answer.")]))
    window, actions = shown.window, shown.window.actions_by_id
    shown.ask("First", wait=False)
    shown.until(lambda: "Half of" in text_of(shown))
    window.activateWindow()
    actions["search"].trigger()
    assert window.sidebar.field.hasFocus()
    window.sidebar.field.setText("first")
    actions["stop"].trigger()  # leaves the search
    assert window.sidebar.field.text() == ""
    assert not shown.idle()
    actions["stop"].trigger()
    gate.set()
    shown.until(shown.idle)

    actions["find"].trigger()
    assert window.page.view.find_bar.field.hasFocus()
    actions["sidebar"].trigger()
    assert not window.sidebar.isVisible()
    actions["rename"].trigger()
    (editor,) = [field for field in window.sidebar.chats.findChildren(QLineEdit) if field.isVisible()]
    assert editor.selectedText() == "First"
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    actions["delete"].trigger()
    shown.until(lambda: chats(shown) == [])
    actions["shortcuts"].trigger()
    (overview,) = window.findChildren(ShortcutOverview)
    overview.close()
    actions["connect"].trigger()
    assert window.start_page.isVisible()
    actions["compose"].trigger()
    actions["quit"].trigger()
    assert not window.isVisible()
    assert window.ended_cleanly


def test_model_and_search_mode_are_kept_with_the_chat(theatre: Theatre) -> None:
    llama = theatre.server(says("Answer."))
    llama.models = [("one", "loaded"), ("two", "unloaded")]
    shown = theatre.window(llama)
    shown.ask("First")
    number = chats(shown)[0].id
    shown.window.page.composer.search.set_permission(refusal="", can_permit=False)
    shown.window.page.composer.search.menu().aboutToShow.emit()
    shown.window.page.composer.search.menu().actions()[0].trigger()
    shown.window.page.header.model.menu().aboutToShow.emit()
    shown.window.page.header.model.menu().actions()[1].trigger()
    shown.ask("Second")
    assert [body["model"] for body in llama.asked] == ["one", "two"]
    shown.window.chat.new_chat()
    shown.window.chat.open(number)
    shown.until(lambda: shown.window.chat.conversation_id == number)
    assert shown.window.page.header.model.model == "two"
    assert shown.window.page.composer.search.mode is SearchMode.OFF


def test_the_text_stays_until_it_is_stored(theatre: Theatre) -> None:
    shown = theatre.window(theatre.server(says("Answer.")))
    composer = shown.window.page.composer
    with closing(sqlite3.connect(shown.app.paths.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        type_text(shown, "Keep me")
        composer.send.click()
        shown.rest(0.3)
        assert composer.text == "Keep me"
        assert composer.edit.isReadOnly()
        other.execute("ROLLBACK")
    shown.until(lambda: composer.text == "")
    shown.until(shown.idle)
    assert "Answer." in text_of(shown)


@pytest.mark.slow
def test_a_text_that_cannot_be_stored_stays_and_says_why(theatre: Theatre) -> None:
    shown = theatre.window(theatre.server(says("Answer.")))
    composer = shown.window.page.composer
    with closing(sqlite3.connect(shown.app.paths.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        type_text(shown, "Keep me")
        composer.send.click()
        shown.until(composer.edit.isReadOnly)
        shown.until(lambda: not composer.edit.isReadOnly())  # the store waits five seconds for its turn
        other.execute("ROLLBACK")
    assert composer.text == "Keep me"
    assert shown.window.notices.findChildren(QPushButton) == []
    shown.ask("Keep me")
    assert "Answer." in text_of(shown)


def test_long_titles_and_words_do_not_widen_the_window(theatre: Theatre) -> None:
    shown = theatre.window(theatre.server(says("W" * 400)))
    before = shown.window.minimumSizeHint().width()
    shown.ask("W" * 400)
    shown.window.notices.keep("x", "https://host.example/" + "path/" * 200, tone="error")
    shown.rest(0.05)
    assert shown.window.minimumSizeHint().width() <= before + 120  # the button of the bar
    assert not shown.window.page.view.horizontalScrollBar().isVisible()

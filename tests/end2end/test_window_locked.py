"""While another program holds the history: what is said, typed and sent meanwhile is not lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from llamachat.core.conversation import is_temporary
from llamachat.storage.conversations import (
    NEW_CHAT_DRAFT,
    create_conversation,
    get_conversation,
    get_state,
    list_conversations,
)
from llamachat.storage.messages import load_branch
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says

pytestmark = pytest.mark.slow


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    """A window with one stored chat."""
    with (
        ScriptedLlama(says("One."), says("Two."), says("Three.")) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown,
    ):
        shown.ask("Stored?")
        yield shown
        shown.window.end()


@contextmanager
def locked(shown: Stage) -> Iterator[None]:
    """Another program writes."""
    with closing(sqlite3.connect(shown.app.paths.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def begin_temporary(shown: Stage) -> None:
    """A temporary chat in which something was said."""
    shown.window.actions_by_id["new-temporary"].trigger()
    shown.until(lambda: is_temporary(shown.window.chat.conversation_id))
    shown.ask("Secret?")


def go_to(shown: Stage, number: int) -> None:
    shown.window.chat.open(number)
    shown.until(lambda: shown.window.chat.conversation_id == number)


def titles(shown: Stage) -> list[str]:
    with shown.app.database() as db:
        return [chat.title for chat in list_conversations(db)]


def test_nothing_is_said_in_a_temporary_chat_while_it_is_being_saved(shown: Stage) -> None:
    begin_temporary(shown)
    composer = shown.window.page.composer
    with locked(shown):
        shown.window.page.header.keep.click()
        QTest.keyClicks(composer.edit, "too late")
        assert composer.text == ""
        shown.window.chat.open(1)  # goes there once it is saved: nothing is lost, and nothing is asked
        shown.rest(0.2)
        assert not shown.window.findChildren(QMessageBox)
        assert is_temporary(shown.window.chat.conversation_id)
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    assert titles(shown) == ["Secret?", "Stored?"]
    assert not composer.edit.isReadOnly()
    with shown.app.database() as db:
        assert [message.content for message in load_branch(db, 2)] == ["Secret?", "Two."]


def test_where_saving_it_fails_it_goes_on(shown: Stage) -> None:
    begin_temporary(shown)
    with locked(shown):
        shown.window.page.header.keep.click()
        shown.until(lambda: "Another program" in shown.window.notices.text("failure"))
    assert is_temporary(shown.window.chat.conversation_id)
    shown.ask("Still there?")
    assert "Three." in shown.window.page.view.toPlainText()
    assert titles(shown) == ["Stored?"]


def test_a_question_that_could_not_be_stored_stands_above_what_is_typed_since(shown: Stage) -> None:
    composer = shown.window.page.composer
    shown.window.navigation.new_chat()
    with locked(shown):
        composer.set_text("First question")
        composer.send.click()
        shown.window.navigation.new_chat()
        QTest.keyClicks(composer.edit, "Second")
        shown.until(lambda: "Another program" in shown.window.notices.text("failure"))
        shown.until(lambda: composer.text == "First question\n\nSecond")
    with shown.app.database() as db:
        shown.until(lambda: get_state(db, NEW_CHAT_DRAFT) == "First question\n\nSecond")
    assert titles(shown) == ["Stored?"]


def test_it_stands_above_what_was_typed_in_its_chat_when_that_was_left_again(shown: Stage) -> None:
    with shown.app.database() as db:
        create_conversation(db, title="Other")
    composer = shown.window.page.composer
    with locked(shown):
        composer.set_text("First question")
        composer.send.click()
        go_to(shown, 2)
        go_to(shown, 1)
        composer.edit.selectAll()
        QTest.keyClicks(composer.edit, "Second")
        go_to(shown, 2)
        shown.until(lambda: "Another program" in shown.window.notices.text("failure"))
    with shown.app.database() as db:
        shown.until(lambda: getattr(get_conversation(db, 1), "draft", "") == "First question\n\nSecond")

"""What another program does to the history while the window is open: the list and the open chat follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.core.messages import Role
from llamachat.storage.conversations import (
    create_conversation,
    list_conversations,
    rename_conversation,
)
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.messages import add_message
from llamachat.ui.list_control import PAGE
from tests.end2end.stage import NOWHERE, Stage, stage

CHATS = 60


def many_chats(paths: Paths) -> None:
    """Chats 1 to CHATS, each with a question."""
    with Database.open(paths.database) as db, db.transaction():
        for number in range(1, CHATS + 1):
            chat = create_conversation(db, title=f"Chat {number}")
            add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=f"Question {number}")


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    """A window with the chats, in front."""
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=many_chats) as shown:
        shown.be_in_front()
        shown.until(lambda: shown.window.sidebar.chats.rows.rowCount() > CHATS)
        yield shown


@pytest.fixture
def other(shown: Stage) -> Iterator[Database]:
    """Another program's connection."""
    with shown.app.database() as db:
        yield db


def titles(shown: Stage) -> list[str]:
    """The chats in the list."""
    rows = shown.window.sidebar.chats.rows
    return [row.text for n in range(rows.rowCount()) if (row := rows.row(rows.index(n))).conversation]


def open_chat(shown: Stage, number: int) -> None:
    """Open a chat."""
    shown.window.chat.open(number)
    shown.until(lambda: f"Question {number}" in shown.window.page.view.toPlainText())


def test_new_renamed_and_deleted_chats_are_seen_without_a_touch(shown: Stage, other: Database) -> None:
    create_conversation(other, title="From the command line")
    rename_conversation(other, 5, "Renamed there")
    delete_chats(other, [6])
    shown.until(lambda: "From the command line" in titles(shown))
    assert "Renamed there" in titles(shown)
    assert "Chat 6" not in titles(shown)
    assert len(titles(shown)) == CHATS


def test_the_list_keeps_its_place_and_its_selection(shown: Stage, other: Database) -> None:
    chats = shown.window.sidebar.chats
    open_chat(shown, 20)
    bar = chats.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    before = {chat: chats.visualRect(chats.rows.index_of(chat)).top() for chat in (25, 30)}
    for number in range(3):
        create_conversation(other, title=f"New {number}")
    shown.window.elsewhere.look()
    shown.until(lambda: "New 2" in titles(shown))
    assert {chat: chats.visualRect(chats.rows.index_of(chat)).top() for chat in (25, 30)} == before
    assert chats.currentIndex() == chats.rows.index_of(20)


def test_a_title_that_is_being_typed_is_not_lost(shown: Stage, other: Database) -> None:
    chats = shown.window.sidebar.chats
    chats.edit_title(50)
    editor = chats.findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    editor.setText("Half a ti")
    create_conversation(other, title="New")
    with_reload: list[object] = []
    shown.window.elsewhere.changed.connect(lambda: with_reload.append(1))
    shown.window.elsewhere.look()
    shown.until(lambda: with_reload)
    shown.rest(0.1)
    assert editor.isVisible()
    assert editor.text() == "Half a ti"


def test_a_chat_deleted_here_does_not_come_back_with_an_older_reading(shown: Stage, other: Database) -> None:
    create_conversation(other, title="New")
    shown.window.sidebar.reload()
    shown.window.sidebar.delete(7)
    shown.until(lambda: "New" in titles(shown))
    assert "Chat 7" not in titles(shown)


def test_an_open_chat_that_grew_is_shown_anew(shown: Stage, other: Database) -> None:
    open_chat(shown, 9)
    shown.window.sidebar.chats.setCurrentIndex(shown.window.sidebar.chats.rows.index_of(12))  # by an arrow key
    head = next(chat for chat in list_conversations(other) if chat.id == 9).head_id
    add_message(other, conversation_id=9, parent_id=head, role=Role.ASSISTANT, content="An answer from elsewhere.")
    rename_conversation(other, 9, "Another title")
    shown.window.elsewhere.look()
    shown.until(lambda: "An answer from elsewhere." in shown.window.page.view.toPlainText())
    assert shown.window.page.header.title.text() == "Another title"
    assert shown.window.windowTitle() == "Another title - llamachat"
    shown.until(lambda: "Another title" in titles(shown))
    assert shown.window.sidebar.chats.currentIndex() == shown.window.sidebar.chats.rows.index_of(12)


def test_an_open_chat_that_was_deleted_makes_room_and_the_typed_text_stays(shown: Stage, other: Database) -> None:
    open_chat(shown, 9)
    shown.window.page.composer.edit.setPlainText("half a question")
    delete_chats(other, [9])
    shown.window.elsewhere.look()
    shown.until(lambda: shown.window.chat.conversation_id is None)
    assert "deleted by another program" in shown.window.notices.text("failure")
    assert shown.window.page.composer.text == "half a question"
    shown.until(lambda: "Chat 9" not in titles(shown))


def test_a_list_longer_than_a_page_keeps_what_was_loaded_further_down(shown: Stage, other: Database) -> None:
    with other.transaction():
        for number in range(PAGE):
            create_conversation(other, title=f"More {number}")
    shown.window.elsewhere.look()
    shown.until(lambda: f"More {PAGE - 1}" in titles(shown))
    assert titles(shown)[-1] == "Chat 1"
    assert len(titles(shown)) == PAGE + CHATS


def test_a_history_that_is_deleted_is_told_once_and_nothing_is_written_in_vain(shown: Stage) -> None:
    window, path = shown.window, shown.app.paths.database
    aside = path.with_suffix(".aside")
    open_chat(shown, 9)
    path.rename(aside)
    window.elsewhere.look()
    shown.until(lambda: "deleted or moved" in window.notices.text("failure"))
    window.notices.drop("failure")
    window.elsewhere.look()
    done: list[bool] = []
    window.lanes.store.read(lambda _: True, done.append)
    shown.until(lambda: done)
    assert window.notices.text("failure") == ""  # closed, and not told again
    window.page.composer.set_text("Is it kept?")
    window.page.composer.send.click()
    shown.until(lambda: "deleted or moved" in window.notices.text("failure"))
    assert window.page.composer.text == "Is it kept?"
    assert not path.exists()
    aside.rename(path)  # the window's end writes what was typed

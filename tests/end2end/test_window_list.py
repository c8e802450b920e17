"""Renaming and deleting from the list in the real window, with the keyboard where a person has it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation, get_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message
from llamachat.ui.conversation_list import ConversationList
from tests.end2end.stage import NOWHERE, Stage, stage


def two_chats(paths: Paths) -> None:
    """Chats 1 and 2."""
    with Database.open(paths.database) as db:
        for title in ("One", "Two"):
            chat = create_conversation(db, title=title)
            add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=f"Text of {title}")


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    """A window with the chats, in front, the first one open by a click."""
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=two_chats) as shown:
        shown.be_in_front()
        chats = shown.window.sidebar.chats
        shown.until(lambda: chats.rows.rowCount() == 3)
        place = chats.visualRect(chats.rows.index_of(1)).center()
        QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=place)
        shown.until(lambda: shown.window.chat.conversation_id == 1)
        yield shown


def chats_of(shown: Stage) -> ConversationList:
    """The list."""
    return shown.window.sidebar.chats


def test_after_enter_a_title_is_stored_and_shown_and_no_other_chat_is_opened(shown: Stage) -> None:
    chats_of(shown).setFocus()
    chats_of(shown).setCurrentIndex(chats_of(shown).rows.index_of(2))
    QTest.keyClick(chats_of(shown), Qt.Key.Key_F2)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    editor.setText("Another")
    QTest.keyClick(editor, Qt.Key.Key_Return)  # a complaint of Qt fails the test
    shown.until(lambda: chats_of(shown).rows.row(chats_of(shown).rows.index_of(2)).text == "Another")
    shown.rest(0.1)
    assert shown.window.chat.conversation_id == 1
    assert chats_of(shown).hasFocus()


def test_the_title_of_the_window_follows_a_rename(shown: Stage) -> None:
    shown.window.actions_by_id["rename"].trigger()
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    editor.setText("First of all")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    shown.until(lambda: shown.window.page.header.title.text() == "First of all")
    assert shown.window.windowTitle() == "First of all - llamachat"


def test_the_open_chat_is_deleted_by_the_menu_of_the_window(shown: Stage) -> None:
    assert shown.window.page.composer.edit.hasFocus()  # where a click on a chat leads
    shown.window.actions_by_id["delete"].trigger()
    shown.until(lambda: shown.window.chat.conversation_id is None)
    assert is_deleted(shown, 1)


def test_del_deletes_the_chat_that_the_keyboard_is_on(shown: Stage) -> None:
    chats_of(shown).setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(chats_of(shown), Qt.Key.Key_Delete)
    assert is_deleted(shown, 1)
    assert shown.window.chat.conversation_id is None
    assert chats_of(shown).hasFocus()
    assert chats_of(shown).currentIndex() == chats_of(shown).rows.index_of(2)
    QTest.keyClick(chats_of(shown), Qt.Key.Key_Space)  # the keyboard is on the next, which is not chosen
    QTest.keyClick(chats_of(shown), Qt.Key.Key_Delete)
    assert is_deleted(shown, 2)


def test_what_a_chat_that_is_not_made_yet_cannot_do_is_not_offered(shown: Stage) -> None:
    actions = shown.window.actions_by_id
    assert actions["rename"].isEnabled()
    actions["new"].trigger()
    assert not actions["rename"].isEnabled()
    assert not actions["delete"].isEnabled()


def test_del_in_the_message_deletes_a_letter(shown: Stage) -> None:
    edit = shown.window.page.composer.edit
    edit.setPlainText("xy")
    QTest.keyClick(edit, Qt.Key.Key_Delete)
    assert edit.toPlainText() == "y"
    assert shown.window.chat.conversation_id == 1


@pytest.mark.parametrize("number", [1, 2])
def test_the_menu_of_a_row_deletes_its_chat(shown: Stage, number: int) -> None:
    view = chats_of(shown)
    view.setFocus()  # as a click of the right button does
    place = view.visualRect(view.rows.index_of(number)).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.viewport().mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), event)
    (menu,) = [menu for menu in view.findChildren(QMenu) if menu.isVisible()]
    menu.actions()[-1].trigger()
    menu.close()
    assert is_deleted(shown, number)
    assert shown.window.chat.conversation_id == (None if number == 1 else 1)  # the first one was open
    assert view.currentIndex() == view.rows.index_of(3 - number)


def is_deleted(shown: Stage, number: int) -> bool:
    """Whether a chat goes from the store soon."""
    with shown.app.database() as db:
        shown.until(lambda: get_conversation(db, number) is None)
    return not chats_of(shown).rows.index_of(number).isValid()

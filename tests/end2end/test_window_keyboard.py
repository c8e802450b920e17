"""Where the keyboard is in the real window: what is typed goes into the message field wherever a click has led."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from llamachat.llm.server import ModelInfo
from llamachat.ui.transcript.message_acts import Act
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says

PROMPTS = '\n[prompts.pirate]\ntext = "Talk like a pirate."\n'


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    """A window in front with one answered question."""
    with ScriptedLlama(says("One."), says("Two.")) as llama:
        config = f'base_url = "{llama.base_url}"\n{PROMPTS}'
        with stage(tmp_path / "p", config) as shown:
            shown.be_in_front()
            shown.ask("First?")
            yield shown


def type_letter(letter: str) -> None:
    """A key to whatever has the keyboard."""
    widget = QApplication.focusWidget()
    assert widget is not None
    QTest.keyClicks(widget, letter)


def open_menu(shown: Stage, button: QToolButton) -> QMenu:
    """Open the menu of a button by a key, as a person does."""
    button.setFocus()
    button.menu().popup(button.mapToGlobal(button.rect().bottomLeft()))
    shown.until(button.menu().isVisible)
    return button.menu()


def test_letters_go_into_the_field_wherever_the_keyboard_is(shown: Stage) -> None:
    page = shown.window.page
    for widget in (page.view, page.header.sidebar, page.header.model, page.composer.search, shown.window.sidebar):
        widget.setFocus(Qt.FocusReason.MouseFocusReason)
        type_letter("a")
        assert page.composer.edit.hasFocus()
    assert page.composer.text == "aaaaa"


def test_what_is_pasted_over_the_transcript_goes_into_the_field(shown: Stage) -> None:
    page = shown.window.page
    QGuiApplication.clipboard().setText("pasted")
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert page.composer.text == "pasted"


def test_keys_that_the_transcript_has_stay_there(shown: Stage) -> None:
    view = shown.window.page.view
    view.setFocus()
    for key in (Qt.Key.Key_Space, Qt.Key.Key_PageUp, Qt.Key.Key_Home, Qt.Key.Key_Backspace):
        QTest.keyClick(view, key)
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view.hasFocus()
    assert shown.window.page.composer.text == ""


def test_letters_in_a_field_of_its_own_stay_there(shown: Stage) -> None:
    side = shown.window.sidebar
    side.field.setFocus()
    type_letter("water")
    side.chats.setFocus()
    type_letter("f")
    assert (side.field.text(), shown.window.page.composer.text) == ("water", "")


def test_after_a_choice_in_a_menu_the_keyboard_is_in_the_field(shown: Stage) -> None:
    page = shown.window.page
    for button in (page.composer.search, page.composer.prompt, page.header.model):
        menu = open_menu(shown, button)
        QTest.keyClick(menu, Qt.Key.Key_Down)
        QTest.keyClick(menu, Qt.Key.Key_Return)
        assert not menu.isVisible()
        assert page.composer.edit.hasFocus()


def test_a_shortcut_closes_an_open_menu_and_does_its_work(shown: Stage) -> None:
    header = shown.window.page.header
    menu = open_menu(shown, header.model)
    QTest.keyClick(menu, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert not menu.isVisible()
    assert shown.window.chat.conversation_id is None
    type_letter("b")
    assert shown.window.page.composer.text == "b"


def test_a_shortcut_closes_menus_within_a_menu(shown: Stage) -> None:
    menu = open_menu(shown, shown.window.sidebar.menu_button)
    inner = menu.findChild(QMenu)
    assert isinstance(inner, QMenu)
    inner.popup(menu.pos())
    QTest.keyClick(inner, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert not menu.isVisible()
    assert not inner.isVisible()
    assert shown.window.chat.conversation_id is None


def test_after_a_click_on_answer_again_the_keyboard_is_in_the_field(shown: Stage) -> None:
    page = shown.window.page
    page.view.setFocus(Qt.FocusReason.MouseFocusReason)
    page.view.act(Act.RETRY)
    assert page.composer.edit.hasFocus()
    shown.until(lambda: "Two." in page.view.toPlainText() and shown.idle())


def test_another_model_is_chosen_for_an_answer_and_the_keyboard_is_in_the_field(shown: Stage) -> None:
    page = shown.window.page
    page.header.model.set_models([ModelInfo("a"), ModelInfo("b")])
    page.view.setFocus(Qt.FocusReason.MouseFocusReason)
    page.view.act(Act.MODELS)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert page.composer.edit.hasFocus()
    shown.until(lambda: "Two." in page.view.toPlainText() and shown.idle())


def test_who_reads_by_keyboard_stays_on_the_message(shown: Stage) -> None:
    page = shown.window.page
    page.view.step_message(-1)
    page.view.act(Act.RETRY)
    shown.until(lambda: "Two." in page.view.toPlainText() and shown.idle())
    assert page.view.hasFocus()
    assert page.view.on_message


def test_del_in_the_list_deletes_no_second_chat_until_one_is_chosen(shown: Stage) -> None:
    window, chats = shown.window, shown.window.sidebar.chats
    for text in ("Second?", "Third?"):
        window.chat.new_chat()
        shown.ask(text)
    shown.until(lambda: len(titles(shown)) == 3)
    first = titles(shown)[0]
    chats.setFocus()
    for _ in range(3):
        QTest.keyClick(chats, Qt.Key.Key_Delete)
    shown.until(lambda: len(titles(shown)) == 2)
    assert (chats.selected_count(), chats.has_keyboard, window.chat.conversation_id) == (0, True, None)
    QTest.keyClick(chats, Qt.Key.Key_Space)
    QTest.keyClick(chats, Qt.Key.Key_Delete)
    assert len(titles(shown)) == 1
    window.sidebar.undo.button.click()
    window.sidebar.undo.button.click()
    shown.until(lambda: len(titles(shown)) == 3)
    assert titles(shown)[0] == first


def test_del_does_not_delete_the_open_chat_when_the_selected_one_goes(shown: Stage) -> None:
    window, chats = shown.window, shown.window.sidebar.chats
    first = window.chat.conversation_id
    window.chat.new_chat()
    shown.ask("Second?")
    shown.until(lambda: len(titles(shown)) == 2)
    chats.setFocus()
    chats.put_keyboard_on(first)
    chats.rows.take(first or 0)  # as another program deletes it
    QTest.keyClick(chats, Qt.Key.Key_Delete)
    assert len(titles(shown)) == 1
    assert window.chat.conversation_id is not None


def titles(shown: Stage) -> list[str]:
    """The chats in the list, from top to bottom."""
    chats = shown.window.sidebar.chats
    rows = [chats.rows.row(chats.rows.index(number)) for number in range(chats.rows.rowCount())]
    return [row.text for row in rows if row.conversation]

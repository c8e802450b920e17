"""The window in which a question is changed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from llamachat.ui.edit_dialog import EditDialog, answer_words


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """What the dialog belongs to."""
    window = QWidget()
    qtbot.addWidget(window)
    return window


def open_dialog(qtbot: QtBot, window: QWidget, text: str) -> tuple[EditDialog, list[str]]:
    dialog = EditDialog(text, window)
    asked: list[str] = []
    dialog.asked.connect(asked.append)
    with qtbot.waitActive(dialog):
        dialog.open()
        dialog.activateWindow()
    return dialog, asked


def test_the_keyboard_is_in_the_text_and_ctrl_enter_asks(qtbot: QtBot, window: QWidget) -> None:
    dialog, asked = open_dialog(qtbot, window, "What is this")
    assert dialog.field.hasFocus()
    QTest.keyClicks(dialog.field, "?")  # behind the text
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert asked == []
    QTest.keyClicks(dialog.field, "Tell.")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked == ["What is this?\nTell."]
    assert dialog.isVisible()


def test_the_end_of_a_long_text_is_in_sight(qtbot: QtBot, window: QWidget) -> None:
    dialog, _ = open_dialog(qtbot, window, "Line\n" * 300)
    assert dialog.field.viewport().rect().contains(dialog.field.cursorRect())
    assert dialog.field.textCursor().atEnd()


def test_nothing_is_asked_with_blanks_alone(qtbot: QtBot, window: QWidget) -> None:
    dialog, asked = open_dialog(qtbot, window, "Text")
    dialog.field.setPlainText(" \n")
    assert not dialog.send.isEnabled()
    QTest.keyClick(dialog.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked == []


def test_tab_leaves_the_text_and_escape_the_window(qtbot: QtBot, window: QWidget) -> None:
    dialog, asked = open_dialog(qtbot, window, "Text")
    QTest.keyClick(dialog.field, Qt.Key.Key_Tab)
    assert not dialog.field.hasFocus()
    with qtbot.waitSignal(dialog.finished):
        QTest.keyClick(dialog.field, Qt.Key.Key_Escape)
    assert asked == []


def question(dialog: EditDialog) -> QMessageBox:
    (box,) = dialog.findChildren(QMessageBox)
    return box


@pytest.mark.parametrize("by_key", [True, False])
def test_changes_are_not_dropped_unasked(qtbot: QtBot, window: QWidget, *, by_key: bool) -> None:
    dialog, _ = open_dialog(qtbot, window, "Text")
    dialog.field.setPlainText("Another text")

    def leave() -> None:
        if by_key:
            QTest.keyClick(dialog.field, Qt.Key.Key_Escape)
        else:
            dialog.close()

    leave()
    assert question(dialog).isVisible()
    QTest.keyClick(question(dialog), Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog.field.toPlainText() == "Another text"
    qtbot.waitUntil(lambda: not dialog.findChildren(QMessageBox))
    leave()
    (throw_away,) = [button for button in question(dialog).buttons() if button.text() == "Throw away"]
    with qtbot.waitSignal(dialog.finished):
        throw_away.click()


def test_changes_that_were_taken_back_are_none(qtbot: QtBot, window: QWidget) -> None:
    dialog, _ = open_dialog(qtbot, window, "Text")
    dialog.field.setPlainText("Another text")
    dialog.field.setPlainText("Text")
    with qtbot.waitSignal(dialog.finished):
        QTest.keyClick(dialog.field, Qt.Key.Key_Escape)


def test_what_is_stored_is_let_go_of_without_a_question(qtbot: QtBot, window: QWidget) -> None:
    dialog, _ = open_dialog(qtbot, window, "Text")
    dialog.field.setPlainText("Another text")
    with qtbot.waitSignal(dialog.finished):
        dialog.accept()


def test_an_answer_is_saved_only_where_it_was_changed(qtbot: QtBot, window: QWidget) -> None:
    dialog = EditDialog("Text", window, answer_words())
    assert (dialog.windowTitle(), dialog.send.text()) == ("Edit the answer", "Save")
    assert not dialog.send.isEnabled()
    QTest.keyClicks(dialog.field, "x")
    assert dialog.send.isEnabled()

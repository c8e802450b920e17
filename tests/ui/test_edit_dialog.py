"""The window in which a question is changed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from llamachat.ui.edit_dialog import EditDialog


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
    dialog.field.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(dialog.field, "?")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert asked == []
    QTest.keyClicks(dialog.field, "Tell.")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked == ["What is this?\nTell."]
    assert dialog.isVisible()


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

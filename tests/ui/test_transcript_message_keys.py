"""Messages as things to act on by the keyboard: going from one to the next, keys, the menu."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAction, QColor, QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Status
from llamachat.ui.theme import DARK, LIGHT, Theme
from llamachat.ui.transcript.message_acts import Act
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_acts import asked, point_at, shown_buttons
from tests.ui.transcript_pages import answer, long_chat, question, show_view, top_of


def test_the_keyboard_goes_from_message_to_message(qtbot: QtBot) -> None:
    said: list[str] = []
    view = TranscriptView(announce=lambda _, text: said.append(text))
    qtbot.addWidget(view)
    view.resize(700, 300)
    view.show()
    view.set_messages(long_chat(6))
    for step in (-1, -1, -1, 1):
        view.step_message(step)
    assert said == [
        "model: Answer 12. " + "word " * 16 + "word…",
        "You: Question 11?",
        "model: Answer 10. " + "word " * 16 + "word…",
        "You: Question 11?",
    ]
    assert 0 <= top_of(view, "Question 11?") < 260
    assert view.textCursor().block().text().startswith("You")
    for _ in range(20):
        view.step_message(-1)
    assert said[-1] == "You: Question 1?"
    assert 0 <= top_of(view, "Question 1?") < 260


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_message_that_the_keyboard_is_on_has_a_ring_and_the_buttons(qtbot: QtBot, theme: Theme) -> None:
    view = show_view(qtbot, theme=theme)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])

    def has_ring() -> bool:
        picture = view.viewport().grab().toImage()
        x = picture.width() // 2
        return any(picture.pixelColor(x, y) == QColor(theme.focus) for y in range(picture.height()))

    assert not has_ring()
    view.step_message(-1)
    assert has_ring()
    assert shown_buttons(view) == [Act.COPY, Act.REWRITE, Act.RETRY, Act.DELETE]
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, 500))
    assert not has_ring()
    assert not view.bar.isVisible()


def test_who_leaves_the_view_leaves_the_message(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    view, other = TranscriptView(), QWidget()
    other.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    column = QVBoxLayout(page)
    column.addWidget(view)
    column.addWidget(other)
    with qtbot.waitActive(page):
        page.show()
        page.activateWindow()
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    view.step_message(-1)
    assert view.hasFocus()
    assert view.bar.isVisible()
    other.setFocus()
    assert not view.bar.isVisible()


def test_keys_act_on_the_message_they_are_on_or_on_the_last(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text"), question(3, "More"), answer(4, "Last")])
    found = asked(view)
    view.set_versions({2: (2, 7), 4: (4, 8)})
    for act in (Act.RETRY, Act.EDIT, Act.LATER):
        view.act(act)
    assert found == [("retry", 4), ("edit", 3), ("version", 8)]
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert len(found) == 3
    for _ in range(4):
        view.step_message(-1)
    QTest.keyClick(view, Qt.Key.Key_Delete)
    view.act(Act.RETRY)  # of the answer to the question
    view.act(Act.LATER)  # the question has no other version
    view.act(Act.REWRITE)
    assert found[3:] == [("delete", 1), ("retry", 2), ("rewrite", 2)]
    view.step_message(1)
    view.act(Act.EDIT)
    view.act(Act.LATER)
    assert found[6:] == [("edit", 1), ("version", 7)]


def test_what_is_above_is_asked_for_when_the_keyboard_comes_to_the_edge(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    asked_for: list[int] = []
    view.step_refused.connect(asked_for.append)
    for step in (-1, -1, -1, 1, 1):
        view.step_message(step)
    assert asked_for == [-1, 1]


def menu_by_keyboard(view: TranscriptView) -> dict[str, QAction]:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), QPoint(1, 1))
    QApplication.sendEvent(view.viewport(), event)
    menu = view.findChild(QMenu)
    assert menu
    menu.close()
    return {action.text(): action for action in menu.actions() if action.text() and action.isEnabled()}


def test_the_menu_comes_by_keyboard_for_the_message_and_for_the_link_that_it_is_on(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "A [link](https://e.example/) here.")])
    found = asked(view)
    view.step_message(-1)
    actions = menu_by_keyboard(view)
    assert list(actions) == [
        "Copy the message",
        "Edit the answer",
        "Continue the answer",
        "Answer again",
        "Delete from here on",
        "Select all",
    ]
    actions["Answer again"].trigger()
    actions["Delete from here on"].trigger()
    assert found == [("retry", 2), ("delete", 2)]
    QTest.keyClick(view, Qt.Key.Key_Tab)
    assert view.textCursor().selectedText() == "link"
    actions = menu_by_keyboard(view)
    actions["Copy the link's address"].trigger()
    assert QGuiApplication.clipboard().text() == "https://e.example/"


def test_a_message_that_is_gone_has_no_buttons_and_no_keyboard(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    view.step_message(-1)
    point_at(qtbot, view, "Ask")
    view.set_messages([question(5, "Other")])
    found = asked(view)
    QTest.mouseClick(view.bar.buttons[Act.EDIT], Qt.MouseButton.LeftButton)
    assert found == []
    view.step_message(-1)
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert found == [("delete", 5)]


def test_the_reading_cursor_is_where_the_keyboard_is(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    view.step_message(-1)
    text = QAccessible.queryAccessibleInterface(view).textInterface()
    assert text.text(text.cursorPosition(), text.cursorPosition() + 5) == "model"


def keyboard_on(view: TranscriptView) -> str:
    """What the message says that the keyboard is on."""
    assert view.bar.isVisible()
    view.act(Act.COPY)
    return QGuiApplication.clipboard().text()


def test_the_keyboard_goes_along_with_what_it_does(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text"), question(3, "More"), answer(4, "Last")])
    view.set_versions({2: (2, 7)})
    for _ in range(3):
        view.step_message(-1)
    view.act(Act.LATER)
    view.set_messages([question(1, "Ask"), replace(answer(7, "Version"), parent_id=1)])
    assert keyboard_on(view) == "Version"
    view.act(Act.RETRY)
    view.begin_answer(None, replace(answer(8, status=Status.STREAMING), parent_id=1))
    view.end_answer(replace(answer(8, "Third"), parent_id=1))
    assert keyboard_on(view) == "Third"
    view.act(Act.DELETE)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    assert keyboard_on(view) == "Ask"
    view.set_messages([question(1, "Ask"), answer(2, "Text"), question(9, "Elsewhere"), answer(10, "New")])
    assert keyboard_on(view) == "Ask"
    view.set_messages([question(21, "Another chat")])
    assert not view.bar.isVisible()


def test_a_view_that_is_hidden_takes_no_keys(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    found = asked(view)
    view.hide()
    view.step_message(-1)
    view.act(Act.RETRY)
    view.act(Act.DELETE)
    assert found == []


def test_a_menu_that_stayed_open_does_nothing_with_a_message_that_is_gone(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    found = asked(view)
    view.step_message(-1)
    actions = menu_by_keyboard(view)
    view.set_messages([question(5, "Other")])
    for name in ("Copy the message", "Answer again", "Delete from here on"):
        actions[name].trigger()
    assert found == []

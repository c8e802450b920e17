"""Messages as things to act on: by the pointer, by the keyboard, in the menu, for a screen reader."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QAction, QColor, QContextMenuEvent, QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status
from llamachat.ui.theme import DARK, LIGHT, Theme
from llamachat.ui.transcript.message_acts import Act
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import answer, describe, long_chat, question, show_view, top_of


def point_at(qtbot: QtBot, view: TranscriptView, text: str) -> None:
    """Rest the pointer on a line, until its message shows its buttons."""
    at = QPointF(60, top_of(view, text) + 5)
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, at, view.mapToGlobal(at), none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view.viewport(), event)
    qtbot.waitUntil(view.bar.isVisible)


def shown_buttons(view: TranscriptView) -> list[Act]:
    return [act for act, button in view.bar.buttons.items() if button.isVisible() and button.isEnabled()]


def asked(view: TranscriptView) -> list[tuple[str, int]]:
    """What the view asks its owner for, from now on."""
    found: list[tuple[str, int]] = []
    view.retry_requested.connect(lambda number: found.append(("retry", number)))
    view.edit_requested.connect(lambda number: found.append(("edit", number)))
    view.delete_requested.connect(lambda number: found.append(("delete", number)))
    view.version_requested.connect(lambda number: found.append(("version", number)))
    return found


def test_a_message_under_the_pointer_shows_its_buttons(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "First\n\nSecond")])
    before = describe(view.document())
    assert not view.bar.isVisible()
    point_at(qtbot, view, "Ask")
    assert shown_buttons(view) == [Act.COPY, Act.EDIT, Act.DELETE]
    point_at(qtbot, view, "Second")
    qtbot.waitUntil(lambda: shown_buttons(view) == [Act.COPY, Act.RETRY, Act.DELETE])
    assert describe(view.document()) == before
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert not view.bar.isVisible()


@pytest.mark.parametrize("zoom", [60, 100, 200])
@pytest.mark.parametrize("text", ["Ask", "First"])
def test_the_buttons_lie_at_the_right_of_the_first_line_and_on_no_other(qtbot: QtBot, text: str, zoom: int) -> None:
    view = show_view(qtbot, height=900)
    view.set_zoom(zoom)
    view.set_messages([question(1, "Ask " * 40), answer(2, "First " * 40), question(3, "More")])
    point_at(qtbot, view, text)
    place, header = view.bar.geometry(), {"Ask": "You", "First": "model"}[text]
    assert place.top() <= top_of(view, header) <= place.bottom()
    assert place.bottom() <= top_of(view, text) + 4
    right = view.viewport().width() - view.document().rootFrame().frameFormat().rightMargin()
    assert right < place.right() <= right + 16


def test_a_message_whose_first_line_is_out_of_sight_has_its_buttons_at_its_last(qtbot: QtBot) -> None:
    view = show_view(qtbot, height=300)
    view.set_messages([question(1, "Ask"), answer(2, "word\n\n" * 40 + "the end")])
    point_at(qtbot, view, "the end")
    assert view.bar.geometry().top() > top_of(view, "the end")
    assert view.bar.geometry().bottom() <= view.viewport().height()


def test_the_buttons_go_along_with_the_text(qtbot: QtBot) -> None:
    view = show_view(qtbot, height=300)
    view.set_messages(long_chat(5))
    view.jump_to(5)
    point_at(qtbot, view, "Question 5?")
    before = view.bar.y() - top_of(view, "Question 5?")
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() - 20)
    assert view.bar.y() - top_of(view, "Question 5?") == pytest.approx(before, abs=1)
    view.prepend_messages(long_chat(5, first=51), has_older=False)
    assert view.bar.y() - top_of(view, "Question 5?") == pytest.approx(before, abs=1)


def test_a_press_on_a_button_does_it(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "**Text**")])
    found = asked(view)
    view.set_versions({2: (2, 7, 9)})
    point_at(qtbot, view, "Text")
    assert view.bar.version.text() == "1/3"
    assert view.bar.buttons[Act.EARLIER].isVisible()
    assert not view.bar.buttons[Act.EARLIER].isEnabled()
    for act in (Act.RETRY, Act.DELETE, Act.LATER, Act.COPY):
        QTest.mouseClick(view.bar.buttons[act], Qt.MouseButton.LeftButton)
    assert found == [("retry", 2), ("delete", 2), ("version", 7)]
    assert QGuiApplication.clipboard().text() == "**Text**"
    point_at(qtbot, view, "Ask")
    qtbot.waitUntil(lambda: Act.EDIT in shown_buttons(view))
    assert not view.bar.version.isVisible()
    QTest.mouseClick(view.bar.buttons[Act.EDIT], Qt.MouseButton.LeftButton)
    assert found[-1] == ("edit", 1)


def test_while_a_turn_runs_messages_are_only_copied(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    found = asked(view)
    view.set_busy(busy=True)
    view.begin_answer(question(3), answer(4, status=Status.STREAMING))
    view.apply([Event(Kind.CONTENT, "Coming")])
    point_at(qtbot, view, "Ask")
    assert shown_buttons(view) == [Act.COPY]
    for act in (Act.RETRY, Act.EDIT, Act.DELETE):
        view.act(act)
    assert found == []
    view.set_busy(busy=False)
    assert shown_buttons(view) == [Act.COPY, Act.EDIT, Act.DELETE]


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
    assert shown_buttons(view) == [Act.COPY, Act.RETRY, Act.DELETE]
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
    assert found[3:] == [("delete", 1), ("retry", 2)]
    view.step_message(1)
    view.act(Act.EDIT)
    view.act(Act.LATER)
    assert found[5:] == [("edit", 1), ("version", 7)]


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
    assert list(actions) == ["Copy the message", "Answer again", "Delete from here on", "Select all"]
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


def test_the_buttons_have_names_and_the_view_says_their_keys(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask")])
    point_at(qtbot, view, "Ask")
    for act, button in view.bar.buttons.items():
        assert QAccessible.queryAccessibleInterface(button).text(QAccessible.Text.Name), act
        assert "(" in button.toolTip()


def test_the_reading_cursor_is_where_the_keyboard_is(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    view.step_message(-1)
    text = QAccessible.queryAccessibleInterface(view).textInterface()
    assert text.text(text.cursorPosition(), text.cursorPosition() + 5) == "model"

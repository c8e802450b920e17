"""Messages as things to act on by the pointer: the buttons, where they lie, what they do; and their names."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status
from llamachat.ui.theme import DARK
from llamachat.ui.transcript.message_acts import SOMETIMES, Act
from tests.ui.transcript_acts import asked, point_at, shown_buttons
from tests.ui.transcript_pages import answer, describe, long_chat, question, show_view, top_of


def test_a_message_under_the_pointer_shows_its_buttons(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "First\n\nSecond")])
    before = describe(view.document())
    assert not view.bar.isVisible()
    point_at(qtbot, view, "Ask")
    assert shown_buttons(view) == [Act.COPY, Act.EDIT, Act.DELETE]
    point_at(qtbot, view, "Second")
    qtbot.waitUntil(lambda: shown_buttons(view) == [Act.COPY, Act.REWRITE, Act.RETRY, Act.DELETE])
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
    view.set_offered(SOMETIMES)
    for act in (Act.RETRY, Act.DELETE, Act.LATER, Act.COPY, Act.REWRITE, Act.FORK):
        QTest.mouseClick(view.bar.buttons[act], Qt.MouseButton.LeftButton)
    assert found == [("retry", 2), ("delete", 2), ("version", 7), ("rewrite", 2), ("fork", 2)]
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
    for act in (Act.RETRY, Act.EDIT, Act.REWRITE, Act.CONTINUE, Act.FORK, Act.DELETE):
        view.act(act)
    assert found == []
    view.set_busy(busy=False)
    assert shown_buttons(view) == [Act.COPY, Act.EDIT, Act.DELETE]


def test_the_buttons_have_names_and_the_view_says_their_keys(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask")])
    point_at(qtbot, view, "Ask")
    for act, button in view.bar.buttons.items():
        assert QAccessible.queryAccessibleInterface(button).text(QAccessible.Text.Name), act
        assert "(" in button.toolTip()


def test_another_size_or_theme_leaves_the_buttons_at_their_message(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    view.step_message(-1)
    view.set_zoom(150)
    view.set_theme(DARK)
    assert view.bar.geometry().top() <= top_of(view, "model") <= view.bar.geometry().bottom()


def test_other_models_are_offered_below_the_button_for_it(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text")])
    found: list[tuple[int, QPoint]] = []
    view.models_requested.connect(lambda number, place: found.append((number, place)))
    point_at(qtbot, view, "Text")
    assert Act.MODELS not in shown_buttons(view)
    view.set_offered({Act.MODELS})
    button = view.bar.buttons[Act.MODELS]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert found == [(2, button.mapToGlobal(button.rect().bottomLeft()))]


def test_a_question_without_an_answer_can_be_answered(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text"), question(3, "More")])
    found = asked(view)
    point_at(qtbot, view, "More")
    assert shown_buttons(view) == [Act.COPY, Act.EDIT, Act.RETRY, Act.DELETE]
    view.act(Act.RETRY)
    assert found == [("retry", 3)]
    view.set_messages([question(1, "Ask"), answer(2, "Text"), question(3, "More")], has_newer=True)
    view.act(Act.RETRY)
    assert found == [("retry", 3), ("retry", 2)]

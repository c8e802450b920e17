"""What a screen reader gets: the whole text, its links by keyboard, and few words of the program's own accord."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAccessible, QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status, StoredMessage
from llamachat.ui.transcript.announcing import announce_to_screen_reader, end_sentence
from llamachat.ui.transcript.message_acts import IN_MENU_ONLY, SOMETIMES, Act, act_key, act_name
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import RECORD, answer, lines_of, question, show_view


def test_the_beginning_and_the_end_of_an_answer_are_announced_and_nothing_between(qtbot: QtBot) -> None:
    said: list[str] = []

    def announce(source: QObject, text: str) -> None:
        assert source is view
        said.append(text)

    view = TranscriptView(announce=announce)
    qtbot.addWidget(view)
    view.begin_answer(question(1), answer(2, status=Status.STREAMING))
    for _ in range(50):
        view.apply([Event(Kind.REASONING, "thought "), Event(Kind.CONTENT, "A sentence. ")])
        view.tick()
    view.end_answer(answer(2, "A sentence. " * 50))
    assert said == ["model is answering.", "model has answered. 100 words."]


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (answer(2, "one"), "model has answered. 1 word."),
        (answer(2, "one two", status=Status.STOPPED), "Stopped. 2 words."),
        (answer(2, status=Status.FAILED, error="The server is away."), "The server is away."),
    ],
)
def test_how_an_answer_ended_is_said(message: StoredMessage, sentence: str) -> None:
    assert end_sentence(message) == sentence


def test_an_announcement_reaches_qt(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    QAccessible.setActive(True)
    try:
        announce_to_screen_reader(view, "Done.")
        view.begin_answer(question(1), answer(2, status=Status.STREAMING))
        view.end_answer(answer(2, "Text"))
    finally:
        QAccessible.setActive(False)
    assert "Text" in lines_of(view)


def test_the_text_interface_has_everything_that_is_shown(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(
        [question(1, "Ask"), answer(2, "- item\n\n```py\nx = 1\n```\n\n> [!NOTE]\n> mind", searches=(RECORD,))]
    )
    text = QAccessible.queryAccessibleInterface(view).textInterface()
    whole = text.text(0, text.characterCount())
    for line in lines_of(view):
        assert line.replace(" Copy", "\tCopy") in whole or line in whole


def test_everything_that_can_be_done_is_a_link_the_keyboard_comes_to(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(
        [question(1, "Ask"), answer(2, "```py\nx\n```", status=Status.INTERRUPTED, reasoning="thought")]
    )
    view.setFocus()
    seen = []
    for _ in range(8):
        QTest.keyClick(view, Qt.Key.Key_Tab)
        seen.append(view.textCursor().selectedText().strip("\u00a0"))
    for name in ("Copy", "▸ thinking (7 chars, 1 line)", "Save as", "Continue", "Retry"):
        assert name in seen


def test_the_controls_over_the_text_have_names(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.find_bar.open()
    for kind in (QAbstractButton, QLineEdit):
        for control in view.find_bar.findChildren(kind):
            assert QAccessible.queryAccessibleInterface(control).text(QAccessible.Text.Name)
    assert QAccessible.queryAccessibleInterface(view.new_text).text(QAccessible.Text.Name) == "New text below"


def test_everything_that_can_be_done_with_a_message_has_a_name_and_keys(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "Text"), question(3, "More")])
    view.set_versions({1: (1, 8, 9), 2: (0, 2, 7)})
    view.set_offered(SOMETIMES)
    offered: set[Act] = set()
    for _ in range(3):
        view.step_message(-1)
        bar = QAccessible.queryAccessibleInterface(view.bar)
        children = [bar.child(number) for number in range(bar.childCount())]
        names = [child.text(QAccessible.Text.Name) for child in children if not child.state().invisible]
        assert bar.text(QAccessible.Text.Name)
        assert all(names)
        shown = [act for act, button in view.bar.buttons.items() if button.isEnabled() and button.isVisible()]
        keys = {entry.text(): entry.shortcut().toString() for entry in menu_of(view)}
        assert {act_name(act) for act in shown} <= set(names)
        assert [keys[act_name(act)] for act in shown] == [act_key(act) for act in shown]
        offered.update(shown)
    assert offered == set(Act) - set(IN_MENU_ONLY)


def menu_of(view: TranscriptView) -> list[QAction]:
    """The menu that comes by its key."""
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
    QApplication.sendEvent(view.viewport(), event)
    menu = view.findChild(QMenu)
    assert menu
    menu.close()
    return menu.actions()

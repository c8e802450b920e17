"""What the pointer selects with two and three clicks, and what is dragged out."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from llamachat.ui.transcript.look import Look
from llamachat.ui.transcript.pointer import MARKDOWN_TYPE
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import answer, show_view

# QTest finds that a text which is only read lets the release of a button pass.
pytestmark = pytest.mark.qt_log_ignore("Mouse event .* not accepted")

CODE = "```python\ndef first_word(some_text):\n    return some_text.split()[0]  # the first\n\nx = 1\n```\n"


def press(view: TranscriptView, text: str, clicks: int) -> None:
    cursor = view.document().find(text)
    cursor.setPosition(cursor.selectionStart() + 1)
    at = view.cursorRect(cursor).center() + QPoint(1, 0)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    if clicks > 1:
        QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    if clicks > 2:
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


@pytest.mark.parametrize(
    ("where", "word"),
    [
        ("some_text)", "some_text"),
        ("some_text.split", "some_text"),
        ("split", "split"),
        ("return", "return"),
        ("first_word", "first_word"),
        ("prose", "prose"),
    ],
)
def test_two_clicks_select_a_word(qtbot: QtBot, where: str, word: str) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, CODE + "\nSome prose, here.")])
    press(view, where, 2)
    assert view.textCursor().selectedText() == word


@pytest.mark.parametrize("wraps", [True, False])
@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("split", "    return some_text.split()[0]  # the first"),
        ("first_word", "def first_word(some_text):"),
        ("x = 1", "x = 1"),
        ("long", "long = " + "1 + " * 60 + "1"),
    ],
)
def test_three_clicks_select_a_line_of_code(qtbot: QtBot, where: str, line: str, wraps: bool) -> None:
    view = show_view(qtbot)
    view.set_look(Look(wraps_code=wraps))
    view.set_messages([answer(2, CODE + "\nbetween\n\n```\nlong = " + "1 + " * 60 + "1\n```\n")])
    press(view, where, 3)
    data = view.createMimeDataFromSelection()
    assert data.text() == line
    assert bytes(data.data(MARKDOWN_TYPE).data()).decode() == line


def test_what_is_dragged_out_is_text_and_markdown(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, "Some **bold** words.\n\n- one\n")])
    cursor = view.document().find("Some")
    cursor.setPosition(cursor.selectionStart())
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    data = view.createMimeDataFromSelection()
    assert data.text() == "Some bold words."
    assert bytes(data.data(MARKDOWN_TYPE).data()).decode() == "Some **bold** words."


def test_no_code_of_the_program_stands_around_a_drag() -> None:
    """Qt drags inside the event that begins it: Python there would hold the lock that all threads need."""
    ours = [vars(each) for each in TranscriptView.__mro__ if each.__module__.startswith("llamachat.")]
    assert len(ours) >= 4
    for name in ("event", "viewportEvent", "mouseMoveEvent"):
        assert not any(name in names for names in ours), name

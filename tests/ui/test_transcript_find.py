"""Finding a text in the chat: matches, keys, what is not loaded yet."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status
from llamachat.ui.theme import DARK, LIGHT
from llamachat.ui.transcript.find import Match, find_matches, match_from, next_match
from llamachat.ui.transcript.look import Look
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import answer, long_chat, question, show_view


def marks(view: TranscriptView) -> list[tuple[str, str]]:
    """What is marked, and in which colour."""
    return [(mark.cursor.selectedText(), mark.format.background().color().name()) for mark in view.extraSelections()]


def find(view: TranscriptView, text: str) -> None:
    view.find_bar.open()
    view.find_bar.field.setText(text)
    view.find_bar.search()


def test_matches_are_marked_and_counted_and_the_keys_go_through_them(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Rust and rust"), answer(2, "Copy the rusty **RU**ST code")])
    bar = view.find_bar
    bar.open()
    assert bar.isVisible()
    QTest.keyClicks(bar.field, "rust")
    bar.search()
    other, current = LIGHT.match, LIGHT.selection
    assert marks(view) == [("Rust", current), ("rust", other), ("rust", other), ("RUST", other)]
    assert bar.count.text() == "1 of 4"
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert (bar.count.text(), marks(view)[1]) == ("2 of 4", ("rust", current))
    for _ in range(2):
        QTest.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.count.text() == "4 of 4"
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert marks(view) == []
    assert view.textCursor().selectedText() == "RUST"


def test_what_the_program_writes_is_not_found(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, "```py\nx\n```")])
    for text in ("copy", "you", "save as"):
        find(view, text)
        assert view.find_bar.count.text() == "not found"


def test_a_match_out_of_sight_is_scrolled_to(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(20))
    find(view, "Question 5?")
    (mark,) = view.extraSelections()
    rect = view.cursorRect(mark.cursor)
    assert view.find_bar.geometry().bottom() < rect.top() < view.viewport().height()


def test_leaving_keeps_the_place(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Q"), answer(2, "\n\n".join(f"Line {number}" for number in range(120)))])
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    find(view, "Line 60")
    qtbot.waitUntil(view.find_bar.field.hasFocus)
    place = view.verticalScrollBar().value()
    view.find_bar.leave()
    assert view.hasFocus()
    assert view.textCursor().selectedText() == "Line 60"
    assert view.verticalScrollBar().value() == place > 0


def test_what_is_not_loaded_is_asked_for_until_it_is_found(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(10, first=41), has_older=True)
    asked: list[int] = []
    pages = {21: True, 1: False}

    def load() -> None:
        first = 21 if not asked else 1
        asked.append(first)
        view.prepend_messages(long_chat(10, first=first), has_older=pages[first])

    view.older_requested.connect(load)
    find(view, "Question 3?")
    for _ in range(3):
        view.find_bar.search()
    assert asked == [21, 1]
    assert view.find_bar.count.text() == "1 of 1"
    find(view, "nowhere")
    view.find_bar.search()
    assert view.find_bar.count.text() == "not found"


def test_matches_follow_an_answer_that_comes(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.begin_answer(question(1, "the word"), answer(2, status=Status.STREAMING))
    find(view, "word")
    view.apply([Event(Kind.CONTENT, "another word")])
    qtbot.waitUntil(lambda: view.find_bar.count.text() == "1 of 2")
    view.set_theme(DARK)
    assert marks(view) == [("word", DARK.selection), ("word", DARK.match)]


def test_it_looks_also_while_text_comes_without_a_pause(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.begin_answer(question(1, "q"), answer(2, status=Status.STREAMING))
    find(view, "word")
    stream = QTimer(view, interval=10)
    stream.timeout.connect(lambda: view.apply([Event(Kind.CONTENT, "word ")]))
    stream.start()
    qtbot.waitUntil(lambda: bool(marks(view)))
    stream.stop()


def test_the_current_match_stays_the_same_when_text_comes_above_it(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(3, "first word"), answer(4, "second word")], has_older=True)
    find(view, "word")
    view.find_bar.step(1)
    assert view.find_bar.count.text() == "2 of 2"
    view.prepend_messages([question(1, "no"), answer(2, "nothing " * 9)], has_older=False)
    view.find_bar.search()
    assert view.find_bar.count.text() == "2 of 2"


@pytest.mark.parametrize("act", ["step", "leave", "theme"])
def test_matches_of_a_text_that_is_gone_are_not_used(qtbot: QtBot, act: str) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "much text before it " * 20 + "word")])
    find(view, "word")
    view.set_messages([question(2, "a word")])
    if act == "step":
        view.find_bar.step(1)
    elif act == "leave":
        view.find_bar.leave()
        assert view.textCursor().selectedText() == "word"
    else:
        view.set_theme(DARK)
        assert marks(view) == [("word", DARK.selection)]


def test_enter_right_after_typing_goes_to_the_first_match_of_what_was_typed(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "a word and a word")])
    view.find_bar.open()
    QTest.keyClicks(view.find_bar.field, "word\r")
    assert view.find_bar.count.text() == "1 of 2"


def test_the_selection_is_what_is_looked_for(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "some words")])
    view.setTextCursor(view.document().find("words"))
    view.find_bar.open()
    assert view.find_bar.field.text() == "words"
    assert view.find_bar.count.text() == "1 of 1"


def test_going_round(qapp: object) -> None:
    document = QTextDocument("a b a")
    first, second = matches = find_matches(document, "A")
    assert matches == [Match(0, 1), Match(4, 5)]
    assert find_matches(document, "") == []
    assert [next_match(matches, first, 1), next_match(matches, second, 1)] == [second, first]
    assert [next_match(matches, None, -1), next_match(matches, None, 1), next_match([], None, 1)] == [
        second,
        first,
        None,
    ]
    assert [match_from(matches, 1), match_from(matches, 5), match_from([], 0)] == [second, second, None]


def test_typing_looks_after_a_pause(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "some words")])
    view.find_bar.open()
    QTest.keyClicks(view.find_bar.field, "words")
    qtbot.waitUntil(lambda: view.find_bar.count.text() == "1 of 1")
    view.find_bar.field.clear()
    qtbot.waitUntil(lambda: view.find_bar.count.text() == "")
    assert marks(view) == []


def test_a_match_at_the_far_end_of_a_line_of_code_is_brought_into_sight(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_look(Look(wraps_code=False))
    view.set_messages([answer(2, "near\n\n```\n" + "x = 1; " * 60 + "far = 2\n```\n")])
    view.find_bar.open()
    for text in ("far", "near", "far"):
        view.find_bar.field.setText(text)
        view.find_bar.search()
        cursor = view.document().find(text)
        assert 0 <= view.cursorRect(cursor).left() < view.viewport().width()

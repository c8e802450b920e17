"""New text below a reader who scrolled up: a button tells and leads there; nothing moves, no selection is lost."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status
from llamachat.core.search_record import record_to_json
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import RECORD, answer, follow, long_chat, place_of, question, select, show_view


def streaming(qtbot: QtBot) -> TranscriptView:
    view = show_view(qtbot)
    view.set_messages(long_chat(10))
    view.begin_answer(question(21), answer(22, status=Status.STREAMING))
    return view


def test_the_button_comes_with_new_text_below_and_leads_there(qtbot: QtBot) -> None:
    view = streaming(qtbot)
    view.apply([Event(Kind.CONTENT, "in sight")])
    assert not view.new_text.isVisible()
    view.jump_to(4)
    assert not view.new_text.isVisible()
    value = view.verticalScrollBar().value()
    view.apply([Event(Kind.CONTENT, " and below")])
    assert view.new_text.isVisible()
    assert view.verticalScrollBar().value() == value
    QTest.mouseClick(view.new_text, Qt.MouseButton.LeftButton)
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()
    assert not view.new_text.isVisible()
    view.apply([Event(Kind.CONTENT, " more" * 200)])
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_the_button_goes_when_the_reader_scrolls_down_or_opens_another_chat(qtbot: QtBot) -> None:
    view = streaming(qtbot)
    view.jump_to(4)
    view.apply([Event(Kind.CONTENT, "text")])
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    assert not view.new_text.isVisible()
    view.jump_to(4)
    view.apply([Event(Kind.CONTENT, "text")])
    view.set_messages(long_chat(2))
    assert not view.new_text.isVisible()


def test_the_button_stays_in_the_view_when_that_gets_narrow(qtbot: QtBot) -> None:
    view = streaming(qtbot)
    view.jump_to(4)
    view.apply([Event(Kind.CONTENT, "text")])
    view.resize(400, 400)
    button, area = view.new_text.geometry(), view.viewport().geometry()
    assert area.contains(button)
    assert abs(button.center().x() - area.center().x()) <= 1


def test_a_selection_survives_search_results_that_arrive(qtbot: QtBot) -> None:
    view = streaming(qtbot)
    view.apply([Event(Kind.CONTENT, "First words [1].\n\n- item **bold** text\n\nand the end")])
    select(view, place_of(view, "words"), place_of(view, "and the") + 3)
    selected = view.textCursor().selectedText()
    view.apply([Event(Kind.SEARCH_START, "q"), Event(Kind.SEARCH_DONE, record_to_json(RECORD))])
    assert view.textCursor().selectedText() == selected
    view.apply([Event(Kind.CONTENT, " of it")])
    view.end_answer(
        replace(answer(22, "First words [1].\n\n- item **bold** text\n\nand the end of it"), searches=(RECORD,))
    )
    assert view.textCursor().selectedText() == selected


def test_a_selection_survives_a_fold_above_it(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, "Some text here", searches=(RECORD,), reasoning="thought")])
    select(view, place_of(view, "text"), place_of(view, "here") + 4)
    for fold in ("▸ searched", "▸ thinking", "▾ searched", "▾ thinking"):
        follow(view, fold)
        assert view.textCursor().selectedText() == "text here"

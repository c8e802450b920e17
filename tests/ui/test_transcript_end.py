"""A chat stands exactly at its end, whatever happens around it, until the reader scrolls away."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import (
    RECORD,
    TEXT_PX,
    StillClock,
    answer,
    blocks_of,
    follow,
    lines_of,
    long_chat,
    place_of,
    question,
    select,
    show_view,
    top_of,
)


def is_at_end(view: TranscriptView) -> bool:
    bar = view.verticalScrollBar()
    last = view.document().lastBlock()
    bottom = view.document().documentLayout().blockBoundingRect(last).bottom()
    drawn = all(block.layout().lineCount() for block in blocks_of(view.document()))
    return drawn and 0 < bar.value() == bar.maximum() and bottom - bar.value() <= view.viewport().height()


def test_a_chat_shown_before_its_window_stands_at_its_end(qtbot: QtBot) -> None:
    view = TranscriptView(clock=StillClock())
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.set_messages([*long_chat(15), answer(32, "Text", searches=(RECORD,))])
    with qtbot.waitExposed(view):
        view.show()
    assert is_at_end(view)


def test_a_view_at_its_end_stays_there_when_its_size_changes(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(15))
    for size in ((700, 480), (420, 480), (1200, 300), (1200, 900), (600, 600)):
        view.resize(*size)
        assert is_at_end(view)


def test_a_view_at_its_end_stays_there_when_the_text_grows(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(15))
    font = view.font()
    font.setPixelSize(2 * TEXT_PX)
    view.setFont(font)
    assert is_at_end(view)


def test_a_reader_who_scrolled_up_is_left_alone_when_the_size_changes(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(15))
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 100)
    value = view.verticalScrollBar().value()
    view.resize(700, 400)
    assert view.verticalScrollBar().value() == value


def test_the_next_chat_is_shown_at_its_end_too(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(15))
    view.jump_to(3)
    view.set_messages(long_chat(10, first=51))
    assert is_at_end(view)


def test_a_click_on_a_fold_leaves_nothing_selected(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, "Text", searches=(RECORD,))])
    select(view, place_of(view, "▸ searched"), place_of(view, "▸ searched"))
    place = view.cursorRect().center() + QPoint(30, 0)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert any(line.startswith("▾ searched") for line in lines_of(view))
    assert not view.textCursor().hasSelection()


def test_opening_a_fold_at_the_end_does_not_move_its_line(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([*long_chat(15), answer(32, "Text", searches=(RECORD,))])
    top = top_of(view, "▸ searched")
    follow(view, "▸ searched")
    assert top_of(view, "▾ searched") == top

"""The size of the text, its fonts and the width of its column."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontInfo, QTextBlock, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status
from llamachat.ui.theme import LIGHT
from llamachat.ui.transcript.look import Look
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import TEXT_PX, answer, blocks_of, lines_of, long_chat, question, show_view, top_of


def column(view: TranscriptView) -> float:
    page = view.document().rootFrame().frameFormat()
    return view.viewport().width() - page.leftMargin() - page.rightMargin()


def wheel(view: TranscriptView, angle: int, keys: Qt.KeyboardModifier) -> None:
    place = QPointF(100, 100)
    event = QWheelEvent(
        place,
        view.viewport().mapToGlobal(place),
        QPoint(),
        QPoint(0, angle),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_everything_grows_with_the_zoom_and_comes_back(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, "Text\n\n# Head\n\n```\ncode\n```")])
    before = [block.layout().boundingRect().height() for block in blocks_of(view.document())]
    view.zoom_by(10)
    larger = [block.layout().boundingRect().height() for block in blocks_of(view.document())]
    assert view.document().defaultFont().pixelSize() == 2 * TEXT_PX
    assert larger[2] > 1.7 * before[2]
    view.zoom_by(0)
    assert [block.layout().boundingRect().height() for block in blocks_of(view.document())] == before


@pytest.mark.parametrize(("wanted", "zoom"), [(10, 50), (1000, 300), (120, 120)])
def test_the_zoom_has_its_limits(qtbot: QtBot, wanted: int, zoom: int) -> None:
    view = show_view(qtbot)
    view.set_zoom(wanted)
    assert view.zoom == zoom


def test_the_zoom_keeps_the_place_and_is_kept_with_another_chat(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(20))
    view.jump_to(20)
    top = top_of(view, "Answer 20.")
    view.set_zoom(150)
    assert 0 <= top_of(view, "Answer 20.") <= 1.6 * top
    view.set_messages(long_chat(10, first=51))
    assert view.zoom == 150
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_ctrl_and_the_wheel_zoom_and_the_wheel_alone_scrolls(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(20))
    for angle in (60, 60, 120, -120):
        wheel(view, angle, Qt.KeyboardModifier.ControlModifier)
    assert view.zoom == 110
    place = view.verticalScrollBar().value()
    wheel(view, 120, Qt.KeyboardModifier.NoModifier)
    assert view.zoom == 110
    assert view.verticalScrollBar().value() < place


def test_the_column_is_as_wide_as_it_is_set(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.resize(1400, 600)
    view.set_messages(long_chat(20))
    assert abs(column(view) - 780) <= 1
    view.set_look(Look(width_px=1000))
    assert abs(column(view) - 1000) <= 1
    assert all(block.layout().lineCount() for block in blocks_of(view.document()))
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()
    view.set_look(Look(width_px=5000))
    assert column(view) > 1300
    assert lines_of(view)[1] == "Question 1?"


def test_the_fonts_are_those_that_are_set_and_the_zoom_comes_on_top(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([*long_chat(20), answer(42, "Prose with `inline` code.\n\n```\nboxed\n```")])
    view.jump_to(20)
    top = top_of(view, "Answer 20.")
    view.set_look(Look(family="DejaVu Serif", size_pt=30, code_family="Some Mono"))
    font = view.document().defaultFont()
    assert font.families()[0] == "DejaVu Serif"
    assert font.pointSizeF() == 30
    for text in ("inline", "boxed"):
        assert "Some Mono" in str(view.document().find(text).charFormat().fontFamilies())
    assert 0 <= top_of(view, "Answer 20.") <= 3 * top
    size = QFontInfo(font).pixelSize()
    view.set_zoom(200)
    assert view.document().defaultFont().pixelSize() == 2 * size
    assert view.document().defaultFont().families()[0] == "DejaVu Serif"
    view.set_zoom(100)
    view.set_look(Look())
    assert view.document().defaultFont().pixelSize() == TEXT_PX


def line_with(view: TranscriptView, text: str) -> QTextBlock:
    return view.document().find(text).block()


def test_long_lines_of_code_go_on_below_or_to_the_side(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, "word " * 60 + "\n\n```\n" + "x = 1; " * 60 + "\n```\n")])
    assert line_with(view, "x = 1").layout().lineCount() > 1
    assert view.horizontalScrollBar().maximum() == 0
    view.set_look(Look(wraps_code=False))
    assert line_with(view, "x = 1").layout().lineCount() == 1
    assert line_with(view, "word word").layout().lineCount() > 1
    assert line_with(view, "word word").layout().lineAt(0).naturalTextWidth() <= column(view)
    assert view.horizontalScrollBar().maximum() > 0
    view.set_look(Look())
    assert view.horizontalScrollBar().maximum() == 0


def end_of_box(view: TranscriptView, text: str) -> int:
    """How far to the right the box around a line of code reaches."""
    picture = view.viewport().grab().toImage()
    y = view.cursorRect(view.document().find(text)).center().y()
    return max(x for x in range(picture.width()) if picture.pixelColor(x, y).name() != LIGHT.base)


def test_the_box_around_code_is_as_wide_as_its_lines(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_look(Look(width_px=300, wraps_code=False))
    view.set_messages([answer(2, "```\n" + "x" * 50 + "\n```\n\n```\nshort\n```\n")])
    line = line_with(view, "xxx")
    left = view.document().rootFrame().frameFormat().leftMargin() + line.blockFormat().leftMargin()
    right = left + line.layout().lineAt(0).naturalTextWidth()
    assert right > left + 300
    assert right < end_of_box(view, "xxx") < right + 30
    assert end_of_box(view, "short") < left + 310


def test_what_stands_at_the_right_end_of_a_line_stays_there_in_narrow_windows_too(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask")])
    for width in (700, 500, 600):
        view.resize(width, 600)
        cursor = view.document().find("Copy")
        right = view.viewport().width() - view.document().rootFrame().frameFormat().rightMargin()
        assert view.cursorRect(cursor).right() == pytest.approx(right, abs=2)


def test_code_that_streams_stays_on_its_lines_too(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_look(Look(wraps_code=False))
    view.begin_answer(question(1), answer(2, status=Status.STREAMING))
    view.apply([Event(Kind.CONTENT, "```\n")])
    for _ in range(8):
        view.apply([Event(Kind.CONTENT, "x = 1; " * 30)])
        view.apply([Event(Kind.CONTENT, "x = 1; " * 30 + "\n")])
    code = [block for block in blocks_of(view.document()) if "x = 1" in block.text()]
    assert len(code) > 5
    assert {block.layout().lineCount() for block in code} == {1}

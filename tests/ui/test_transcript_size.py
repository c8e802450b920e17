"""The size of the text and the width of its column."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import TEXT_PX, answer, blocks_of, lines_of, long_chat, show_view, top_of


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
    seen: list[int] = []
    view.zoom_changed.connect(seen.append)
    view.zoom_by(10)
    larger = [block.layout().boundingRect().height() for block in blocks_of(view.document())]
    assert view.document().defaultFont().pixelSize() == 2 * TEXT_PX
    assert larger[2] > 1.7 * before[2]
    view.zoom_by(0)
    assert [block.layout().boundingRect().height() for block in blocks_of(view.document())] == before
    assert seen == [200, 100]


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
    view.set_width(1000)
    assert abs(column(view) - 1000) <= 1
    assert all(block.layout().lineCount() for block in blocks_of(view.document()))
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()
    view.set_width(5000)
    assert column(view) > 1300
    assert lines_of(view)[1] == "Question 1?"

"""The bar below an answer that did not end well: its buttons by pointer and keyboard, and how they look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QTextBlock
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Status, StoredMessage
from llamachat.render.block_kinds import BlockKind, kind_of
from llamachat.render.links import AnchorKind
from llamachat.ui.theme import DARK, LIGHT, Theme
from llamachat.ui.transcript.buttons import buttons_of
from llamachat.ui.transcript.view import TranscriptView
from tests.gallery.endings import ENDINGS
from tests.ui.test_theme import contrast
from tests.ui.test_transcript_contrast import text_and_ground
from tests.ui.transcript_pages import answer, blocks_of, lines_of, question, show_view

FULL = "context-results"


def show(qtbot: QtBot, name: str, *, theme: Theme = LIGHT) -> TranscriptView:
    """A view whose last answer ended so."""
    view = show_view(qtbot, theme=theme)
    view.set_messages([question(1), ENDINGS[name]])
    return view


def rows_of_buttons(view: TranscriptView) -> Iterator[QTextBlock]:
    yield from (block for block in blocks_of(view.document()) if kind_of(block.userState()) is BlockKind.BUTTONS)


def buttons(view: TranscriptView) -> list[QRectF]:
    """Where they are in the viewport."""
    (row,) = rows_of_buttons(view)
    return [place.translated(0, -view.verticalScrollBar().value()) for _, place in buttons_of(row)]


def helps(view: TranscriptView) -> list[tuple[str, int]]:
    """What the view asks its owner for, from now on."""
    found: list[tuple[str, int]] = []
    view.retry_requested.connect(lambda number: found.append(("retry", number)))
    view.continue_requested.connect(lambda number: found.append(("continue", number)))
    view.help_requested.connect(lambda kind, number: found.append((kind, number)))
    return found


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("length", [AnchorKind.CONTINUE]),
        ("thinking", [AnchorKind.SKIP_THINKING, AnchorKind.CONTINUE, AnchorKind.RETRY]),
        ("lost", [AnchorKind.CONTINUE, AnchorKind.RETRY]),
        (FULL, [AnchorKind.DROP_RESULTS, AnchorKind.SUMMARY, AnchorKind.NEW_CHAT]),
    ],
)
def test_each_button_asks_for_its_act(qtbot: QtBot, name: str, asked: list[AnchorKind]) -> None:
    view = show(qtbot, name)
    found = helps(view)
    for place in buttons(view):
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place.center().toPoint())
    assert found == [(kind, 2) for kind in asked]


def test_a_button_is_hit_up_to_its_edges(qtbot: QtBot) -> None:
    view = show(qtbot, FULL)
    found = helps(view)
    place = buttons(view)[1].toRect().adjusted(3, 3, -3, -6)
    for corner in (place.topLeft(), place.topRight(), place.bottomLeft(), place.bottomRight()):
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=corner)
    assert found == [("summary", 2)] * 4


def test_the_keyboard_comes_to_each_button_and_presses_it(qtbot: QtBot) -> None:
    view = show(qtbot, "thinking")
    found = helps(view)
    view.setFocus()
    for _ in range(8):
        QTest.keyClick(view, Qt.Key.Key_Tab)
        if view.textCursor().selectedText().strip("\u00a0").startswith(("Continue", "Answer")):
            QTest.keyClick(view, Qt.Key.Key_Return)
    assert found == [("skip-thinking", 2), ("continue", 2), ("retry", 2)]


def _move(view: TranscriptView, at: QPointF) -> None:
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, at, view.mapToGlobal(at), none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view.viewport(), event)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_button_under_the_pointer_looks_otherwise(qtbot: QtBot, theme: Theme) -> None:
    view = show(qtbot, "lost", theme=theme)
    first, second = (place.topLeft().toPoint() + QPoint(5, 4) for place in buttons(view))

    def colours() -> list[QColor]:
        picture = view.viewport().grab().toImage()
        return [picture.pixelColor(first), picture.pixelColor(second)]

    assert colours() == [QColor(theme.raised), QColor(theme.raised)]
    _move(view, buttons(view)[0].center())
    assert colours() == [QColor(theme.hover), QColor(theme.raised)]
    assert view.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    _move(view, QPointF(5, 5))
    assert colours() == [QColor(theme.raised), QColor(theme.raised)]


def test_the_button_that_has_the_keyboard_has_a_ring(qtbot: QtBot) -> None:
    view = show(qtbot, "length")
    (place,) = buttons(view)
    edge = QPoint(place.toRect().left(), place.toRect().center().y())
    view.setFocus()
    assert view.viewport().grab().toImage().pixelColor(edge) != QColor(LIGHT.focus)
    while not view.textCursor().selectedText().strip("\u00a0").startswith("Continue"):
        QTest.keyClick(view, Qt.Key.Key_Tab)
    assert view.viewport().grab().toImage().pixelColor(edge) == QColor(LIGHT.focus)


@pytest.mark.parametrize("ended", ENDINGS.values(), ids=ENDINGS)
def test_every_bar_can_be_read_in_both_themes(qtbot: QtBot, ended: StoredMessage) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), ended])
    for theme in (LIGHT, DARK):
        view.set_theme(theme)
        assert [piece for piece in text_and_ground(view) if contrast(piece[1], piece[2]) < 4.5] == []


def test_in_a_narrow_window_no_button_is_broken(qtbot: QtBot) -> None:
    view = show(qtbot, FULL)
    view.resize(300, 900)
    places = buttons(view)
    assert len({place.top() for place in places}) == 3
    assert all(place.right() < view.viewport().width() for place in places)
    assert all(upper.bottom() < lower.top() for upper, lower in pairwise(places))


def test_an_earlier_answer_says_how_it_ended_in_words_only(qtbot: QtBot) -> None:
    view = show(qtbot, "lost")
    later = replace(answer(4, "Yes."), parent_id=3)
    view.set_messages([question(1), ENDINGS["lost"], question(3), later])
    assert list(rows_of_buttons(view)) == []
    assert "The answer broke off: the model server closed the connection before its end." in lines_of(view)
    assert "Try again, or have the answer continued." not in lines_of(view)


def test_the_bar_turns_into_words_when_the_chat_goes_on(qtbot: QtBot) -> None:
    view = show(qtbot, "stopped")
    assert len(list(rows_of_buttons(view))) == 1
    view.begin_answer(question(3), replace(answer(4, status=Status.STREAMING), parent_id=3))
    assert list(rows_of_buttons(view)) == []
    assert "Stopped." in lines_of(view)


def test_buttons_are_not_copied_or_found(qtbot: QtBot) -> None:
    view = show(qtbot, "lost")
    view.selectAll()
    assert "Retry" not in view.createMimeDataFromSelection().text()
    view.find_bar.open()
    view.find_bar.field.setText("Retry")
    view.find_bar.search()
    assert "1" not in view.find_bar.count.text()

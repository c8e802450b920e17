"""The bars beside quotes stand where their text begins: at the left, or at the right where it runs from there."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from llamachat.ui.theme import LIGHT
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import answer, show_view, top_of

HEBREW = "שלום עולם"


def bars(view: TranscriptView, text: str) -> list[float]:
    """Where bars stand beside a line of text: px from the left edge of the column, or below 0 from its right one."""
    picture = view.viewport().grab().toImage()
    page, y = view.document().rootFrame().frameFormat(), int(top_of(view, text)) + 8
    left, right = round(page.leftMargin()), round(picture.width() - page.rightMargin())
    grey = QColor(LIGHT.quote)
    found = [x for x in range(left, right) if picture.pixelColor(x, y) == grey]
    starts = [x for x in found if x - 1 not in found]
    return [x - left if x - left < right - x else x - right for x in starts]


@pytest.mark.parametrize(
    ("markdown", "where"),
    [
        ("> text", [0]),
        (f"> {HEBREW} text", [-3]),
        (f"> > {HEBREW} text", [-21, -3]),
        (f"> **[{HEBREW}](http://e.example)** text", [-3]),
        (f"> 1. {HEBREW} text", [-3]),
        (f"> # {HEBREW} text", [-3]),
        (f"> 12 {HEBREW} text", [-3]),
        (f"> text {HEBREW}", [0]),
        (f"{HEBREW} text", []),
    ],
)
def test_the_bar_stands_where_the_text_begins(qtbot: QtBot, markdown: str, where: list[float]) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, markdown)])
    assert bars(view, "text") == where


def test_each_paragraph_of_a_quote_has_its_side(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, f"> from the left\n>\n> {HEBREW} first\n>\n> {HEBREW} second\n>\n> last")])
    sides = [bars(view, text) for text in ("from the left", "first", "second", "last")]
    assert sides == [[0], [-3], [-3], [0]]

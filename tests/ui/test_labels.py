"""Labels that never widen the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from llamachat.ui.labels import ElidedLabel, WrapLabel, tooltip

LONG = ["W" * 400, "i" * 400, "https://host.example/" + "a/b-c" * 120, "/home/me/" + "very_long_name" * 30]


@pytest.mark.parametrize("text", LONG)
def test_an_elided_label_asks_for_no_room(qtbot: QtBot, text: str) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.show_text(text)
    label.resize(120, 20)
    label.grab()
    assert label.minimumSizeHint().width() == 0
    assert label.toolTip() == tooltip(text)


def test_the_first_letter_is_not_cut(qtbot: QtBot) -> None:
    label = ElidedLabel("WWW")
    qtbot.addWidget(label)
    label.resize(label.sizeHint())
    picture = label.grab().toImage()
    ground = picture.pixel(0, 0)
    columns = [[picture.pixel(x, y) for y in range(picture.height())] for x in range(picture.width())]
    inked = [x for x, column in enumerate(columns) if set(column) != {ground}]
    assert inked[0] > 0
    assert inked[-1] < picture.width() - 1


def test_a_label_as_wide_as_it_asks_for_shows_all_of_its_text(qtbot: QtBot) -> None:
    def picture(text: str, *, more_px: int) -> QImage:
        label = ElidedLabel(text)
        qtbot.addWidget(label)
        label.resize(label.sizeHint().width() + more_px, 20)
        return label.grab(QRect(0, 0, label.sizeHint().width(), 20)).toImage()

    for text in ("archived · sea · work", "Bees", *("a tag " * number for number in range(1, 12))):
        assert picture(text.strip(), more_px=0) == picture(text.strip(), more_px=20)


def test_a_tooltip_is_never_taken_for_html() -> None:
    shown = '<p style="white-space:pre">&lt;img src=&quot;file:///x&quot;&gt;&amp;</p>'
    assert tooltip('<img src="file:///x">&') == shown
    assert tooltip("a b " * 40).startswith("<p>a b")  # long: Qt breaks it
    assert tooltip("") == ""


def test_an_elided_label_is_one_line(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.show_text("two\nlines")
    assert label.text() == "two lines"


@pytest.mark.parametrize("text", LONG)
def test_a_long_word_breaks_and_the_height_follows(qtbot: QtBot, text: str) -> None:
    label = WrapLabel(text)
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() < 100
    lines = label.heightForWidth(300) / label.fontMetrics().lineSpacing()
    needed = label.fontMetrics().horizontalAdvance(text) / 300
    assert needed <= round(lines) <= needed * 1.3 + 2


def test_margins_are_kept_free(qtbot: QtBot) -> None:
    label = WrapLabel("WWW WWW")
    qtbot.addWidget(label)
    low = label.heightForWidth(200)
    label.setContentsMargins(16, 8, 16, 8)
    assert label.heightForWidth(232) == low + 16
    label.resize(232, label.heightForWidth(232))
    picture = label.grab().toImage()
    inked = [
        (x, y) for x in range(232) for y in range(picture.height()) if picture.pixel(x, y) != picture.pixel(0, 0)
    ]
    assert min(x for x, _ in inked) >= 15
    assert min(y for _, y in inked) >= 8


def test_line_breaks_count(qtbot: QtBot) -> None:
    label = WrapLabel("one\n\nthree")
    qtbot.addWidget(label)
    assert round(label.heightForWidth(300) / label.fontMetrics().lineSpacing()) == 3

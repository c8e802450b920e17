"""How large the text around a formula is, in whatever unit its font was set."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QTextCharFormat, QTextDocument, QTextFormat
from PySide6.QtWidgets import QApplication

from llamachat.ui.transcript.formula_text import text_size


@pytest.mark.parametrize("points", [9, 11, 24])
def test_the_font_of_a_desktop_is_set_in_points(qapp: QApplication, points: int) -> None:
    document, font = QTextDocument(), QFont()
    font.setPointSize(points)
    document.setDefaultFont(font)
    pixels = points * qapp.primaryScreen().logicalDotsPerInchY() / 72
    assert text_size(document, QTextCharFormat()) == pytest.approx(pixels, abs=0.6)


def test_a_size_of_its_own_comes_first(qapp: QApplication) -> None:
    document, look = QTextDocument(), QTextCharFormat()
    look.setProperty(QTextFormat.Property.FontPixelSize, 22)
    assert text_size(document, look) == 22

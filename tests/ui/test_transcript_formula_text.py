"""How large the text around a formula is, in whatever unit its font was set; how high a line of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from PySide6.QtGui import QFont, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.core.formula import INK, Formula, FormulaShapes
from llamachat.ui.transcript.formula_text import text_size
from llamachat.ui.transcript.formulas import Drawn
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.formula_source import drawn_sources, settle
from tests.ui.transcript_pages import answer, blocks_of, show_view

LOW = FormulaShapes(f'<rect x="0" y="-6" width="8" height="6" fill="{INK}"/>', 0, 0.5, 0.4, 0)


class LowSource:
    """Every formula is as high as a small letter."""

    def draw(self, formulas: Sequence[Formula], done: Callable[[Drawn], None]) -> None:
        done([LOW for _ in formulas])


@pytest.mark.parametrize("points", [9, 11, 24])
def test_the_font_of_a_desktop_is_set_in_points(qapp: QApplication, points: int) -> None:
    document, font = QTextDocument(), QFont()
    font.setPointSize(points)
    document.setDefaultFont(font)
    pixels = points * qapp.primaryScreen().logicalDotsPerInchY() / 72
    assert text_size(document, QTextCharFormat()) == pytest.approx(pixels, abs=0.6)


@pytest.mark.parametrize("points", [9, 11, 24])
@pytest.mark.parametrize("text", ["| $x$ | word |\n|---|---|\n", "| word | $x$ |\n|---|---|\n"])
def test_a_low_formula_alone_in_a_cell_stands_on_the_line_of_its_neighbour(
    qtbot: QtBot, points: int, text: str
) -> None:
    view, font = show_view(qtbot), QFont()
    font.setPointSize(points)
    view.setFont(font)
    view.formulas.set_source(LowSource())
    view.set_messages([answer(2, text)])
    settle(qtbot, view)
    cells = [block for block in blocks_of(view.document()) if QTextCursor(block).currentTable()]
    assert len(drawn_sources(view)) == 1
    one, other = (baseline(view, block) for block in cells)
    assert one == pytest.approx(other, abs=1)


def baseline(view: TranscriptView, block: QTextBlock) -> float:
    line = block.layout().lineAt(0)
    return view.document().documentLayout().blockBoundingRect(block).top() + line.y() + line.ascent()


def test_a_size_of_its_own_comes_first(qapp: QApplication) -> None:
    document, look = QTextDocument(), QTextCharFormat()
    look.setProperty(QTextFormat.Property.FontPixelSize, 22)
    assert text_size(document, look) == 22

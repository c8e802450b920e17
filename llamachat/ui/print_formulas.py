"""Formulas in a document that is printed: shapes, not pictures, so that they are sharp on paper."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter, QTextDocument, QTextFormat

from llamachat.core.formula import Formula, FormulaShapes
from llamachat.engines.formulas import FormulaProcess, can_draw_formulas
from llamachat.render.maths import read_formula
from llamachat.ui.transcript.editor import DocumentEditor
from llamachat.ui.transcript.formula_painter import (
    FormulaPainter,
    baseline_of,
    padding_of,
    rows_above,
    shapes_renderer,
)
from llamachat.ui.transcript.formula_placing import put_in_formula
from llamachat.ui.transcript.formula_text import box_of, source_of, undrawn_spans

DrawFormula = Callable[[Formula], FormulaShapes | None]

_MOST_REMEMBERED = 1000


class FormulaDrawing:
    """A process of its own that draws formulas, each once, where the library for that is there. For one thread."""

    def __init__(self) -> None:
        self._process = FormulaProcess() if can_draw_formulas() else None
        self.draw: DrawFormula | None = lru_cache(_MOST_REMEMBERED)(self._process.draw) if self._process else None

    def close(self) -> None:
        """End the process."""
        if self._process:
            self._process.close()


class PrintedFormulas(FormulaPainter):
    """Puts formulas into a document that does not change any more, and paints them."""

    def __init__(self, document: QTextDocument, draw: DrawFormula) -> None:
        super().__init__(document)
        self._draw = draw
        self._drawn: dict[Formula, FormulaShapes | None] = {}

    def put_in(self, editor: DocumentEditor) -> None:
        """In place of all sources that can be drawn; the last of a block first, so that the others stay in place."""
        block = editor.document.begin()
        while block.isValid():
            for span in reversed(list(undrawn_spans(block))):
                formula = span.formula
                if formula and (shapes := self._shapes_of(formula)):
                    put_in_formula(editor, block, span, shapes)
            block = block.next()

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, document: QTextDocument, position: int, look: QTextFormat
    ) -> None:
        """Draw one, its baseline on the line's."""
        formula = read_formula(source_of(look).replace("\u2028", "\n"))
        shapes, rect = self._drawn.get(formula) if formula else None, QRectF(rect)
        if shapes is None:
            return
        em = box_of(look).fitted(rect.width()).size
        colour = look.toCharFormat().foreground().color().name()
        renderer, size = shapes_renderer(shapes, em=em, colour=colour)
        left, top = rect.left() - padding_of(em), baseline_of(rect, document, position) - rows_above(shapes, em)
        renderer.render(painter, QRectF(left, top, size.width(), size.height()))

    def _shapes_of(self, formula: Formula) -> FormulaShapes | None:
        if formula not in self._drawn:
            self._drawn[formula] = self._draw(formula)
        return self._drawn[formula]

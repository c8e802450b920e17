"""Paints the formulas of a document, as sharp as the screen is and in the colour of the text around them.

Their shapes come as SVG elements that refer to nothing; the pictures made of them are kept as long as there is room.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, QSizeF
from PySide6.QtGui import QImage, QPainter, QPyTextObject, QTextDocument, QTextFormat
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QTextEdit

from llamachat.core.formula import INK, UNITS_PER_EM, Formula, FormulaShapes
from llamachat.render.maths import read_formula
from llamachat.ui.transcript.formula_text import OBJECT_TYPE, box_of, source_of
from llamachat.ui.transcript.room import Room

_SHAPES_CHARS = 16_000_000
_PICTURES_BYTES = 32_000_000
_MOST_PIXELS = 4_000_000  # of one picture; a larger one is less sharp
_ALWAYS_FITS_PX = 150
_SELECTION_BRUSH = 0x822  # ObjectSelectionBrush: on objects that are selected, while they are painted
_SOURCE_PX = 2  # room for the unseen source, lest it begin another line
_QT_GRID = 1 / 64  # Qt counts in these; without it text at half a pixel and a formula beside it would part

K = TypeVar("K")
V = TypeVar("V")


class Kept(Generic[K, V]):
    """A mapping that drops what was not asked for the longest when all it holds is larger than `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit, self._total = limit, 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def get(self, key: K) -> V | None:
        """The value, or None."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key][0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value of this size."""
        self._total += size - self._values.pop(key, (value, 0))[1]
        self._values[key] = value, size
        while self._total > self._limit and len(self._values) > 1:
            self._total -= self._values.popitem(last=False)[1][1]


class FormulaPainter(QPyTextObject):
    """The handler of drawn formulas in one document. `missed` is told of one whose shapes were dropped."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.shapes: Kept[Formula, FormulaShapes | None] = Kept(_SHAPES_CHARS)  # None: it cannot be drawn
        self.missed: Callable[[Formula], object] = lambda _: None
        self._selected: list[tuple[QRectF, QImage]] = []
        self._pictures: Kept[tuple[Formula, float, str], QImage] = Kept(_PICTURES_BYTES)
        document.documentLayout().registerHandler(OBJECT_TYPE, self)

    def intrinsicSize(self, document: QTextDocument, _position: int, look: QTextFormat) -> QSizeF:
        """The room a formula takes: its own, or what there is."""
        box = box_of(look)
        if box.width > _ALWAYS_FITS_PX:
            box = box.fitted(Room(int(box.columns), box.taken).width(document) - _SOURCE_PX)
        return QSizeF(box.width, box.height)

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, document: QTextDocument, position: int, look: QTextFormat
    ) -> None:
        """Paint one, its baseline on the line's and on whole pixels."""
        formula = read_formula(source_of(look).replace("\u2028", "\n"))
        shapes, rect = self.shapes.get(formula) if formula else None, QRectF(rect)
        if formula is None or shapes is None:
            if formula:
                self.missed(formula)
            return
        box, ratio = box_of(look).fitted(rect.width()), painter.device().devicePixelRatioF()
        em = sharp_em(shapes, box.size * ratio)
        picture = self.picture(formula, shapes, em=em, colour=look.toCharFormat().foreground().color().name())
        pixel = box.size / em  # in the units of the painter
        left = round(rect.left() * ratio) / ratio - padding_of(em) * pixel
        top = round(baseline_of(rect, document, position) * ratio + _QT_GRID) / ratio - rows_above(shapes, em) * pixel
        target = QRectF(left, top, picture.width() * pixel, picture.height() * pixel)
        painter.drawImage(target, picture)
        if look.hasProperty(_SELECTION_BRUSH):
            self._selected.append((painter.worldTransform().mapRect(target), picture))

    def unveil(self, view: QTextEdit) -> None:
        """Paint those that are selected once more: Qt lays half the colour of the selection over objects."""
        painter = QPainter(view.viewport())
        for target, picture in self._selected:
            painter.drawImage(target, picture)
        painter.end()
        self._selected.clear()

    def picture(self, formula: Formula, shapes: FormulaShapes, *, em: float, colour: str) -> QImage:
        """A formula in a size (pixels to the em) and a colour."""
        key = formula, em, colour
        picture = self._pictures.get(key)
        if picture is None:
            picture = draw_shapes(shapes, em=em, colour=colour)
            self._pictures.put(key, picture, picture.sizeInBytes())
        return picture


def draw_shapes(shapes: FormulaShapes, *, em: float, colour: str) -> QImage:
    """The picture of shapes: the baseline is the lower edge of row `rows_above`, empty pixels stand on all sides."""
    renderer, size = shapes_renderer(shapes, em=em, colour=colour)
    picture = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(0)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(picture.rect()))
    painter.end()
    return picture


def shapes_renderer(shapes: FormulaShapes, *, em: float, colour: str) -> tuple[QSvgRenderer, QSize]:
    """What draws such a picture into anything, and its size."""
    padding, above = padding_of(em), rows_above(shapes, em)
    width = math.ceil(shapes.width * em) + 2 * padding
    height = above + math.ceil(shapes.descent * em) + padding
    unit = UNITS_PER_EM / em
    left = shapes.left * UNITS_PER_EM - padding * unit
    view = f"{left:.3f} {-above * unit:.3f} {width * unit:.3f} {height * unit:.3f}"
    body = shapes.svg.replace(f'"{INK}"', f'"{colour}"')
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}">{body}</svg>'
    return QSvgRenderer(QByteArray(text.encode())), QSize(width, height)


def baseline_of(rect: QRectF, document: QTextDocument, position: int) -> float:
    """Where the baseline of the line is: Qt keeps the right room free, but puts the object in the line's middle."""
    block = document.findBlock(position)
    line = block.layout().lineForTextPosition(position - block.position())
    height = line.ascent() + line.descent() + max(line.leading(), 0.0)
    return rect.top() + line.ascent() - (height - rect.height()) / 2


def sharp_em(shapes: FormulaShapes, em: float) -> float:
    """The pixels to the em of a picture that is shown in this size."""
    pixels = em * em * (shapes.width + 1) * (shapes.ascent + shapes.descent + 1)
    return em * min(1.0, math.sqrt(_MOST_PIXELS / pixels))


def padding_of(em: float) -> int:
    """Letters lean out of their boxes."""
    return math.ceil(em / 8)


def rows_above(shapes: FormulaShapes, em: float) -> int:
    """How many rows of a picture stand above its baseline."""
    return math.ceil(shapes.ascent * em) + padding_of(em)

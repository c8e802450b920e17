"""A drawn formula in the document: one character that is painted as the formula, then its source, which is not seen.

The source stays so that it is found and read out: a screen reader and the search read the document's text. It is set
so small and tight that it takes no room, and is painted out of sight. What stands there is told by its format alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFont,
    QFontInfo,
    QFontMetrics,
    QFontMetricsF,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)

from llamachat.core.formula import Formula, FormulaShapes
from llamachat.render.maths import read_formula, split_formulas
from llamachat.ui.transcript.room import Room

OBJECT_TYPE = QTextFormat.ObjectTypes.UserObject.value + 1
MATH_FAMILY = "STIX Two Text"  # the style sheet gives it to sources of formulas, and to nothing else
OBJECT_CHARACTER = "\ufffc"
_SOURCE = QTextFormat.Property.UserProperty.value + 1
_UNSEEN = QTextFormat.Property.UserProperty.value + 2
_NUMBERS = tuple(range(QTextFormat.Property.UserProperty.value + 3, QTextFormat.Property.UserProperty.value + 10))
_UNSEEN_OFFSET = 10_000_000.0  # percent of a pixel; what stands there is painted far above the window
_DISPLAY_MARGIN_PX = 10


@dataclass(frozen=True, slots=True)
class Span:
    """The source of a formula that is not drawn: where it begins in its block, in the units of Qt."""

    start: int
    source: str
    look: QTextCharFormat

    @property
    def length(self) -> int:
        """In the units of Qt."""
        return len(self.source.encode("utf-16-le", "surrogatepass")) // 2

    @property
    def formula(self) -> Formula | None:
        """What is to be drawn; None when it is no whole formula."""
        return read_formula(self.source.replace("\u2028", "\n"))


@dataclass(frozen=True, slots=True)
class Box:
    """How large a formula is in the document, in pixels; size: of its font. x_height: of what Qt aligns it by.

    columns, taken: the `Room` at its place.
    """

    size: float
    width: float
    ascent: float
    descent: float
    x_height: float
    columns: float
    taken: float

    @property
    def height(self) -> float:
        """Qt keeps free for a height H: (H + x/2) / 2 above the baseline, (H - x/2) / 2 below it."""
        return max(2 * self.descent + self.x_height / 2, 2 * self.ascent - self.x_height / 2)

    def fitted(self, width: float) -> Box:
        """The same formula in this width, if it is less."""
        scale = min(1.0, width / self.width)
        sizes = (self.size * scale, self.width * scale, self.ascent * scale, self.descent * scale)
        return Box(*sizes, self.x_height, self.columns, self.taken)


def undrawn_spans(block: QTextBlock) -> Iterator[Span]:
    """The formulas of a block that show their source."""
    text = block.text()
    if "$" not in text and "\\" not in text:
        return
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        look = fragment.charFormat()
        if MATH_FAMILY in (look.fontFamilies() or ()) and not (source_of(look) or is_unseen(look)):
            start = fragment.position() - block.position()
            for source in split_formulas(fragment.text()):
                span = Span(start, source, look)
                yield span
                start += span.length
        iterator += 1


def drawn_texts(
    span: Span, shapes: FormulaShapes, *, size: float, room: Room, line: QFontMetricsF | None = None
) -> list[tuple[str, QTextCharFormat]]:
    """What takes the place of a source: texts with their formats. size: of the text around it, in pixels.

    line: of the text that would stand in its line, when it is alone there: a low formula stands on its baseline.
    """
    picture, unseen = QTextCharFormat(span.look), QTextCharFormat(span.look)
    picture.setObjectType(OBJECT_TYPE)
    picture.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    picture.setProperty(_SOURCE, span.source)
    least = (line.ascent(), line.descent()) if line else (0.0, 0.0)
    _take_box(picture, shapes, size, room, least)
    unseen.setProperty(_UNSEEN, 1)
    unseen.setProperty(QTextFormat.Property.FontPixelSize, 1)
    unseen.setFontLetterSpacingType(QFont.SpacingType.PercentageSpacing)
    unseen.setFontLetterSpacing(1)
    unseen.setBaselineOffset(_UNSEEN_OFFSET)
    unseen.setFontUnderline(False)
    return [(OBJECT_CHARACTER, picture), (span.source.replace("\u2028", " "), unseen)]


def _take_box(
    picture: QTextCharFormat, shapes: FormulaShapes, size: float, room: Room, least: tuple[float, float]
) -> None:
    """Choose a font of which half the x-height is what the formula stands more above the baseline than below it."""
    ascent, descent = max(shapes.ascent * size, least[0]), max(shapes.descent * size, least[1])
    picture.setProperty(QTextFormat.Property.FontPixelSize, 100)
    of_100_px = QFontMetrics(picture.font()).xHeight()
    wanted = max(2 * (ascent - descent), 0)
    picture.setProperty(QTextFormat.Property.FontPixelSize, max(round(100 * wanted / max(of_100_px, 1)), 1))
    x_height = QFontMetrics(picture.font()).xHeight()
    box = Box(size, shapes.width * size, ascent, descent, x_height, room.columns, room.taken)
    for key, number in zip(_NUMBERS, astuple(box), strict=True):
        picture.setProperty(key, float(number))


def display_format() -> QTextBlockFormat:
    """What is merged into the format of a block that is one formula."""
    layout = QTextBlockFormat()
    layout.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    layout.setLineHeight(100, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    layout.setTopMargin(_DISPLAY_MARGIN_PX)
    layout.setBottomMargin(_DISPLAY_MARGIN_PX)
    return layout


def text_size(document: QTextDocument, look: QTextCharFormat) -> float:
    """The size of text of this look, in pixels."""
    size = look.property(QTextFormat.Property.FontPixelSize)
    return float(size) if size else float(QFontInfo(document.defaultFont()).pixelSize())  # it may be set in points


def line_metrics(document: QTextDocument, size: float) -> QFontMetricsF:
    """How high a line of plain text in this size is."""
    font = QFont(document.defaultFont())
    font.setPixelSize(max(round(size), 1))
    return QFontMetricsF(font)


def box_of(look: QTextFormat) -> Box:
    """The box of a drawn formula, without looking for room."""
    return Box(*map(look.doubleProperty, _NUMBERS))


def source_of(look: QTextFormat) -> str:
    """The source of the drawn formula that has this format; "" for everything else."""
    return look.stringProperty(_SOURCE)


def is_unseen(look: QTextFormat) -> bool:
    """True for the source that stands behind a drawn formula."""
    return look.hasProperty(_UNSEEN)


def formula_around(block: QTextBlock, start: int, end: int) -> tuple[int, int]:
    """A stretch of a block, or all of the drawn formula in whose source it begins."""
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        first = fragment.position() - block.position()
        if first <= start < first + fragment.length():
            whole = first - len(OBJECT_CHARACTER), max(end, first + fragment.length())
            return whole if is_unseen(fragment.charFormat()) else (start, end)
        iterator += 1
    return start, end

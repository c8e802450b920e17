"""A formula as it was written, and as it is drawn: shapes that have neither a size nor a colour yet."""

from __future__ import annotations

from dataclasses import dataclass

UNITS_PER_EM = 16  # of the shapes; lengths that the source gives in points fit text of about this size
INK = "ink"  # stands in the shapes where the colour of the text around the formula belongs


@dataclass(frozen=True, slots=True)
class Formula:
    """LaTeX without the marks around it. display: on a line of its own, in the larger style."""

    tex: str
    display: bool


@dataclass(frozen=True, slots=True)
class FormulaShapes:
    """A drawn formula. svg: elements that draw it, `UNITS_PER_EM`, `INK` for the colour of the text.

    left, width, ascent, descent are in em; the shapes stand on y = 0 and begin at x = left.
    """

    svg: str
    left: float
    width: float
    ascent: float
    descent: float

"""Draws formulas, in a process of its own: a line of JSON in, a line of JSON out.

    python -m llamachat.engines.formula_child

What is drawn was written by a stranger, and the library that draws it can be made to run for hours, fill the memory
or overflow the stack. So this process can open no file once it is ready, has little memory, and is ended by the
system when a formula takes more than a second. It ends when its input does.
"""

from __future__ import annotations

import json
import math
import os
import re
import resource
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element
from xml.sax.saxutils import quoteattr

from llamachat.core.formula import INK, UNITS_PER_EM

if TYPE_CHECKING:
    from ziamath.zmath import Math

_MEMORY_BYTES = 512 * 1024 * 1024
_CPU_S = 1.0
_IDLE_S = 120
_WIDEST_EM, _HIGHEST_EM = 200.0, 40.0
_LONGEST_SVG = 200_000  # characters
# What the library would number as an equation, counting through all formulas, or does not know: as what it knows.
_INSTEAD = (
    (re.compile(r"\\tag\*?\{([^{}]*)\}"), r"\\qquad(\\text{\1})"),
    (re.compile(r"\\(begin|end)\{(?:align|flalign|eqnarray)\*?\}"), r"\\\1{aligned}"),
    (re.compile(r"\\begin\{alignat\*?\}\{\d+\}"), r"\\begin{aligned}"),
    (re.compile(r"\\end\{alignat\*?\}"), r"\\end{aligned}"),
    (re.compile(r"\\(begin|end)\{(?:gather|gathered|multline)\*?\}"), r"\\\1{matrix}"),
    (re.compile(r"\\(?:begin|end)\{equation\*?\}"), ""),
    (re.compile(r"\\(?:label\{[^{}]*\}|(?:nonumber|notag)(?![A-Za-z]))"), ""),
)
_WARM_UP = r"\text{a}\frac{\alpha}{x_1}"  # has the library read what it reads at first use
# What a shape may be: numbers, letters of paths, names of colours. Nothing that could refer to anything.
_ATTRIBUTES = {
    "path": ("d", "fill", "stroke", "stroke-width"),
    "rect": ("x", "y", "width", "height", "rx", "fill", "stroke", "stroke-width"),
    "ellipse": ("cx", "cy", "rx", "ry", "fill", "stroke", "stroke-width"),
}
_PATH = re.compile(r"[MLHVCSQTAZ0-9eE., +-]*")
_NUMBER = re.compile(r"-?\d*\.?\d*(?:[eE]-?\d+)?")
_COLOUR = re.compile(r"[A-Za-z]{1,30}|#[0-9A-Fa-f]{3,8}")


class CannotDrawError(Exception):
    """The formula cannot be drawn as it was meant."""


def draw(tex: str, *, display: bool) -> dict[str, str | float]:
    """The fields of a `FormulaShapes`."""
    for pattern, instead in _INSTEAD:
        tex = pattern.sub(instead, tex)
    maths = _laid_out(tex, display=display)
    box = maths.node.bbox
    left, width = box.xmin / UNITS_PER_EM, (box.xmax - box.xmin) / UNITS_PER_EM
    ascent, descent = max(box.ymax, 0) / UNITS_PER_EM, max(-box.ymin, 0) / UNITS_PER_EM
    if not (0 < width <= _WIDEST_EM and 0 < ascent + descent <= _HIGHEST_EM and math.isfinite(left)):
        raise CannotDrawError("size")
    svg = "".join(_shapes(maths.svgxml()))
    if not 0 < len(svg) <= _LONGEST_SVG:
        raise CannotDrawError("length")
    return {"svg": svg, "left": left, "width": width, "ascent": ascent, "descent": descent}


def _laid_out(tex: str, *, display: bool) -> Math:
    from ziamath.config import config
    from ziamath.tex import tex2mml
    from ziamath.zmath import Math

    config.svg2 = False
    config.precision = 2
    mathml = tex2mml(tex, inline=not display).replace('rowspacing="3pt"', 'rowspacing="0.55em"')
    maths = Math(mathml, size=UNITS_PER_EM, margin=0)
    for text in maths.mathml.itertext():
        if text.startswith("\\"):
            raise CannotDrawError(f"unknown command {text[:40]}")
        if any(maths.font.glyphindex(character) == 0 for character in text if not character.isspace()):
            raise CannotDrawError("a character that the font does not have")
    return maths


def _shapes(svg: Element) -> Iterator[str]:
    for element in svg.iter():
        names = _ATTRIBUTES.get(element.tag)
        if names:
            given = ((name, element.get(name)) for name in names)
            attributes = "".join(f" {name}={quoteattr(_checked(name, value))}" for name, value in given if value)
            yield f"<{element.tag}{attributes}/>"
        elif element.tag not in ("svg", "g"):
            raise CannotDrawError(f"element {element.tag}")


def _checked(name: str, value: str) -> str:
    if name in ("fill", "stroke"):
        value = INK if value == "black" else value
        pattern = _COLOUR
    else:
        pattern = _PATH if name == "d" else _NUMBER
    if not pattern.fullmatch(value):
        raise CannotDrawError(f"{name} is {value[:40]}")
    return value


def answer(line: str) -> str:
    """The answer to one line: the shapes, or why there are none."""
    request = json.loads(line)
    try:
        return json.dumps(draw(request["tex"], display=request["display"]))
    except Exception as error:  # noqa: BLE001 - whatever the library does with a formula, the next one is drawn
        return json.dumps({"error": f"{type(error).__name__}: {error}"[:200]})


def _confine() -> None:
    """Take away from this process what it does not need."""
    os.nice(5)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))  # input, output, errors: there can be no other


def main() -> None:
    """Answer line after line. The timers end this process: one counts its own time, the other while nothing comes."""
    draw(_WARM_UP, display=True)
    _confine()
    for line in sys.stdin:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, _CPU_S)
        text = answer(line)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(_IDLE_S)
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

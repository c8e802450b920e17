"""An answer full of formulas: what its flushes cost, what putting formulas in costs, and when they are all there."""

from __future__ import annotations

import time
from typing import NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from llamachat.core.errors import UserFacingError
from llamachat.ui.formula_lane import FormulaLane
from llamachat.ui.theme import DARK
from tests.bench.figures import Bar, Detail, Figure, spread
from tests.bench.view_flush import BATCH
from tests.bench.view_stage import Growing, ViewStage, costs_as_json, cut, stall_bar

INTERVAL_S = 1 / 30
PATIENCE_S = 60.0
_KINDS = (
    r"\frac{{a_{{{0}}}}}{{b^{{{0}}}}}",
    r"\int_0^{{{0}}} e^{{-x^2}}\,dx",
    r"x_{{{0}}} + y",
    r"\begin{{pmatrix}} {0} & b \\ c & d \end{{pmatrix}}",
    r"\sum_{{n=1}}^{{{0}}} n^2",
)


class Turn(NamedTuple):
    """What a turn of the event loop took, and how much of it was the thread's own work."""

    wall_ms: float
    own_ms: float


def measure_formulas(*, quick: bool) -> Figure:
    """Paragraphs with two formulas and one on a line of its own, no two alike, at 8,000 characters a second."""
    owner = QObject()
    lane = FormulaLane(_fail, owner)
    stage = ViewStage([])
    stage.view.formulas.set_source(lane)
    growing = Growing(stage, above=0)
    turns: list[Turn] = []
    costs = []
    for batch in cut("".join(_paragraph(number) for number in range(20 if quick else 100)), BATCH):
        costs.append(growing.feed(batch))
        _run_for(INTERVAL_S, turns)
    costs.append(growing.end())
    waited_s = _until_drawn(stage, turns)
    theme = stage.timed(lambda: stage.view.set_theme(DARK))
    lane.close()
    bars = [
        stall_bar("stall of a flush, ms", costs, percent=100, at_most=16),
        Bar("a turn of the event loop, ms", max(turns).wall_ms, 16, "wall", max(turn.own_ms for turn in turns)),
    ]
    details: dict[str, Detail] = {
        "drawn_after_the_end_s": waited_s,
        "turns_ms": spread([turn.wall_ms for turn in turns]),
    }
    return Figure(bars, {**details, "theme": costs_as_json([theme]), "flushes": costs_as_json(costs)})


def _fail(error: UserFacingError) -> None:
    raise error


def _paragraph(number: int) -> str:
    first, second, third = (_KINDS[(number + step) % len(_KINDS)].format(3 * number + step) for step in range(3))
    return f"Paragraph {number} has ${first}$ and ${second}$, as answers do.\n\n$$\n{third}\n$$\n\n"


def _run_for(seconds: float, turns: list[Turn]) -> None:
    """Run the event loop; note what each turn of it takes."""
    end = time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        own = time.thread_time()
        QApplication.processEvents()
        turns.append(Turn(1000 * (time.perf_counter() - began), 1000 * (time.thread_time() - own)))
        time.sleep(0.001)


def _until_drawn(stage: ViewStage, turns: list[Turn]) -> float:
    """Run the event loop until all formulas are there; gives the seconds."""
    began = time.perf_counter()
    while not stage.view.formulas.at_rest and time.perf_counter() - began < PATIENCE_S:
        _run_for(INTERVAL_S, turns)
    return time.perf_counter() - began

"""Formulas are drawn in another thread by another process; the view that waits for them is told in its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from llamachat.core.errors import UserFacingError
from llamachat.core.formula import Formula
from llamachat.engines.formulas import can_draw_formulas
from llamachat.ui.formula_lane import FormulaLane
from llamachat.ui.transcript.formulas import Drawn
from tests.ui.formula_source import drawn_sources, settle
from tests.ui.transcript_pages import answer, show_view

pytestmark = pytest.mark.skipif(not can_draw_formulas(), reason="ziamath is not installed")


def fail(error: UserFacingError) -> None:
    raise error


@pytest.fixture
def lane(owner: QObject) -> Iterator[FormulaLane]:
    lane = FormulaLane(failed=fail, parent=owner)
    yield lane
    assert lane.close()


def test_the_answers_come_in_the_order_of_the_formulas_and_in_this_thread(qtbot: QtBot, lane: FormulaLane) -> None:
    came: list[tuple[Drawn, threading.Thread]] = []
    formulas = [Formula("x", display=False), Formula("\\foo", display=False), Formula("xx", display=False)]
    lane.draw(formulas, lambda drawn: came.append((drawn, threading.current_thread())))
    assert came == []
    qtbot.waitUntil(lambda: bool(came))
    ((x, refused, xx), thread) = came[0][0], came[0][1]
    assert x is not None
    assert xx is not None
    assert refused is None
    assert xx.width > 1.5 * x.width
    assert thread is threading.main_thread()


def test_real_formulas_come_into_a_view(qtbot: QtBot, lane: FormulaLane) -> None:
    view = show_view(qtbot)
    view.formulas.set_source(lane)
    view.set_messages([answer(2, "Of $\\frac{a}{b}$ and $\\foo$.\n\n\\[\\sum_i x_i\\]")])
    settle(qtbot, view)
    assert drawn_sources(view) == [r"$\frac{a}{b}$", r"\[\sum_i x_i\]"]


def test_a_lane_that_drew_nothing_is_closed_at_once(owner: QObject) -> None:
    assert FormulaLane(failed=fail, parent=owner).close()


@pytest.mark.slow
def test_formulas_that_are_out_to_do_harm_stay_as_they_were_written(qtbot: QtBot, lane: FormulaLane) -> None:
    harm = [
        "{" * 2000 + "x" + "}" * 2000,
        "\\frac{1}{" * 100 + "x" + "}" * 100,
        "\\def\\a{\\a\\a}\\a",
        "\\includegraphics{/etc/passwd}",
        "\\color{url(http://a.example/)} x",
        "\\rule{9999em}{9999em}",
    ]
    view = show_view(qtbot)
    view.formulas.set_source(lane)
    view.set_messages([answer(2, "\n\n".join([*(f"$$\n{tex}\n$$" for tex in harm), "$x$"]))])
    settle(qtbot, view)
    assert drawn_sources(view) == ["$x$"]
    assert all(tex in view.toPlainText() for tex in harm)

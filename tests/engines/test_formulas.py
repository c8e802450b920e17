"""The process that draws formulas: it is ended when it takes too long, comes back, and leaves nothing behind."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.formula import Formula
from llamachat.engines.formulas import FormulaProcess, can_draw_formulas

pytestmark = pytest.mark.skipif(not can_draw_formulas(), reason="ziamath is not installed")

X = Formula("x", display=False)
ENDLESS = Formula(r"\frac{1}{" * 100 + "x" + "}" * 100, display=True)


@pytest.fixture
def process() -> Iterator[FormulaProcess]:
    process = FormulaProcess()
    yield process
    process.close()


def children() -> set[int]:
    """The processes that this one has started and that draw formulas."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text().split():
            if b"formula_child" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.add(int(pid))
    return found


def test_without_the_library_nothing_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    assert can_draw_formulas()
    monkeypatch.setitem(sys.modules, "ziamath", None)
    assert not can_draw_formulas()


def test_nothing_is_started_before_the_first_formula(process: FormulaProcess) -> None:
    before = children()
    assert process.draw(Formula("", display=False)) is None
    assert process.draw(Formula("x" * 1_000_000, display=False)) is None
    assert children() == before
    assert process.draw(X) is not None
    assert len(children() - before) == 1


def test_the_child_can_open_nothing_and_takes_little(process: FormulaProcess) -> None:
    before = children()
    process.draw(X)
    (pid,) = children() - before
    limits = Path(f"/proc/{pid}/limits").read_text()
    bounds = {line[:26].strip(): line[26:47].strip() for line in limits.splitlines()}
    assert bounds["Max open files"] == "3"
    assert bounds["Max file size"] == "0"
    assert int(bounds["Max address space"]) <= 512 * 1024 * 1024
    assert {path.name for path in Path(f"/proc/{pid}/fd").iterdir()} == {"0", "1", "2"}


@pytest.mark.slow
def test_a_formula_that_takes_too_long_is_given_up_and_the_next_is_drawn(process: FormulaProcess) -> None:
    assert process.draw(ENDLESS) is None
    assert process.draw(X) is not None


@pytest.mark.slow
def test_a_child_that_ended_by_itself_is_replaced(process: FormulaProcess) -> None:
    before = children()
    process.draw(X)
    (pid,) = children() - before
    handle = os.pidfd_open(pid)
    os.kill(pid, 14)  # as its own timer does when nothing comes
    assert select.select([handle], [], [], 10)[0]
    os.close(handle)
    assert process.draw(X) is not None


@pytest.mark.slow
def test_a_chat_that_is_out_to_cost_time_gets_no_endless_line_of_processes() -> None:
    process = FormulaProcess(most_deaths=2)
    assert [process.draw(formula) is None for formula in (X, ENDLESS, X, ENDLESS, X)] == [
        False,
        True,
        False,
        True,
        True,
    ]
    process.close()


def test_stop_ends_what_is_being_drawn_and_all_after_it(process: FormulaProcess) -> None:
    before = children()
    process.draw(X)
    drawn: list[object] = []
    thread = threading.Thread(target=lambda: drawn.append(process.draw(ENDLESS)))
    thread.start()
    process.stop()
    thread.join(10)
    assert drawn == [None]
    assert process.draw(X) is None
    process.close()
    assert children() == before

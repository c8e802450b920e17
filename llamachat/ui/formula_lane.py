"""Formulas for the transcript, drawn by a process that a thread of its own waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from llamachat.core.formula import Formula
from llamachat.engines.formulas import FormulaProcess
from llamachat.ui.tasks import Failed, Lane
from llamachat.ui.transcript.formulas import Drawn


class FormulaLane:
    """A source of drawn formulas. Made and closed in the GUI thread; nothing is started before the first formula."""

    def __init__(self, failed: Failed, parent: QObject) -> None:
        self._process = FormulaProcess()
        self._lane = Lane(
            "formulas", opened=lambda: self._process, closed=FormulaProcess.close, failed=failed, parent=parent
        )

    def draw(self, formulas: Sequence[Formula], done: Callable[[Drawn], None]) -> None:
        """Draw some; `done` gets what came of them, in their order."""
        self._lane.read(
            lambda process: [process.draw(formula) for formula in formulas],
            done,
            lambda _: done([None] * len(formulas)),
        )

    def close(self) -> bool:
        """End the process and the thread; False if that did not end in time."""
        self._process.stop()
        return self._lane.close(0.5)

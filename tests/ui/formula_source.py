"""Draws formulas as boxes, at once or when told to, and keeps count."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QTextBlock
from pytestqt.qtbot import QtBot

from llamachat.core.formula import INK, Formula, FormulaShapes
from llamachat.ui.transcript.formula_text import is_unseen, source_of
from llamachat.ui.transcript.formulas import Drawn
from llamachat.ui.transcript.selection import fragments_of
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import blocks_of

BOX = FormulaShapes(f'<rect x="0" y="-16" width="32" height="24" fill="{INK}"/>', 0, 2, 1, 0.5)


class BoxSource:
    """Every formula is a box of two em by one and a half; one that has `fail` in it cannot be drawn."""

    def __init__(self, *, at_once: bool = True) -> None:
        self.asked: list[Formula] = []
        self._at_once = at_once
        self._open: list[tuple[Sequence[Formula], Callable[[Drawn], None]]] = []

    def draw(self, formulas: Sequence[Formula], done: Callable[[Drawn], None]) -> None:
        """Note what is asked for."""
        self.asked += formulas
        self._open.append((formulas, done))
        if self._at_once:
            self.answer()

    def answer(self) -> None:
        """Give what is asked for."""
        while self._open:
            formulas, done = self._open.pop(0)
            done([None if "fail" in formula.tex else BOX for formula in formulas])


def settle(qtbot: QtBot, view: TranscriptView, source: BoxSource | None = None) -> None:
    """Wait until no formula is to come."""

    def at_rest() -> bool:
        if source:
            source.answer()
        return view.formulas.at_rest

    qtbot.waitUntil(at_rest, timeout=20_000)


def drawn_sources(view: TranscriptView) -> list[str]:
    """The sources of the formulas that are drawn, from top to bottom."""
    looks = [fragment.charFormat() for block in blocks_of(view.document()) for fragment in fragments_of(block)]
    return [source for look in looks if (source := source_of(look))]


def written(block: QTextBlock) -> str:
    """The text of a block with every drawn formula as it was written."""
    looks = [(fragment.text(), fragment.charFormat()) for fragment in fragments_of(block)]
    return "".join(source_of(look) or text for text, look in looks if not is_unseen(look))

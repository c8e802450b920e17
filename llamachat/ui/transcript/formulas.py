"""Puts drawn formulas in the place of their sources, in text that grows no more.

A formula that was drawn before is put in at once, as its text is. The others are asked for, a few at a time and the
newest first, and put in as they come; until then, and where that fails, the source is what is seen. So what is shown
follows from the text and from which formulas have been drawn, and not from the order in which things came.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QTextBlock
from PySide6.QtWidgets import QTextEdit

from llamachat.core.formula import Formula, FormulaShapes
from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.entry import Entry
from llamachat.ui.transcript.formula_painter import FormulaPainter
from llamachat.ui.transcript.formula_placing import put_in_formula
from llamachat.ui.transcript.formula_text import OBJECT_CHARACTER, Span, undrawn_spans
from llamachat.ui.transcript.parts import Part
from llamachat.ui.transcript.place import keeping_place

_MOST_AT_ONCE = 400  # put in while the text is (0.07 ms each); the rest follows in slices
_SLICE = 8
_MOST_IN_BLOCK = 300  # with more its paragraph could not be painted in 16 ms, and the source of all is shown
_ASKED_TOGETHER = 4
_SHAPES_EXTRA = 100  # what a formula takes besides its shapes
Drawn = Sequence[FormulaShapes | None]


class FormulaSource(Protocol):
    """Draws formulas somewhere else and tells of it in the GUI thread; None stands for one that cannot be drawn."""

    def draw(self, formulas: Sequence[Formula], done: Callable[[Drawn], None]) -> None:
        """Draw some; `done` gets what came of them, in their order."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A block with formulas to put in, counted from the first of its message's body."""

    entry: Entry
    number: int


class Formulas(QObject):
    """The formulas of one transcript. Without a source all stay as they were written."""

    def __init__(self, view: QTextEdit, transcript: TranscriptDocument) -> None:
        super().__init__(view)
        self.painter = FormulaPainter(view.document())
        self.painter.missed = self._ask_again
        self._view, self._transcript = view, transcript
        self._source: FormulaSource | None = None
        self._left = _MOST_AT_ONCE  # how many may be put in before the event loop has its turn
        self._waiting: dict[Formula, list[_Place]] = {}  # not asked for yet; the newest last
        self._asked: dict[Formula, list[_Place]] = {}
        self._ready: list[_Place] = []  # the newest last
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._work)
        transcript.body_drawn = self._look_through

    def set_source(self, source: FormulaSource) -> None:
        """Draw formulas in what is shown from now on."""
        self._source = source

    @property
    def at_rest(self) -> bool:
        """True when nothing is to be put in and nothing is waited for."""
        return not (self._ready or self._waiting or self._asked)

    def _look_through(self, entry: Entry, first: int, numbers: range) -> None:
        """Blocks of a body were drawn and stay so: put in what is there, ask for the rest. `first`: of the body."""
        if self._source is None:
            return
        block = self._transcript.document.findBlockByNumber(first + numbers.stop - 1)
        for number in reversed(numbers):
            self._put_in(_Place(entry, number), block)
            block = block.previous()

    def _put_in(self, place: _Place, block: QTextBlock) -> None:
        """Put in the formulas of a block that are there; the last first, so that the others stay where they are."""
        spans = list(undrawn_spans(block))
        if len(spans) + block.text().count(OBJECT_CHARACTER) > _MOST_IN_BLOCK:
            return
        for span in reversed(spans):
            formula = span.formula
            if formula is None:
                continue
            if formula not in self.painter.shapes:
                self._wait(formula, place)
                continue
            shapes = self.painter.shapes.get(formula)
            if shapes is None:
                continue
            if self._left <= 0:
                self._ready.append(place)
                return
            self._replace(block, span, shapes)

    def _replace(self, block: QTextBlock, span: Span, shapes: FormulaShapes) -> None:
        if put_in_formula(self._transcript.editor, block, span, shapes):
            self._left -= 1
            self._timer.start()

    # Drawing elsewhere

    def _wait(self, formula: Formula, place: _Place) -> None:
        if formula in self._asked:
            self._asked[formula].append(place)
            return
        self._waiting.setdefault(formula, []).append(place)
        self._timer.start()

    def _ask_again(self, formula: Formula) -> None:
        """Ask for one that is shown but was dropped."""
        if formula not in self._asked:
            self._waiting.setdefault(formula, [])
            self._timer.start()

    def _ask(self) -> None:
        """Ask for the last ones that were waited for and still are, unless others are asked for."""
        if self._asked or self._source is None:
            return
        while self._waiting and len(self._asked) < _ASKED_TOGETHER:
            formula, places = self._waiting.popitem()
            if not places or any(map(self._is_there, places)):
                self._asked[formula] = places
        if self._asked:
            formulas = tuple(self._asked)
            self._source.draw(formulas, lambda drawn: self._take(formulas, drawn))

    def _take(self, formulas: Sequence[Formula], drawn: Drawn) -> None:
        for formula, shapes in zip(formulas, drawn, strict=True):
            size = _SHAPES_EXTRA + len(formula.tex) + (len(shapes.svg) if shapes else 0)
            self.painter.shapes.put(formula, shapes, size)
            places = self._asked.pop(formula)
            self._ready += places if shapes else []
            if not places:  # it is in the document and was dropped
                self._view.viewport().update()
        self._timer.start()

    def _is_there(self, place: _Place) -> bool:
        """Whether the block may still be there and stays as it is."""
        entry = place.entry
        final = entry.body.final_count if entry.body else entry.counts[Part.BODY]
        return entry in self._transcript.entries and place.number < final

    # Putting in

    def _work(self) -> None:
        """Ask for more; put in a few of those that are ready."""
        self._ask()
        places = self._next_places()
        if places:
            self._left = _SLICE
            with keeping_place(self._view, self._transcript.editor):
                for place in places:
                    self._put_in(place, self._block(place))
        self._left = _MOST_AT_ONCE
        if not self._ready and (self._asked or not self._waiting):
            self._timer.stop()

    def _next_places(self) -> list[_Place]:
        """Some places of one message: all that lies between them will be laid out anew."""
        places: list[_Place] = []
        while self._ready and len(places) < _SLICE and (not places or places[0].entry is self._ready[-1].entry):
            place = self._ready.pop()
            if self._is_there(place) and place not in places:
                places.append(place)
        return places

    def _block(self, place: _Place) -> QTextBlock:
        first = self._transcript.first_block(place.entry, Part.BODY)
        return self._transcript.document.findBlockByNumber(first + place.number)

"""A transcript as tall as what stands in it, and a picture of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QWidget

from llamachat.core.events import Event, Kind
from llamachat.core.formula import Formula
from llamachat.core.messages import Status
from llamachat.engines.formulas import FormulaProcess, can_draw_formulas
from llamachat.ui.appearance import Appearance
from llamachat.ui.application import make_application
from llamachat.ui.theme import Theme
from llamachat.ui.transcript.formulas import Drawn
from llamachat.ui.transcript.view import TranscriptView
from tests.fakes.still_clock import StillClock
from tests.gallery.endings import ENDING_STATES
from tests.gallery.turns import STATES, TEXTS, answer, question, stored

WIDTH_PX, NARROW_PX = 880, 420
FONT_PT = 11  # as desktops have it
_TALLEST_PX = 6000
_CHUNK = 7
_NARROW = ("lists", "table-wide", "long-lines", "code-languages")

Show = Callable[[TranscriptView], None]


def states() -> Iterator[tuple[str, int, Show]]:
    """The name of every picture, its width, and what brings its state about."""
    for file in sorted(TEXTS.glob("*.md")):
        name, text = file.stem, file.read_text(encoding="utf-8")
        yield f"text-{name}", WIDTH_PX, stored(question(), answer(text))
        yield f"text-{name}-streaming", WIDTH_PX, streamed(text[: round(len(text) * 0.6)])
        if name in _NARROW:
            yield f"text-{name}-narrow", NARROW_PX, stored(question(), answer(text))
    for name, show in STATES.items():
        yield f"turn-{name}", WIDTH_PX, show
    for name, show in ENDING_STATES.items():
        yield f"ending-{name}", WIDTH_PX, show
    yield "ending-context-results-narrow", NARROW_PX, ENDING_STATES["context-results"]


def streamed(text: str) -> Show:
    """Show an answer that has come so far, bit by bit."""

    def show(view: TranscriptView) -> None:
        view.set_messages(())
        view.begin_answer(question(), answer(status=Status.STREAMING))
        for start in range(0, len(text), _CHUNK):
            view.apply([Event(Kind.CONTENT, text[start : start + _CHUNK])])

    return show


class Formulas:
    """Has formulas drawn as the window does, and waits for them."""

    def __init__(self, process: FormulaProcess) -> None:
        self._process = process

    def draw(self, formulas: Sequence[Formula], done: Callable[[Drawn], None]) -> None:
        """Draw some and tell of it when the event loop has its turn."""
        drawn = [self._process.draw(formula) for formula in formulas]
        QTimer.singleShot(0, lambda: done(drawn))


class Page(QWidget):
    """A view as it stands in the window, and nothing else."""

    def __init__(self, theme: Theme, width: int, formulas: Formulas) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.view = TranscriptView(theme, self, clock=StillClock())
        if can_draw_formulas():
            self.view.formulas.set_source(formulas)
        self._fit(width, 600)

    def save(self, path: Path) -> None:
        """Be as tall as the text, let the view finish what it draws later, and write a picture."""
        for milliseconds in (30, 200, 30):
            rest(milliseconds)
            while not self.view.formulas.at_rest:
                rest(10)
            self._fit(self.width(), min(round(self.view.document().size().height()), _TALLEST_PX))
        self.grab().save(str(path))

    def _fit(self, width: int, height: int) -> None:
        self.resize(width, height)
        self.view.resize(width, height)


@contextmanager
def drawing_formulas() -> Iterator[Formulas]:
    """Formulas for any number of pages."""
    with closing(FormulaProcess()) as process:
        yield Formulas(process)


@contextmanager
def open_page(theme: str, width: int, formulas: Formulas) -> Iterator[Page]:
    """A page in a theme."""
    application = make_application()
    application.setFont(QFont(application.font().families(), FONT_PT))
    appearance = Appearance(application, theme)
    page = Page(appearance.theme, width, formulas)
    page.show()
    page.activateWindow()
    try:
        yield page
    finally:
        page.close()
        page.deleteLater()
        appearance.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def rest(milliseconds: int) -> None:
    """Run the window for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()

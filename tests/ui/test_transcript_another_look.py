"""Another size or theme: the same text as if it were drawn then, and long Markdown is not read again for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status, StoredMessage
from llamachat.render.links import Anchor, AnchorKind
from llamachat.render.parse import MarkdownParser
from llamachat.ui.theme import DARK
from llamachat.ui.transcript.kept_html import LONG, as_drawn
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import RECORD, answer, question, show_view, wait_until_drawn

MIXED = (Path(__file__).parents[1] / "gallery" / "texts" / "mixed.md").read_text(encoding="utf-8")
LONG_TEXT = MIXED * (LONG // len(MIXED) + 1) + "\n\nSee [1] and [2]."


class Refusing(MarkdownParser):
    """Reads nothing any more."""

    def blocks(self, *_: object, **__: object) -> NoReturn:
        """Fail."""
        raise AssertionError("the Markdown is read again")


def drawn(qtbot: QtBot, view: TranscriptView) -> str:
    """The document, when nothing is left to draw."""
    wait_until_drawn(qtbot, view)
    return view.document().toHtml()


LOOKS: list[Callable[[TranscriptView], object]] = [
    lambda view: view.set_zoom(150),
    lambda view: view.set_theme(DARK),
]


@pytest.mark.parametrize("look", LOOKS, ids=["zoom", "theme"])
@pytest.mark.parametrize(
    "message", [answer(2, LONG_TEXT, searches=(RECORD,)), question(2, LONG_TEXT)], ids=["answer", "question"]
)
def test_a_long_message_looks_as_if_it_were_drawn_then_and_is_not_read_again(
    qtbot: QtBot, message: StoredMessage, look: Callable[[TranscriptView], object]
) -> None:
    fresh, view = show_view(qtbot), show_view(qtbot)
    look(fresh)
    for shown in (fresh, view):
        shown.set_messages([message])
        drawn(qtbot, shown)
    view._transcript.parser = Refusing()
    look(view)
    assert drawn(qtbot, view) == drawn(qtbot, fresh)


def test_so_does_one_that_has_just_come(qtbot: QtBot) -> None:
    view, fresh = show_view(qtbot), show_view(qtbot)
    view.begin_answer(question(1), answer(2, status=Status.STREAMING))
    view.apply([Event(Kind.CONTENT, LONG_TEXT)])
    drawn(qtbot, view)
    view.end_answer(answer(2, LONG_TEXT))
    drawn(qtbot, view)
    view._transcript.parser = Refusing()
    view.set_zoom(150)
    fresh.set_zoom(150)
    fresh.set_messages([question(1), answer(2, LONG_TEXT)])
    assert drawn(qtbot, view) == drawn(qtbot, fresh)


def test_what_has_changed_is_read(qtbot: QtBot) -> None:
    message = answer(2, LONG_TEXT, searches=(RECORD,))
    kept = as_drawn((), message, limits=None, cut=False)
    assert kept.is_long
    assert kept.fits(replace(message, error="Cut off."), None)
    assert not kept.fits(replace(message, content=f"{LONG_TEXT}!"), None)
    assert not kept.fits(replace(message, searches=()), None)
    assert not kept.fits(replace(message, id=4), None)
    assert not as_drawn((), answer(2, "short"), limits=None, cut=False).is_long


def test_the_whole_of_a_text_of_which_a_part_was_kept_is_drawn(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    text = "x " * 40_000 + "\n\n" + "word\n\n" * 9_000 + "the end"
    view.set_messages([question(2, text)])
    drawn(qtbot, view)
    assert "the end" not in view.toPlainText()
    view._transcript.opened.add(Anchor(AnchorKind.WHOLE, 2))
    view.set_zoom(120)
    drawn(qtbot, view)
    assert "the end" in view.toPlainText()

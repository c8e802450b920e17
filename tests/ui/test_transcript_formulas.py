"""Formulas take the place of their sources, in text that is final, whatever comes when."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.formula import Formula
from llamachat.core.messages import Status
from llamachat.render.held_back import visible_part
from llamachat.render.incremental import normalize
from llamachat.ui.theme import DARK
from llamachat.ui.transcript.formula_text import undrawn_spans
from llamachat.ui.transcript.view import TranscriptView
from tests.render.markdown_documents import documents
from tests.ui.formula_source import BoxSource, drawn_sources, settle, written
from tests.ui.test_transcript_stream import SIMPLE, body_at_once
from tests.ui.transcript_pages import (
    answer,
    blocks_of,
    describe,
    lines_of,
    long_chat,
    question,
    select,
    show_view,
    top_of,
)

MANY = r"""# Of $E = mc^2$

Let $a_1$ and \(b\)\(c\) be, with **$d$** and [$e$](https://a.example/) and [f].

- item $g$
- with one of its own:

  $$
  h
  = i
  $$

| t $j$ | u |
|---|---|
| $k$ | $5 and $6 |

> \[ l \]

```
$m$
```

Last: $n$[^1] and $$fail$$

[f]: https://b.example/ "late"

[^1]: Note $o$.
"""
ALL = ["E = mc^2", "a_1", "b", "c", "d", "e", "g", "h\n= i", "j", "k", "l", "n", "o"]


def show(qtbot: QtBot, source: BoxSource | None = None, height: int = 600) -> TranscriptView:
    view = show_view(qtbot, height=height)
    view.formulas.set_source(source or BoxSource())
    return view


def texs(view: TranscriptView) -> list[str]:
    marks = ("$$", "$", "\\(", "\\)", "\\[", "\\]")
    found = []
    for source in drawn_sources(view):
        text = source.replace("\u2028", "\n")
        for mark in marks:
            text = text.removeprefix(mark).removesuffix(mark)
        found.append(text.strip())
    return found


def written_lines(document: QTextDocument) -> list[str]:
    return [written(block) for block in blocks_of(document)]


def test_every_formula_of_a_stored_answer_is_drawn(qtbot: QtBot) -> None:
    view = show(qtbot)
    view.set_messages([answer(2, MANY)])
    settle(qtbot, view)
    assert texs(view) == ALL


def test_what_is_no_formula_or_cannot_be_drawn_is_shown_as_written(qtbot: QtBot) -> None:
    view = show(qtbot)
    view.set_messages([answer(2, MANY)])
    settle(qtbot, view)
    shown = "\n".join(lines_of(view))
    assert "$5 and $6" in shown
    assert "$m$" in shown
    assert "and $$fail$$" in shown


def test_without_a_source_nothing_is_drawn(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, MANY)])
    settle(qtbot, view)
    assert texs(view) == []
    assert "\ufffc" not in view.toPlainText()


def stream(qtbot: QtBot, view: TranscriptView, source: BoxSource, text: str, seed: int) -> None:
    """Send an answer in pieces; what has been asked for comes back now and then. Looks at the document every time."""
    chance, position = random.Random(seed), 0
    view.set_messages(())
    view.begin_answer(None, answer(2, status=Status.STREAMING))
    while position < len(text):
        size = chance.randint(1, 30)
        view.apply([Event(Kind.CONTENT, text[position : position + size])])
        position += size
        if chance.random() < 0.3:
            settle(qtbot, view, source)
        shown = visible_part(normalize(text[:position].removesuffix("\r")))
        assert written_lines(view.document())[2:-1] == written_lines(body_at_once(shown))[1:-1]
    view.end_answer(answer(2, text))


def check_stream(qtbot: QtBot, text: str, seed: int) -> TranscriptView:
    """With its formulas as they were written the document is that of the text so far; at the end the stored one."""
    source = BoxSource(at_once=False)
    view = show(qtbot, source)
    stream(qtbot, view, source, text, seed)
    settle(qtbot, view, source)
    streamed = describe(view.document())
    view.set_messages([answer(2, text)])
    settle(qtbot, view, source)
    assert describe(view.document()) == streamed
    return view


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))])
def test_text_that_streams_is_exact_whenever_its_formulas_come(qtbot: QtBot, seed: int) -> None:
    assert texs(check_stream(qtbot, MANY, seed)) == ALL


@pytest.mark.slow
@pytest.mark.timeout(900)
@given(documents, st.integers(0, 2**32))
@settings(SIMPLE, max_examples=100)
def test_it_is_exact_for_many_documents(qtbot: QtBot, text: str, seed: int) -> None:
    check_stream(qtbot, text, seed)


def test_another_theme_keeps_formulas_and_place(qtbot: QtBot) -> None:
    view = show(qtbot)
    view.set_messages([answer(2, "\n\n".join(f"Of $\\frac{{{number}}}{{2}}$ {number}." for number in range(60)))])
    settle(qtbot, view)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    before = texs(view), top_of(view, "30.")
    view.set_theme(DARK)
    assert (texs(view), top_of(view, "30.")) == before


def test_what_is_selected_stays_selected_when_formulas_come(qtbot: QtBot) -> None:
    view = show(qtbot, source := BoxSource(at_once=False))
    view.set_messages([answer(2, "Of $a$, $b$ and $c$.\n\nMore $d$.")])
    place = view.document().toPlainText().index("and")
    select(view, place, place + 3)
    settle(qtbot, view, source)
    assert len(texs(view)) == 4
    assert view.textCursor().selectedText() == "and"


def test_a_formula_is_drawn_when_its_block_is_final_and_not_before(qtbot: QtBot) -> None:
    view = show(qtbot)
    view.set_messages([answer(2, "$a$ $b$")])
    settle(qtbot, view)
    view.set_messages(())
    view.begin_answer(None, answer(2, status=Status.STREAMING))
    shown = []
    for piece in ("Of $a$", " it.\n", "\n", "Then $b$.", "\n\n# $a$", "\nx"):
        view.apply([Event(Kind.CONTENT, piece)])
        shown.append(texs(view))
    assert shown == [[], [], [], [], ["a"], ["a", "b"]]
    view.end_answer(answer(2, "Of $a$ it.\n\nThen $b$.\n\n# $a$\nx"))
    assert texs(view) == ["a", "b", "a"]


def test_what_was_drawn_before_is_there_with_its_text(qtbot: QtBot) -> None:
    view = show(qtbot, source := BoxSource())
    view.set_messages([answer(2, MANY)])
    settle(qtbot, view)
    asked = len(source.asked)
    view.set_messages([answer(2, MANY)])
    assert texs(view) == ALL
    assert len(source.asked) == asked


def test_a_formula_that_stands_there_twice_is_asked_for_once(qtbot: QtBot) -> None:
    view = show(qtbot, source := BoxSource(at_once=False))
    view.set_messages([answer(2, "$x$ and $x$"), answer(4, "$x$ $$x$$")])
    settle(qtbot, view, source)
    assert sorted(source.asked, key=str) == [Formula("x", display=False), Formula("x", display=True)]
    assert texs(view) == ["x"] * 4


def test_a_late_definition_draws_a_block_and_its_formulas_anew(qtbot: QtBot) -> None:
    view = show(qtbot)
    view.begin_answer(None, answer(2, status=Status.STREAMING))
    for piece in ("[f] is $x$.\n\nmore\n\n", "[f]: https://b.example/\n\nend"):
        view.apply([Event(Kind.CONTENT, piece)])
        settle(qtbot, view)
        assert texs(view) == ["x"]
    assert [line for line in describe(view.document()) if "https://b.example/" in str(line)]


def test_what_is_asked_for_in_a_chat_that_was_left_is_not_put_anywhere(qtbot: QtBot) -> None:
    view = show(qtbot, source := BoxSource(at_once=False))
    view.set_messages([answer(2, " ".join(f"$a_{number}$" for number in range(50)))])
    qtbot.waitUntil(lambda: bool(source.asked))
    view.set_messages([answer(4, "$b$ in another")])
    settle(qtbot, view, source)
    assert texs(view) == ["b"]
    assert len(source.asked) < 10


def test_the_reader_stays_where_he_is_when_formulas_come(qtbot: QtBot) -> None:
    view = show(qtbot, source := BoxSource(at_once=False))
    above = "\n\n".join(f"Of $$\\frac{{{number}}}{{2}}$$ it." for number in range(30))
    view.set_messages([question(1), answer(2, above), *long_chat(8, first=3)])
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 50)
    top, place = top_of(view, "Question 17?"), view.verticalScrollBar().value()
    settle(qtbot, view, source)
    assert len(texs(view)) == 30
    assert view.verticalScrollBar().value() != place
    assert top_of(view, "Question 17?") == pytest.approx(top, abs=1)


def test_who_reads_the_end_goes_on_reading_it(qtbot: QtBot) -> None:
    view = show(qtbot, source := BoxSource(at_once=False))
    view.set_messages([answer(2, "\n\n".join(f"Of $$\\frac{{{number}}}{{2}}$$ it." for number in range(30)))])
    settle(qtbot, view, source)
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


@pytest.mark.parametrize(("count", "drawn"), [pytest.param(300, 300, marks=pytest.mark.slow), (301, 0)])
def test_a_paragraph_of_too_many_formulas_is_shown_as_written(qtbot: QtBot, count: int, drawn: int) -> None:
    view = show(qtbot)
    view.set_messages([answer(2, "$x$ " * count)])
    settle(qtbot, view)
    assert len(texs(view)) == drawn


@pytest.mark.slow
def test_many_formulas_come_in_slices(qtbot: QtBot) -> None:
    view = show(qtbot)
    messages = [answer(2 * number, "$x$ $y$\n\n" * 10) for number in range(1, 26)]
    view.set_messages(messages)
    settle(qtbot, view)
    view.set_messages(messages)
    assert len(texs(view)) == 400
    settle(qtbot, view)
    assert len(texs(view)) == 500
    assert not any(list(undrawn_spans(block)) for block in blocks_of(view.document()))

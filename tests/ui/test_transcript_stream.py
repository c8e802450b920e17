"""An answer that streams into the view looks, after every flush and at the end, as if it were shown at once."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status
from llamachat.render.held_back import visible_part
from llamachat.render.html import HtmlWriter, MessageContext
from llamachat.render.incremental import draw_pieces, normalize
from llamachat.render.parse import MarkdownParser
from llamachat.ui.transcript.view import TranscriptView
from tests.render.markdown_documents import documents, longest_chunks
from tests.ui.test_transcript_editor import make_editor
from tests.ui.transcript_pages import answer, colours_of, describe, show_view

PARSER = MarkdownParser()
SIMPLE = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def body_at_once(text: str) -> QTextDocument:
    editor = make_editor()
    pieces = draw_pieces(PARSER, HtmlWriter(PARSER, MessageContext(2)), text)
    editor.insert(1, "".join(piece.html for piece in pieces))
    return editor.document


def stream(view: TranscriptView, text: str, longest: int, seed: int, *, look: bool) -> None:
    chance, position = random.Random(seed), 0
    view.set_messages(())
    view.begin_answer(None, answer(2, status=Status.STREAMING))
    while position < len(text):
        size = chance.randint(1, longest)
        view.apply([Event(Kind.CONTENT, text[position : position + size])])
        position += size
        shown = visible_part(normalize(text[:position].removesuffix("\r")))
        if look:
            drawn = describe(view.document())[2:-1]
            assert drawn == describe(body_at_once(shown))[1:-1], repr(text[:position])
    view.end_answer(answer(2, text))


def check_stream(view: TranscriptView, text: str, longest: int, seed: int) -> None:
    stream(view, text, longest, seed, look=True)
    streamed = describe(view.document()), colours_of(view)
    view.set_messages([answer(2, text)])
    assert streamed == (describe(view.document()), colours_of(view))


@given(documents, longest_chunks, st.integers(0, 2**32))
@settings(SIMPLE, max_examples=15, derandomize=True)
def test_the_document_is_exact_after_every_flush(qtbot: QtBot, text: str, longest: int, seed: int) -> None:
    check_stream(show_view(qtbot), text, longest, seed)


@pytest.mark.slow
@pytest.mark.timeout(900)
@given(documents, longest_chunks, st.integers(0, 2**32))
@settings(SIMPLE, max_examples=200)
def test_the_document_is_exact_for_many_documents(qtbot: QtBot, text: str, longest: int, seed: int) -> None:
    check_stream(show_view(qtbot), text, longest, seed)


def test_code_that_streams_gets_the_colours_of_stored_code(qtbot: QtBot) -> None:
    text = '```python\ndef f(x):\n    """Doc\n\n    more"""\n    return x  # note\n```\n\n- x\n\n  ```sh\n  ls\n'
    view = show_view(qtbot)
    stream(view, text, 5, 1, look=False)
    streamed = colours_of(view)
    view.set_messages([answer(2, text)])
    assert any(streamed)
    assert streamed == colours_of(view)


def test_late_definitions_change_what_is_above(qtbot: QtBot) -> None:
    text = "See [a].\n\nmiddle\n\n| t |\n|---|\n| [a] |\n\nend\n\n[a]: https://a.example/\n[b]: https://b.example/\n"
    check_stream(show_view(qtbot), text, 1, 1)


LONG_BLOCKS = {
    "numbers": "".join(f"1. item {number}\n" + "   - deep\n" * (number % 9 == 0) for number in range(70)),
    "loose": "".join(f"- item {number}\n" + "\n" * (number % 30 == 29) for number in range(90)) + "\nend",
    "table": "> | a | b |\n> |---|--:|\n" + "> | 1 | [x] |\n" * 45 + "\n[x]: https://x.example/\n",
    "rows in an item": "- | a |\n  |---|\n" + "  | b |\n" * 45 + "- end",
}


@pytest.mark.parametrize("name", LONG_BLOCKS)
def test_runs_of_long_blocks_are_exact_after_every_flush(qtbot: QtBot, name: str) -> None:
    check_stream(show_view(qtbot), LONG_BLOCKS[name], 90, 1)

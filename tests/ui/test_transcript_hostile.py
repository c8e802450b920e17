"""Texts that would take long to draw or cannot be drawn: the view shows them anyhow and says so."""

from __future__ import annotations

import logging

import pytest
from PySide6.QtGui import QGuiApplication, QTextDocument
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status, StoredMessage
from llamachat.render.parse import Block, Definitions, MarkdownParser
from llamachat.render.runs import Continuation
from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.parts import Part
from llamachat.ui.transcript.selection import whole_lines
from tests.ui.transcript_pages import answer, blocks_of, follow, lines_of, question, show_view, wait_until_drawn

LONG = "A" * 30_000
CUT = "This text is long and not all of it is shown. Copy gives all of it. Show all"


class FailingParser(MarkdownParser):
    """Fails over one word, as a parser with a fault does."""

    def blocks(self, text: str, definitions: Definitions, continued: Continuation | None = None) -> list[Block]:
        if "boom" in text:
            raise RecursionError
        return super().blocks(text, definitions, continued)


def texts(document: QTextDocument) -> list[str]:
    return [block.text() for block in blocks_of(document) if block.text().strip("\u200b")]


@pytest.mark.parametrize("text", [LONG, f"```\n{LONG}\n```", f"`{LONG}`", f"| a |\n|---|\n| {LONG} |"])
def test_a_very_long_line_is_cut_and_can_be_shown_whole(qtbot: QtBot, text: str) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, text)])
    assert CUT in lines_of(view)
    assert max(map(len, lines_of(view))) < 11_000
    view.selectAll()
    view.copy()
    assert bytes(QGuiApplication.clipboard().mimeData().data("text/markdown").data()).decode() == text
    follow(view, "Show all")
    assert CUT not in lines_of(view)
    assert max(map(len, lines_of(view))) >= len(LONG)


def test_a_very_long_question_is_cut_too(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "line\n" * 6000)])
    wait_until_drawn(qtbot, view)
    assert lines_of(view).count("line") == 5000
    follow(view, "Show all")
    assert lines_of(view).count("line") == 6000


def test_a_long_line_that_streams_ends_where_it_is_cut(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.begin_answer(question(1), answer(2, status=Status.STREAMING))
    for _ in range(6):
        view.apply([Event(Kind.CONTENT, LONG[:3000])])
    streamed = lines_of(view)
    assert streamed.count(CUT) == 1
    follow(view, "Show all")
    view.apply([Event(Kind.CONTENT, "B")])
    assert "A" * 18_000 + "B" in lines_of(view)
    view.end_answer(answer(2, LONG[:18_000] + "B"))
    assert "A" * 18_000 + "B" in lines_of(view)


@pytest.mark.parametrize("text", [">" * 5000 + " x", "[" * 3000, "*a **b " * 1000, "- " * 2000, "`a``b" * 1000])
def test_deep_and_tangled_marks_are_shown(qtbot: QtBot, text: str) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, text), answer(2, text)])
    assert len(lines_of(view)) >= 4


def test_a_text_that_cannot_be_drawn_is_shown_plain(qapp: object, caplog: pytest.LogCaptureFixture) -> None:
    transcript = TranscriptDocument(QTextDocument(), FailingParser())
    transcript.clear()
    with caplog.at_level(logging.WARNING):
        (entry, _) = transcript.insert(0, [answer(2, "# head\n\n*boom*"), answer(4, "*fine*")])
        transcript.draw(entry, Part.BODY)
    shown = texts(transcript.document)
    assert shown[1:4] == ["# head", "*boom*", "This text could not be drawn as Markdown."]
    assert "fine" in shown
    assert len(caplog.records) == 1
    assert whole_lines(transcript.document, transcript.first_block(entry, Part.BODY), 1)[0].text == "# head"


def test_a_text_that_cannot_be_drawn_goes_on_growing(qapp: object, caplog: pytest.LogCaptureFixture) -> None:
    transcript = TranscriptDocument(QTextDocument(), FailingParser())
    transcript.clear()
    (entry,) = transcript.insert(0, [answer(2, status=Status.STREAMING)])
    entry.body = transcript.growing_body(entry.message)
    for bit in ("one\n\n", "boom", " two"):
        entry.message = _longer(entry.message, bit)
        transcript.feed(entry, bit)
    transcript.finish_body(entry)
    assert texts(transcript.document)[1:] == ["one", "boom two", "This text could not be drawn as Markdown."]
    assert len(caplog.records) == 1


def _longer(message: StoredMessage, bit: str) -> StoredMessage:
    return answer(message.id, message.content + bit, status=Status.STREAMING)


def test_a_part_that_looks_the_same_is_not_drawn_again(qapp: object) -> None:
    transcript = TranscriptDocument(QTextDocument())
    transcript.clear()
    (entry,) = transcript.insert(0, [answer(2, "Text", reasoning="thought")])
    transcript.editor.take_edits()
    for part in set(Part) - {Part.BODY}:
        transcript.draw(entry, part)
    assert transcript.editor.take_edits() == []
    entry.message = answer(2, "Text", reasoning="thought more")
    transcript.draw(entry, Part.THINKING)
    assert len(transcript.editor.take_edits()) == 1

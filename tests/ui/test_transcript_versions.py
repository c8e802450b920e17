"""Which version of a message is shown stands in its head, and comes there without a jump."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Status
from llamachat.ui.transcript.announcing import place_sentence
from llamachat.ui.transcript.document import TranscriptDocument
from tests.ui.transcript_pages import answer, long_chat, question, show_view


def heads(transcript: TranscriptDocument) -> list[str]:
    """The first line of each message."""
    return [transcript.document.findBlockByNumber(first).text() for _, first in transcript.spans()]


def test_versions_are_told_at_rest_and_told_no_more_when_one_is_left(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, "Text")])
    assert heads(view._transcript) == ["You\tCopy", "model"]
    view.set_versions({1: (1, 4), 2: (0, 2, 9)})
    assert heads(view._transcript) == ["You · 1/2\tCopy", "model · 2/3"]
    view.set_versions({2: (2, 9), 9: (2, 9)})
    assert heads(view._transcript) == ["You\tCopy", "model · 1/2"]
    view.append_messages([question(3), answer(9, "Other")], has_newer=False)
    assert heads(view._transcript)[2:] == ["You\tCopy", "model · 2/2"]


def test_the_copy_of_a_person_stays_at_the_right(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1)])
    view.set_versions({1: (1, 4)})
    assert view.document().findBlockByNumber(1).blockFormat().tabPositions()


@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
def test_the_text_stays_where_it_is(qtbot: QtBot, place: float) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(10))
    bar = view.verticalScrollBar()
    bar.setValue(round(place * bar.maximum()))
    cursor = view.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, 30)
    view.setTextCursor(cursor)
    bar.setValue(round(place * bar.maximum()))
    before, selected = bar.value(), view.textCursor().selectedText()
    view.set_versions({number: (number, 100) for number in range(1, 21)})
    assert (bar.value(), view.textCursor().selectedText()) == (before, selected)


def test_an_answer_that_is_being_written_can_be_one_of_several(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1)])
    view.begin_answer(None, answer(5, status=Status.STREAMING))
    view.set_versions({5: (2, 5)})
    assert heads(view._transcript) == ["You\tCopy", "model · 2/2"]
    view.end_answer(answer(5, "Done"))
    assert heads(view._transcript)[1] == "model · 2/2"


def test_a_screen_reader_says_which_version_it_is() -> None:
    assert place_sentence(question(1, "Why?"), (1, 4)) == "You, version 1 of 2: Why?"
    assert place_sentence(question(1, "Why?")) == "You: Why?"


def test_it_is_not_copied_with_who_speaks(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Why?"), answer(2, "So.")])
    view.set_versions({1: (1, 4), 2: (2, 9)})
    view.selectAll()
    data = view.createMimeDataFromSelection()
    assert "You:" in data.text()
    assert "/2" not in data.text()

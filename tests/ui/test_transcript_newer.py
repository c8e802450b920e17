"""A transcript that shows the middle of a chat: newer messages come below when the reader nears the bottom."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from llamachat.core.messages import Status
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import answer, lines_of, long_chat, question, show_view, top_of


def show_middle(qtbot: QtBot) -> tuple[TranscriptView, list[bool]]:
    """A view at the first of ten messages of a longer chat, and how often it has asked for newer ones."""
    view, asked = show_view(qtbot), list[bool]()
    view.newer_requested.connect(lambda: asked.append(True))
    view.set_messages(long_chat(10), has_newer=True)
    assert view.jump_to(1)
    return view, asked


def test_newer_messages_are_asked_for_once_near_the_bottom(qtbot: QtBot) -> None:
    view, asked = show_middle(qtbot)
    assert not asked
    bar = view.verticalScrollBar()
    for left in (60, 40, 20, 0):
        bar.setValue(bar.maximum() - left)
    assert len(asked) == 1


def test_newer_messages_leave_the_reader_where_he_is(qtbot: QtBot) -> None:
    view, asked = show_middle(qtbot)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    top = top_of(view, "Question 19?")
    view.append_messages(long_chat(10, first=21), has_newer=True)
    assert top_of(view, "Question 19?") == top
    assert [line for line in lines_of(view) if line.startswith("Question")][-1] == "Question 39?"
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    assert len(asked) == 2


def test_with_the_end_of_the_chat_nothing_more_is_asked_for(qtbot: QtBot) -> None:
    view, asked = show_middle(qtbot)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    view.append_messages(long_chat(1, first=21), has_newer=False)
    assert not view.has_newer
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    assert len(asked) == 1


def test_what_can_be_done_about_an_end_is_offered_at_the_end_of_the_chat_alone(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    cut_off = answer(2, "Half", status=Status.INTERRUPTED)
    view.set_messages([question(1), cut_off], has_newer=True)
    assert "Continue" not in " ".join(lines_of(view))
    view.append_messages([question(3), answer(4, "Half", status=Status.INTERRUPTED)], has_newer=False)
    assert " ".join(lines_of(view)).count("Continue") == 1


def test_the_next_chat_is_shown_to_its_end(qtbot: QtBot) -> None:
    view, _ = show_middle(qtbot)
    view.set_messages(long_chat(10))
    assert not view.has_newer
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()

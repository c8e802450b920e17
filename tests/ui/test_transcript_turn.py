"""A turn in the view: waiting, thinking, searching, answering, ending well or not, Retry and Continue."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.core.completion import PromptProgress
from llamachat.core.events import Event, Finish, FinishReason, Kind, Phase, PhaseName
from llamachat.core.messages import Status, Usage
from llamachat.core.search_record import SearchRecord, record_to_json
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import RECORD, StillClock, answer, describe, follow, lines_of, question, show_view

ACTIONS = "\xa0\xa0Continue\xa0\xa0\xa0 \xa0\xa0Retry\xa0\xa0"


def begin(view: TranscriptView) -> None:
    view.set_messages([])
    view.begin_answer(question(1), answer(2, status=Status.STREAMING))


def content(text: str) -> Event:
    return Event(Kind.CONTENT, text)


def test_the_question_and_the_place_of_the_answer_are_there_at_once(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    begin(view)
    assert lines_of(view) == ["You Copy", "What is new?", "model", "waiting for the first token"]


def test_what_goes_on_stands_where_the_answer_will_be(qtbot: QtBot) -> None:
    clock = StillClock()
    view = show_view(qtbot, clock=clock)
    view.search_provider = lambda: "SearXNG"
    begin(view)
    clock.seconds = 12
    view.tick()
    assert lines_of(view)[-1] == "waiting for the first token, 12 s"
    view.apply([Event(Kind.PHASE, Phase(PhaseName.LOADING, 3.0))])
    clock.seconds = 14
    view.tick()
    assert lines_of(view)[-1] == "loading the model, 5 s"
    view.apply([Event(Kind.PHASE, Phase(PhaseName.RETRYING, 1.0))])
    assert lines_of(view)[-1] == "the server is away, trying again, 1 s"
    view.apply([Event(Kind.PHASE, Phase(PhaseName.TAKING_UP, 1.0))])
    assert lines_of(view)[-1] == "the connection was lost, taking the answer up again, 1 s"
    view.apply([Event(Kind.PROGRESS, PromptProgress(total=200, cache=0, processed=90))])
    assert lines_of(view)[-1] == "reading the prompt 45 %"
    view.apply([Event(Kind.SEARCH_START, "linux")])
    clock.seconds = 17.4
    view.tick()
    assert lines_of(view)[-1] == "searching: linux… · SearXNG · 3.4 s"
    view.apply([content("Now.")])
    view.tick()
    assert lines_of(view)[2:] == ["model", "Now."]


def test_nothing_ticks_while_text_comes(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    begin(view)
    ticking = view._ticking
    assert ticking.isActive()
    view.apply([content("Now.")])
    assert not ticking.isActive()
    view.apply([Event(Kind.SEARCH_START, "linux")])
    assert ticking.isActive()


@pytest.mark.claim("LC-031", "LC-032", "LC-034", "LC-005")
def test_searches_and_thinking_stand_above_the_answer(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    begin(view)
    failed = SearchRecord("more", error="connection refused", cause="unreachable")
    view.apply([Event(Kind.REASONING, "Let me\nsee"), Event(Kind.SEARCH_START, "latest linux kernel")])
    view.apply([Event(Kind.SEARCH_DONE, record_to_json(RECORD)), Event(Kind.SEARCH_DONE, record_to_json(failed))])
    view.apply([Event(Kind.REASONING, " more."), content("It is 6.18 [1]."), Event(Kind.NOTICE, "A notice.")])
    assert lines_of(view)[2:] == [
        "model",
        "▸ searched: latest linux kernel (2 results)",
        "▸ search failed: more — connection refused",
        "▸ thinking (16 chars, 2 lines)",
        "It is 6.18 [1].",
        "A notice.",
    ]


@pytest.mark.claim("LC-057")
def test_numbers_become_links_when_their_search_is_done(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    begin(view)
    view.apply([content("Wait [1] and [9].")])
    assert "kernel.org" not in str(describe(view.document()))
    view.apply([Event(Kind.SEARCH_DONE, record_to_json(RECORD))])
    assert view.document().find("[1]").charFormat().anchorHref() == "https://www.kernel.org/"


def test_thinking_that_is_open_grows(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    begin(view)
    view.apply([Event(Kind.REASONING, "one\n")])
    follow(view, "▸ thinking")
    for text in ("two", " and", "\n\n", "three\n", "fo", "ur\n"):
        view.apply([Event(Kind.REASONING, text)])
    shown = describe(view.document())
    assert lines_of(view)[3:] == ["▾ thinking (23 chars, 5 lines)", "one", "two and", "three", "four"]
    view.end_answer(answer(2, status=Status.STOPPED, reasoning="one\ntwo and\n\nthree\nfour\n"))
    assert describe(view.document())[: len(shown) - 1] == shown[:-1]
    follow(view, "▾ thinking")
    assert lines_of(view)[3:5] == ["▸ thinking (23 chars, 5 lines)", "Stopped."]


@pytest.mark.claim("LC-033", "LC-036")
def test_folds_open_one_by_one_while_the_answer_streams(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    begin(view)
    other = replace(RECORD, query="another", first_number=3)
    view.apply([Event(Kind.SEARCH_DONE, record_to_json(record)) for record in (RECORD, other)])
    view.apply([Event(Kind.REASONING, "thoughts"), content("Text")])
    follow(view, "▸ searched: another")
    view.apply([content(" goes on")])
    lines = lines_of(view)
    assert lines[3:6] == [
        "▸ searched: latest linux kernel (2 results)",
        "▾ searched: another (2 results)",
        "[3] Kernel Archives",
    ]
    assert lines[-2:] == ["▸ thinking (8 chars, 1 line)", "Text goes on"]
    follow(view, "▾ searched: another")
    assert lines_of(view)[-3:] == ["▸ searched: another (2 results)", "▸ thinking (8 chars, 1 line)", "Text goes on"]


@pytest.mark.claim("LC-036")
def test_folds_that_are_open_stay_so_when_the_chat_is_shown_again(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    messages = [question(1), answer(2, "Text", reasoning="thoughts")]
    view.set_messages(messages)
    follow(view, "▸ thinking")
    view.set_messages([question(3)])
    view.set_messages(messages)
    assert "▾ thinking (8 chars, 1 line)" in lines_of(view)


@pytest.mark.claim("ST-008")
def test_the_end_shows_sources_and_cost(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    begin(view)
    view.apply([Event(Kind.SEARCH_DONE, record_to_json(RECORD)), content("It is 6.18 [1].")])
    view.apply([Event(Kind.FINISH, Finish(FinishReason.STOP))])
    usage = Usage(cache_n=800, prompt_n=434, predicted_n=512, predicted_ms=12_190.0)
    view.end_answer(replace(answer(2, "It is 6.18 [1].", searches=(RECORD,)), usage=usage))
    assert lines_of(view)[-2:] == [
        "Sources (SearXNG): [1] Kernel Archives | [2] History",
        "Copy · 512 tokens · 42.0 tokens/s · 1,234 prompt tokens, 800 of them cached",
    ]


def test_what_is_stored_counts_when_it_differs_from_what_streamed(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    begin(view)
    view.apply([content("<think>x</think>Text")])
    stored = answer(2, "Text", reasoning="x")
    view.end_answer(stored)
    shown = describe(view.document())
    view.set_messages([question(1), stored])
    assert shown == describe(view.document())


def test_an_error_stands_where_the_answer_would_be(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    begin(view)
    view.apply([Event(Kind.FINISH, Finish(FinishReason.ERROR, "No server.", "Start it."))])
    view.end_answer(answer(2, status=Status.FAILED, error="No server. Start it."))
    assert lines_of(view)[2:] == ["model", "No server. Start it.", "\xa0\xa0Retry\xa0\xa0"]
    with qtbot.waitSignal(view.retry_requested) as asked:
        follow(view, "Retry")
    assert asked.args == [2]


def test_a_retry_takes_the_place_of_what_failed(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, status=Status.FAILED, error="No server.")])
    view.begin_answer(None, replace(answer(3, status=Status.STREAMING), parent_id=1))
    assert lines_of(view) == ["You Copy", "What is new?", "model", "waiting for the first token"]


def test_colouring_stops_where_an_answer_has_gone(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    code = "```c\n" + "int x = f(1); // note\n" * 20_000 + "```"
    view.set_messages([question(1), answer(2, code, status=Status.INTERRUPTED)])
    view.begin_answer(None, replace(answer(3, status=Status.STREAMING), parent_id=1))
    QApplication.processEvents()
    assert lines_of(view) == ["You Copy", "What is new?", "model", "waiting for the first token"]


def test_continue_goes_on_in_the_same_answer(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, "Half an", status=Status.INTERRUPTED)])
    assert lines_of(view)[3:] == ["Half an", "The answer was cut off here.", ACTIONS, "Copy"]
    with qtbot.waitSignal(view.continue_requested) as asked:
        follow(view, "Continue")
    assert asked.args == [2]
    view.begin_answer(None, answer(2, "Half an", status=Status.STREAMING))
    view.apply([content(" answer.")])
    view.end_answer(answer(2, "Half an answer."))
    assert lines_of(view) == ["You Copy", "What is new?", "model", "Half an answer.", "Copy"]


def test_retry_and_continue_belong_to_the_last_answer(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    failed = answer(2, status=Status.FAILED, error="No server.")
    view.set_messages([question(1), failed])
    view.begin_answer(question(3), answer(4, status=Status.STREAMING))
    assert "No server." in lines_of(view)
    assert "Retry" not in " ".join(lines_of(view))
    view.set_messages([question(1), failed, question(3), answer(4, "Yes")])
    assert "Retry" not in " ".join(lines_of(view))


@pytest.mark.parametrize("events", [[], [Event(Kind.CONTENT, "late")]])
def test_events_without_a_turn_change_nothing(qtbot: QtBot, events: list[Event]) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, "Text")])
    shown = describe(view.document())
    view.apply(events)
    view.tick()
    view.end_answer(answer(99, "other"))
    assert shown == describe(view.document())


def test_line_breaks_and_marks_of_people_are_kept(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "one\ntwo <b>"), answer(2)])
    assert lines_of(view)[1:3] == ["one", "two <b>"]


def test_a_question_that_nothing_follows_offers_to_be_answered(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    asked: list[int] = []
    view.retry_requested.connect(asked.append)
    view.set_messages([question(1), answer(2, "Text"), question(3)])
    assert "There is no answer to this." in lines_of(view)
    view.anchorClicked.emit(QUrl("x-llamachat-retry:3"))
    assert asked == [3]
    view.begin_answer(None, answer(4, status=Status.STREAMING))
    assert "There is no answer to this." not in lines_of(view)
    view.set_messages([question(1), answer(2, "Text"), question(3)], has_newer=True)
    assert "There is no answer to this." not in lines_of(view)

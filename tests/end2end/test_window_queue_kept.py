"""Messages that wait: in a chat not shown, over a restart, in a deleted chat. Never lost, never sent unasked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.storage.queued import enqueue
from tests.end2end.queue_theatre import Theatre, all_ended, asked, begin, send, stored, view_text, waiting
from tests.fakes.scripted_llama import says


@pytest.fixture
def theatre(qtbot: QtBot, tmp_path: Path) -> Iterator[Theatre]:
    with ExitStack() as things:
        yield Theatre(tmp_path, things)


@pytest.mark.slow
def test_it_is_asked_in_its_chat_while_another_one_is_shown(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first, says("Two."))
    shown = theatre.window(llama)
    number = begin(shown)
    send(shown, "Second")
    shown.window.chat.new_chat()
    assert waiting(shown) == []
    shown.window.page.composer.edit.setPlainText("typed elsewhere")
    gate.set()
    shown.until(lambda: len(llama.asked) == 2 and all_ended(shown))
    assert shown.window.chat.conversation_id is None
    assert shown.window.page.composer.text == "typed elsewhere"
    assert len(view_text(shown)) < 2000
    assert "Two." not in view_text(shown)
    shown.window.chat.open(number)
    shown.until(lambda: "Two." in view_text(shown))
    assert view_text(shown).count("Second") == 1
    assert waiting(shown) == []


@pytest.mark.slow
def test_going_away_and_back_shows_the_queue_again(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first, says("Two."))
    shown = theatre.window(llama)
    number = begin(shown)
    send(shown, "Second")
    shown.window.chat.new_chat()
    shown.window.chat.open(number)
    shown.until(lambda: waiting(shown) == ["Second"])
    assert shown.window.page.queue.heading.text() == "Asked when the answer has ended"
    shown.until(lambda: "Half" in view_text(shown))
    gate.set()
    shown.until(lambda: len(llama.asked) == 2 and shown.idle())
    assert view_text(shown).count("Second") == 1


def test_deleting_the_chat_sends_nothing_and_undo_brings_it_back(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first, says("Two."))
    shown = theatre.window(llama)
    number = begin(shown)
    send(shown, "Second")
    shown.window.sidebar.delete(number)
    gate.set()
    shown.until(lambda: all_ended(shown))
    shown.rest(0.2)
    assert asked(llama) == ["First"]
    shown.window.sidebar.undo.button.click()
    shown.until(lambda: stored(shown, number) == ["Second"])
    shown.window.chat.open(number)
    shown.until(lambda: waiting(shown) == ["Second"])
    shown.rest(0.2)
    assert asked(llama) == ["First"]


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True])
def test_over_a_restart_it_waits_for_a_word(theatre: Theatre, whole: bool) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first if not whole else says("Half one."), says("Two."))
    with theatre.own_window(llama) as shown:
        number = begin(shown)
        if whole:  # as after a kill between the end of the answer and the next question
            shown.until(shown.idle)
            with shown.app.database() as db:
                enqueue(db, number, "Second")
        else:
            send(shown, "Second")
    gate.set()
    again = theatre.window(llama)
    again.window.chat.open(number)
    again.until(lambda: waiting(again) == ["Second"])
    assert again.window.page.queue.heading.text() == "Not asked before the program ended"
    again.rest(0.2)
    assert asked(llama) == ["First"]
    again.ask("Something else")
    assert again.window.page.queue.heading.text() == "Waits until you send it"
    again.window.actions_by_id["send-now"].trigger()
    again.until(lambda: len(llama.asked) == 3 and again.idle())
    again.until(lambda: waiting(again) == [])  # what waits is read once more after the question is stored


@pytest.mark.slow
def test_what_another_window_took_is_not_asked_again(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first, says("Two."))
    shown = theatre.window(llama)
    number = begin(shown)
    send(shown, "Second")
    with shown.app.database() as db:
        db.write("DELETE FROM queued")
    gate.set()
    shown.until(lambda: all_ended(shown))
    shown.until(lambda: stored(shown, number) == [])
    shown.rest(0.2)
    assert asked(llama) == ["First"]

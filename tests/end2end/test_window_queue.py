"""Messages sent while an answer is written: asked in order, taken back, sent at once, held back after a failure."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.storage.conversations import get_conversation, list_conversations
from llamachat.storage.messages import load_branch
from tests.end2end.queue_theatre import Theatre, all_ended, asked, begin, send, stop, stored, view_text, waiting
from tests.fakes.scripted_llama import says


@pytest.fixture
def theatre(qtbot: QtBot, tmp_path: Path) -> Iterator[Theatre]:
    with ExitStack() as things:
        yield Theatre(tmp_path, things)


def test_messages_are_asked_one_after_the_other_when_the_answer_has_ended(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first, says("Two."), says("Three."))
    shown = theatre.window(llama)
    number = begin(shown)
    send(shown, "Second")
    send(shown, "Third")
    assert waiting(shown) == stored(shown, number) == ["Second", "Third"]
    assert shown.window.page.queue.heading.text() == "Asked when the answer has ended"
    assert asked(llama) == ["First"]
    gate.set()
    shown.until(lambda: len(llama.asked) == 3 and shown.idle())
    assert asked(llama) == ["First", "Second", "Third"]
    shown.until(lambda: waiting(shown) == [])
    assert stored(shown, number) == []
    with shown.app.database() as db:
        rows = [row.content for row in load_branch(db, number)]
    assert rows == ["First", "Half one.", "Second", "Two.", "Third", "Three."]
    assert view_text(shown).index("Two.") < view_text(shown).index("Third")
    earlier, later = llama.asked[1]["messages"], llama.asked[2]["messages"]
    assert later[: len(earlier)] == earlier  # type: ignore[index, arg-type]  # JSON


@pytest.mark.slow
def test_a_message_is_taken_back_above_what_is_typed_and_keeps_its_place(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first, says("x"))
    shown = theatre.window(llama)
    number = begin(shown)
    send(shown, "Second")
    send(shown, "Third")
    composer = shown.window.page.composer
    composer.edit.setPlainText("typed")
    shown.window.page.queue.rows[0].edit.click()
    shown.until(lambda: composer.text == "Second\n\ntyped")
    shown.until(lambda: waiting(shown) == ["Third"])
    with shown.app.database() as db:
        assert getattr(get_conversation(db, number), "draft", "") == "Second\n\ntyped"
    send(shown, "Second, in other words")
    assert waiting(shown) == ["Second, in other words", "Third"]
    gate.set()
    shown.until(lambda: len(llama.asked) == 3 and shown.idle())
    assert asked(llama) == ["First", "Second, in other words", "Third"]


@pytest.mark.slow
def test_send_now_stops_the_answer_and_asks(theatre: Theatre) -> None:
    first, _ = theatre.held("one.")
    llama = theatre.server(first, says("Three."), says("Two."))
    shown = theatre.window(llama)
    number = begin(shown)
    send(shown, "Second")
    send(shown, "Third")
    shown.window.page.queue.rows[1].send.click()
    shown.until(lambda: len(llama.asked) == 3 and shown.idle())
    assert asked(llama) == ["First", "Third", "Second"]
    with shown.app.database() as db:
        rows = [row.content.strip() for row in load_branch(db, number)]
    assert rows == ["First", "Half", "Third", "Three.", "Second", "Two."]


def test_after_a_stop_it_waits_says_why_and_is_sent_on_request(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first, says("Two."))
    shown = theatre.window(llama)
    begin(shown)
    send(shown, "Second")
    stop(shown)
    gate.set()
    shown.until(lambda: all_ended(shown))
    assert shown.window.page.queue.heading.text() == "Waits, because the answer was stopped"
    shown.rest(0.3)
    assert asked(llama) == ["First"]
    assert waiting(shown) == ["Second"]
    shown.window.page.queue.rows[0].send.click()
    shown.until(lambda: len(llama.asked) == 2 and shown.idle())
    assert asked(llama)[-1] == "Second"


@pytest.mark.slow
def test_after_a_failure_it_waits_and_goes_on_when_retry_brings_an_answer(theatre: Theatre) -> None:
    gate = threading.Event()
    llama = theatre.server([*says("Half "), gate, (500, "boom")], says("Whole."), says("Two."))
    shown = theatre.window(llama)
    begin(shown)
    send(shown, "Second")
    gate.set()
    shown.until(lambda: all_ended(shown))
    assert shown.window.page.queue.heading.text() == "Waits, because the answer did not come to its end"
    assert asked(llama) == ["First"]
    with shown.app.database() as db:
        (chat,) = list_conversations(db)
    assert chat.head_id is not None
    shown.window.page.view.retry_requested.emit(chat.head_id)
    shown.until(lambda: len(llama.asked) == 3 and shown.idle())
    assert asked(llama) == ["First", "First", "Second"]


@pytest.mark.slow
def test_another_message_does_not_set_a_queue_going_that_waits(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first, says("Other."))
    shown = theatre.window(llama)
    begin(shown)
    send(shown, "Second")
    stop(shown)
    gate.set()
    shown.until(lambda: all_ended(shown))
    shown.ask("Something else")
    shown.rest(0.2)
    assert asked(llama) == ["First", "Something else"]
    assert waiting(shown) == ["Second"]
    assert shown.window.page.queue.heading.text() == "Waits until you send it"


def test_a_message_is_discarded_and_that_is_undone(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first, says("Two."))
    shown = theatre.window(llama)
    number, page = begin(shown), shown.window.page
    send(shown, "Second")
    page.composer.edit.setPlainText("typed")
    page.queue.rows[0].discard.click()
    shown.until(lambda: waiting(shown) == [])
    assert (page.undo.text, page.undo.isVisible(), stored(shown, number)) == ("Message discarded", True, [])
    page.undo.button.click()
    shown.until(lambda: waiting(shown) == ["Second"])
    assert (page.composer.text, page.queue.heading.text()) == ("typed", "Asked when the answer has ended")
    gate.set()
    shown.until(lambda: len(llama.asked) == 2 and shown.idle())
    assert asked(llama) == ["First", "Second"]


@pytest.mark.slow
def test_one_that_was_held_back_is_held_back_still_when_that_is_undone(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    llama = theatre.server(first, says("Two."))
    shown = theatre.window(llama)
    begin(shown)
    send(shown, "Second")
    stop(shown)
    gate.set()
    shown.until(lambda: all_ended(shown))
    shown.window.page.queue.rows[0].discard.click()
    shown.until(lambda: waiting(shown) == [])
    shown.window.page.undo.button.click()
    shown.until(lambda: waiting(shown) == ["Second"])
    assert shown.window.page.queue.heading.text() == "Waits, because the answer was stopped"
    shown.rest(0.2)
    assert asked(llama) == ["First"]
    shown.window.page.queue.rows[0].discard.click()
    shown.until(lambda: waiting(shown) == [])
    shown.window.chat.new_chat()
    assert not shown.window.page.undo.isVisible()


@pytest.mark.slow
def test_the_keys_take_the_last_message_back(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    shown = theatre.window(theatre.server(first, says("Two.")))
    begin(shown)
    send(shown, "Second")
    shown.window.actions_by_id["take-back"].trigger()
    shown.until(lambda: shown.window.page.composer.text == "Second")
    assert waiting(shown) == []
    names = [
        button.accessibleName() for button in (shown.window.page.composer.queue, shown.window.page.composer.send)
    ]
    assert names == ["Send after this answer", "Stop"]
    gate.set()

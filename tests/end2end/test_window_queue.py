"""Messages sent while an answer is written: asked in their order, taken back, never lost and never sent unasked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from llamachat.storage.conversations import get_conversation, list_conversations
from llamachat.storage.messages import load_branch
from llamachat.storage.queued import enqueue, list_queued
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import Answer, Piece, ScriptedLlama, says


class Theatre:
    """A profile, a server whose answers wait for gates, and windows on them."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        self._folder, self._things = folder, things

    def server(self, *answers: Answer) -> ScriptedLlama:
        return self._things.enter_context(ScriptedLlama(*answers))

    def held(self, text: str) -> tuple[list[Piece], threading.Event]:
        """An answer that waits in its middle, and what lets it go on."""
        gate = threading.Event()
        self._things.callback(gate.set)
        return [*says("Half "), gate, *says(text)], gate

    def window(self, llama: ScriptedLlama) -> Stage:
        return self._things.enter_context(self.own_window(llama))

    def own_window(self, llama: ScriptedLlama) -> AbstractContextManager[Stage]:
        """One that the test closes."""
        return stage(self._folder / "profile", f'base_url = "{llama.base_url}"\n')


@pytest.fixture
def theatre(qtbot: QtBot, tmp_path: Path) -> Iterator[Theatre]:
    with ExitStack() as things:
        yield Theatre(tmp_path, things)


def begin(shown: Stage, text: str = "First") -> int:
    """Ask, and wait for half of the answer."""
    before = view_text(shown).count("Half")
    shown.ask(text, wait=False)
    shown.until(lambda: view_text(shown).count("Half") > before)
    number = shown.window.chat.conversation_id
    assert number is not None
    return number


def view_text(shown: Stage) -> str:
    return shown.window.page.view.toPlainText()


def send(shown: Stage, text: str) -> None:
    """Type and press Enter, and wait until it is stored."""
    composer, count = shown.window.page.composer, len(waiting(shown))
    composer.edit.setPlainText(text)
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    shown.until(lambda: composer.text == "" and len(waiting(shown)) == count + 1)


def waiting(shown: Stage) -> list[str]:
    """What the window shows as waiting."""
    queue = shown.window.page.queue
    return [row.queued.text for row in queue.rows] if queue.isVisible() else []


def stored(shown: Stage, number: int) -> list[str]:
    with shown.app.database() as db:
        return [queued.text for queued in list_queued(db, number)]


def asked(llama: ScriptedLlama) -> list[str]:
    """The last message of each request."""
    return [body["messages"][-1]["content"] for body in llama.asked]  # type: ignore[index]  # JSON


def all_ended(shown: Stage) -> bool:
    return not shown.window.turns.conversations()


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
    assert waiting(shown) == stored(shown, number) == []
    with shown.app.database() as db:
        rows = [row.content for row in load_branch(db, number)]
    assert rows == ["First", "Half one.", "Second", "Two.", "Third", "Three."]
    assert view_text(shown).index("Two.") < view_text(shown).index("Third")
    earlier, later = llama.asked[1]["messages"], llama.asked[2]["messages"]
    assert later[: len(earlier)] == earlier  # type: ignore[index, arg-type]  # JSON


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


def stop(shown: Stage) -> None:
    shown.window.actions_by_id["stop"].trigger()


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


def test_after_a_failure_it_waits_and_goes_on_when_retry_brings_an_answer(theatre: Theatre) -> None:
    gate = threading.Event()
    llama = theatre.server([*says("Half "), gate, (500, "boom")], says("Whole."), says("Two."))
    shown = theatre.window(llama)
    begin(shown)
    send(shown, "Second")
    gate.set()
    shown.until(lambda: all_ended(shown))
    assert shown.window.page.queue.heading.text() == "Waits, because the answer failed"
    assert asked(llama) == ["First"]
    with shown.app.database() as db:
        (chat,) = list_conversations(db)
    assert chat.head_id is not None
    shown.window.page.view.retry_requested.emit(chat.head_id)
    shown.until(lambda: len(llama.asked) == 3 and shown.idle())
    assert asked(llama) == ["First", "First", "Second"]


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
    assert again.window.page.queue.heading.text() == "Not asked before the program was closed"
    again.rest(0.2)
    assert asked(llama) == ["First"]
    again.window.actions_by_id["send-now"].trigger()
    again.until(lambda: len(llama.asked) == 2 and again.idle())
    assert waiting(again) == []


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

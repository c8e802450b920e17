"""What is typed while a message is on its way into the store and another chat is opened: not lost, not doubled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from llamachat.storage.conversations import drop_draft, get_conversation, set_draft
from tests.end2end.queue_theatre import Theatre, all_ended, begin, stored, view_text
from tests.end2end.stage import Stage
from tests.fakes.scripted_llama import says


@pytest.fixture
def theatre(qtbot: QtBot, tmp_path: Path) -> Iterator[Theatre]:
    with ExitStack() as things:
        yield Theatre(tmp_path, things)


def draft(shown: Stage, number: int) -> str:
    with shown.app.database() as db:
        return getattr(get_conversation(db, number), "draft", "gone")


def test_nothing_can_be_typed_into_what_is_being_stored_while_another_chat_is_opened(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    shown = theatre.window(theatre.server(first, says("Two."), says("Three.")))
    number = begin(shown)
    composer, held = shown.window.page.composer, threading.Event()
    shown.window.lanes.store.write(lambda _: held.wait(10))  # the store is slow
    composer.edit.setPlainText("Second")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    shown.window.chat.open(number + 100)  # one that is not there: the shown one stays for long
    assert composer.edit.isReadOnly()
    QTest.keyClicks(composer.edit, " and more")
    held.set()
    shown.until(lambda: shown.window.chat.conversation_id is None)
    assert not composer.edit.isReadOnly()
    assert stored(shown, number) == ["Second"]
    assert draft(shown, number) == ""
    gate.set()
    shown.until(lambda: all_ended(shown))


@pytest.mark.slow
def test_a_sent_text_that_was_a_draft_is_none_any_more_and_a_new_one_is(theatre: Theatre) -> None:
    first, gate = theatre.held("one.")
    shown = theatre.window(theatre.server(says("Half one."), first))
    shown.ask("First")
    number = shown.window.chat.conversation_id
    assert number is not None
    shown.window.page.composer.edit.setPlainText("Second")
    shown.until(lambda: draft(shown, number) == "Second")
    shown.ask("Second", wait=False)
    shown.until(lambda: view_text(shown).count("Half") == 2)
    shown.until(lambda: draft(shown, number) == "")
    shown.window.page.composer.edit.setPlainText("typed anew")
    shown.window.chat.new_chat()
    shown.until(lambda: draft(shown, number) == "typed anew")
    gate.set()
    shown.until(lambda: all_ended(shown))
    assert draft(shown, number) == "typed anew"


def test_only_the_draft_that_was_sent_is_dropped(theatre: Theatre) -> None:
    shown = theatre.window(theatre.server(says("Answer.")))
    shown.ask("First")
    with shown.app.database() as db:
        set_draft(db, 1, "taken back since")
        drop_draft(db, 1, "First")
        assert draft(shown, 1) == "taken back since"
        drop_draft(db, 1, "taken back since")
    assert draft(shown, 1) == ""

"""The store of the shown chat: work goes to its lane, and what is read for the chat before is dropped."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from llamachat.core.errors import UserFacingError
from llamachat.storage.conversations import get_state, set_state
from llamachat.storage.database import Database
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.tasks import Lane


def fail(error: UserFacingError) -> None:
    """Nothing fails here."""
    raise AssertionError(error)


@pytest.fixture
def store(owner: QObject, tmp_path: Path) -> Iterator[ShownStore]:
    """A history and a temporary chat, each with a word of its own."""
    lanes = [
        Lane(
            "store", opened=lambda: Database.open(tmp_path / "a.db"), closed=Database.close, failed=fail, parent=owner
        ),
        Lane("temporary chat", opened=Database.in_memory, closed=Database.close, failed=fail, parent=owner),
    ]
    store = ShownStore(lanes[0])
    store.temporary = lanes[1]
    for lane, word in zip(lanes, ("history", "temporary"), strict=True):
        lane.write(lambda db, word=word: set_state(db, "word", word))  # type: ignore[misc]  # its own word
    yield store
    for lane in lanes:
        lane.close()


def word(qtbot: QtBot, store: ShownStore) -> str | None:
    """What the lane that is turned to says."""
    heard: list[str | None] = []
    store.read(lambda db: get_state(db, "word"), heard.append)
    qtbot.waitUntil(lambda: bool(heard))
    return heard[0]


def test_work_goes_to_the_lane_of_the_chat(qtbot: QtBot, store: ShownStore) -> None:
    assert word(qtbot, store) == "history"
    store.turn_to(-1)
    assert word(qtbot, store) == "temporary"
    store.write(lambda db: set_state(db, "word", "changed"))
    store.turn_to(7)
    assert word(qtbot, store) == "history"
    store.turn_to(-1)
    assert word(qtbot, store) == "changed"
    store.turn_to(None)
    assert word(qtbot, store) == "history"
    assert store.of(-1) is store.temporary
    assert store.of(7) is store.of(None) is store.history


def test_without_a_temporary_chat_one_that_is_gone_finds_nothing_in_the_history(store: ShownStore) -> None:
    store.temporary = None
    assert store.of(-1) is store.history


def test_what_is_being_read_by_a_key_for_the_chat_before_is_dropped(qtbot: QtBot, store: ShownStore) -> None:
    go_on = threading.Event()
    heard: list[str] = []

    def slowly(_: Database) -> str:
        go_on.wait(20)
        return "late"

    store.read(slowly, heard.append, key="open")
    store.read(slowly, heard.append)  # of no key: whoever asked looks for himself
    store.turn_to(-1)
    store.read(lambda _: "new", heard.append, key="open")
    qtbot.waitUntil(lambda: heard == ["new"])
    go_on.set()
    qtbot.waitUntil(lambda: heard == ["new", "late"])
    store.turn_to(None)
    assert word(qtbot, store) == "history"
    assert heard == ["new", "late"]

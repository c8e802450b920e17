"""Reading the list of chats where the store fails now and then, or others add many; words for what is not listed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from llamachat.core.clock import SystemClock
from llamachat.core.conversation import ListOrder
from llamachat.core.errors import StorageError, UserFacingError
from llamachat.storage.conversations import create_conversation, set_archived, set_state
from llamachat.storage.database import Database
from llamachat.ui.list_control import ORDER, PAGE
from llamachat.ui.search_pane import RETRY_MS
from llamachat.ui.sidebar import Sidebar
from llamachat.ui.tasks import Lane


class Store:
    """A store of chats that opens only while it is `free`."""

    def __init__(self, path: Path) -> None:
        self.path, self.free, self.opened = path, True, 0
        with Database.open(path):
            pass

    def add(self, count: int) -> None:
        """Another program adds chats."""
        with Database.open(self.path) as db, db.transaction():
            for number in range(count):
                create_conversation(db, title=f"Chat {number}")

    def open(self) -> Database:
        self.opened += 1
        if not self.free:
            raise StorageError("Another program holds it.", "Try again in a moment.")
        return Database.open(self.path)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "chats.db")


@pytest.fixture
def told() -> list[UserFacingError]:
    """What the lane tells where nobody else does."""
    return []


@pytest.fixture
def lane(owner: QObject, store: Store, told: list[UserFacingError]) -> Iterator[Lane[Database]]:
    """The lane of the store."""
    lane = Lane("store", opened=store.open, closed=Database.close, failed=told.append, parent=owner)
    yield lane
    assert lane.close()


@pytest.fixture
def side(qtbot: QtBot, lane: Lane[Database], told: list[UserFacingError]) -> Sidebar:
    """The left side, which has read nothing yet."""
    side = Sidebar(lane, SystemClock())
    side.failed.connect(told.append)
    qtbot.addWidget(side)
    return side


def count(side: Sidebar) -> int:
    """How many chats are listed."""
    return side.chats.rows.count_chats(0, side.chats.rows.rowCount() - 1) if side.chats.rows.rowCount() else 0


def read_to_the_end(qtbot: QtBot, side: Sidebar, wanted: int) -> None:
    """Ask for more, as scrolling does, until so many are listed."""

    def more() -> None:
        side.chats.rows.fetchMore(side.chats.rows.index(-1))
        assert count(side) == wanted

    qtbot.waitUntil(more)


def test_a_list_that_could_not_be_read_at_the_start_is_read_to_its_end_later(
    qtbot: QtBot, side: Sidebar, store: Store, told: list[UserFacingError]
) -> None:
    store.add(2 * PAGE + 50)
    with Database.open(store.path) as db:
        set_state(db, ORDER, ListOrder.CREATED.value)
    store.free = False
    side.load()
    qtbot.waitUntil(lambda: len(told) > 0)
    store.free = True
    side.reload()
    read_to_the_end(qtbot, side, 2 * PAGE + 50)
    assert side.control.listing.order is ListOrder.CREATED


def test_a_page_that_could_not_be_read_can_be_asked_for_again(
    qtbot: QtBot, side: Sidebar, store: Store, lane: Lane[Database]
) -> None:
    store.add(PAGE + 50)
    side.load()
    qtbot.waitUntil(lambda: count(side) == PAGE)
    lane.write(lambda db: db.connection.execute("ALTER TABLE tags RENAME TO gone"))
    with qtbot.waitSignal(side.failed):
        side.chats.rows.fetchMore(side.chats.rows.index(-1))
    lane.write(lambda db: db.connection.execute("ALTER TABLE gone RENAME TO tags"))
    read_to_the_end(qtbot, side, PAGE + 50)


def test_of_many_that_another_program_adds_all_can_be_read(qtbot: QtBot, side: Sidebar, store: Store) -> None:
    store.add(3)
    side.load()
    qtbot.waitUntil(lambda: count(side) == 3)
    store.add(2 * PAGE)
    side.reload()
    read_to_the_end(qtbot, side, 2 * PAGE + 3)


def test_a_chat_that_the_list_does_not_show_is_called_one_chat(qtbot: QtBot, side: Sidebar, store: Store) -> None:
    store.add(2)
    with Database.open(store.path) as db:
        set_archived(db, 1, archived=True)
    side.load()
    qtbot.waitUntil(lambda: count(side) == 1)
    with qtbot.waitSignal(side.control.acted):
        side.delete(1)
    assert "Deleted: 1 chat" in [label.text() for label in side.undo.findChildren(type(side.pane.which))]


def test_a_search_of_a_store_that_cannot_be_opened_does_not_try_it_all_the_time(
    qtbot: QtBot, side: Sidebar, store: Store
) -> None:
    store.free = False
    side.field.setText("bees")
    side.field.returnPressed.emit()
    qtbot.waitUntil(lambda: "Another program holds it." in side.search.nothing.text())
    qtbot.wait(5 * RETRY_MS)
    assert store.opened == 1

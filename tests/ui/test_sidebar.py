"""The left side over a real store: list, search with marked hits, keys between field and results, undo."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.clock import SystemClock
from llamachat.core.conversation import SearchHit
from llamachat.core.errors import UserFacingError
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation, get_conversation
from llamachat.storage.database import Database
from llamachat.storage.index_queue import SLICE_ROWS
from llamachat.storage.messages import add_message
from llamachat.ui.history_search import HitDelegate
from llamachat.ui.hit_model import HitKind, pieces_of
from llamachat.ui.list_control import PAGE
from llamachat.ui.sidebar import Sidebar
from llamachat.ui.tasks import Lane


def fail(error: UserFacingError) -> None:
    """No test here expects an error."""
    raise AssertionError(error)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with three chats."""
    path = tmp_path / "chats.db"
    with Database.open(path) as db:
        for title, text in (
            ("Tides", "The moon pulls the water."),
            ("Bread", "Water and flour."),
            ("Third", "Other."),
        ):
            chat = create_conversation(db, title=title)
            add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=text)
    return path


@pytest.fixture
def lane(qtbot: QtBot, owner: QObject, path: Path) -> Iterator[Lane[Database]]:
    """The lane of the store."""
    lane = Lane("store", opened=lambda: Database.open(path), closed=Database.close, failed=fail, parent=owner)
    yield lane
    assert lane.close()


@pytest.fixture
def side(qtbot: QtBot, lane: Lane[Database]) -> Sidebar:
    """The left side, with its list read."""
    side = Sidebar(lane, SystemClock())
    qtbot.addWidget(side)
    side.resize(260, 500)
    side.show()
    with qtbot.waitSignal(side.listed) as listed:
        side.load()
    assert listed.args == [3]
    return side


def press(widget: QWidget, key: Qt.Key) -> None:
    """A key that reaches the widget."""
    QApplication.sendEvent(widget, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))


def titles(side: Sidebar) -> list[str]:
    """The chats in the list."""
    rows = side.chats.rows
    return [rows.row(rows.index(n)).text for n in range(rows.rowCount()) if rows.row(rows.index(n)).conversation]


def search(qtbot: QtBot, side: Sidebar, text: str, *, hits: int) -> None:
    """Type into the field and wait for as many hits."""
    side.field.setText(text)
    qtbot.waitUntil(lambda: len(messages(side)) == hits)


def messages(side: Sidebar) -> list[SearchHit]:
    """The messages that were found, in the order of the rows."""
    return [row.hit for row in side.hits.rows.rows if row.kind is HitKind.MESSAGE]


def test_the_list_shows_the_newest_first(side: Sidebar) -> None:
    assert titles(side) == ["Third", "Bread", "Tides"]


def test_typing_searches_the_history(qtbot: QtBot, side: Sidebar) -> None:
    search(qtbot, side, "water", hits=2)
    qtbot.waitUntil(side.hits.isVisible)
    spoken = [side.hits.rows.data(side.hits.rows.index(row), Qt.ItemDataRole.AccessibleTextRole) for row in range(4)]
    today = f"{datetime.now():%Y-%m-%d}"
    assert spoken == [
        "Bread",
        f"You · {today}: Water and flour.",
        "Tides",
        f"You · {today}: The moon pulls the water.",
    ]
    side.hits.grab()  # drawn, with the marks


def test_enter_opens_the_best_hit_even_before_it_is_shown(qtbot: QtBot, side: Sidebar) -> None:
    with qtbot.waitSignal(side.hit_chosen) as chosen:
        side.field.setText("moon")
        side.field.returnPressed.emit()
    hit = chosen.args[0] if chosen.args else None
    assert isinstance(hit, SearchHit)
    assert hit.title == "Tides"
    assert hit.message_id is not None


def test_down_goes_into_the_results_and_up_comes_back(qtbot: QtBot, side: Sidebar) -> None:
    side.activateWindow()
    search(qtbot, side, "water", hits=2)
    qtbot.waitUntil(side.hits.isVisible)
    press(side.field, Qt.Key.Key_Down)
    assert side.hits.hasFocus()
    press(side.hits, Qt.Key.Key_Down)
    with qtbot.waitSignal(side.hit_chosen) as chosen:
        press(side.hits, Qt.Key.Key_Return)
    assert chosen.args == [messages(side)[0]]
    press(side.hits, Qt.Key.Key_Up)
    press(side.hits, Qt.Key.Key_Up)
    assert side.field.hasFocus()


def test_nothing_found_is_said_and_an_empty_field_brings_the_list_back(qtbot: QtBot, side: Sidebar) -> None:
    side.field.setText("zzzz")
    qtbot.waitUntil(lambda: not side.chats.isVisible())
    assert not side.hits.isVisible()
    side.end_search()
    qtbot.waitUntil(side.chats.isVisible)


def test_a_search_that_is_left_does_not_come_back(qtbot: QtBot, side: Sidebar) -> None:
    side.field.setText("water")
    side.field.returnPressed.emit()
    side.end_search()
    qtbot.wait(150)
    assert side.chats.isVisible()


def test_deleting_is_undone(qtbot: QtBot, side: Sidebar, path: Path) -> None:
    bread = next(row for row in range(4) if side.chats.rows.row(side.chats.rows.index(row)).text == "Bread")
    chat = side.chats.rows.row(side.chats.rows.index(bread)).conversation
    assert chat is not None
    with qtbot.waitSignal(side.deleted):
        side.delete(chat.id)
    assert titles(side) == ["Third", "Tides"]
    with Database.open(path) as db:
        qtbot.waitUntil(lambda: get_conversation(db, chat.id) is None)
        QTest.mouseClick(side.undo.button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: titles(side) == ["Third", "Bread", "Tides"])
        assert get_conversation(db, chat.id) is not None
    assert not side.undo.isVisible()


def test_what_is_deleted_is_found_no_more_and_after_undo_again(qtbot: QtBot, side: Sidebar) -> None:
    search(qtbot, side, "water", hits=2)
    chat = messages(side)[0].conversation_id
    side.delete(chat)
    qtbot.waitUntil(lambda: len(messages(side)) == 1)
    QTest.mouseClick(side.undo.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(messages(side)) == 2)


def test_a_screen_reader_is_told_how_much_was_found(qtbot: QtBot, side: Sidebar) -> None:
    told: list[str] = []
    side.search.announce = lambda _, text: told.append(text)
    search(qtbot, side, "water", hits=2)
    side.field.setText("zzz role:usr")
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told == [
        "2 results",
        f"“role:usr” is searched as words. Behind role: stands user or assistant. {side.search.nothing.text()}",
    ]


def test_what_cannot_be_stored_is_as_it_was(qtbot: QtBot, side: Sidebar, lane: Lane[Database]) -> None:
    lane.write(lambda db: db.connection.execute("PRAGMA query_only = 1"))  # as on a disk that is full
    chat = side.chats.rows.row(side.chats.rows.index(1)).conversation
    assert chat is not None
    renamed: list[str] = []
    side.renamed.connect(lambda _, title: renamed.append(title))
    with qtbot.waitSignal(side.failed):
        side.rename(chat.id, "Other words")
    assert renamed == ["Other words", "Third"]
    with qtbot.waitSignal(side.failed):
        side.delete(chat.id)
        assert titles(side) == ["Bread", "Tides"]
    assert titles(side) == ["Third", "Bread", "Tides"]
    assert not side.undo.isVisible()


def test_older_chats_are_read_when_the_end_is_in_view(qtbot: QtBot, lane: Lane[Database], path: Path) -> None:
    with Database.open(path) as db:
        for number in range(PAGE + 20):
            create_conversation(db, title=f"Chat {number}")
    side = Sidebar(lane, SystemClock())
    qtbot.addWidget(side)
    with qtbot.waitSignal(side.listed):
        side.load()
    assert len(titles(side)) == PAGE
    side.show()
    side.chats.scrollToBottom()
    qtbot.waitUntil(lambda: len(titles(side)) == PAGE + 23)


def test_marks_count_in_the_units_of_qt() -> None:
    hit = SearchHit(1, 2, "t", ("\U0001f600 a ", "moon", " b\nc ", "moon", ""), 0.0)
    formats = HitDelegate()._formats(pieces_of(hit), QApplication.palette())
    assert [(mark.start, mark.length) for mark in formats] == [(5, 4), (14, 4)]


def search_unindexed(qtbot: QtBot, side: Sidebar, path: Path, *, slices: int = 2) -> None:
    """Search for what is in the store and not yet in its index."""
    with Database.open(path) as db, db.transaction():
        chat = create_conversation(db, title="Many")
        for number in range(slices * SLICE_ROWS + 100):
            add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=f"stone {number}")
    side.field.setText("stone")
    qtbot.waitUntil(lambda: "being rebuilt" in side.search.nothing.text())


def test_a_search_while_the_index_is_rebuilt_says_so_and_finds_in_the_end(
    qtbot: QtBot, side: Sidebar, path: Path
) -> None:
    search_unindexed(qtbot, side, path, slices=1)
    qtbot.waitUntil(lambda: bool(side.hits.rows.rows), timeout=20_000)
    assert side.hits.isVisible()


@pytest.mark.slow
def test_enter_while_the_index_is_rebuilt_opens_the_best_hit_afterwards(
    qtbot: QtBot, side: Sidebar, path: Path
) -> None:
    search_unindexed(qtbot, side, path)
    with qtbot.waitSignal(side.hit_chosen, timeout=20_000) as chosen:
        side.field.returnPressed.emit()
        assert "being rebuilt" in side.search.nothing.text()
    assert chosen.args == [side.hits.rows.rows[1].hit]


@pytest.mark.slow
@pytest.mark.parametrize("to_the_list", [True, False])
def test_enter_counts_no_more_when_the_search_was_changed_or_left(
    qtbot: QtBot, side: Sidebar, path: Path, to_the_list: bool
) -> None:
    side.activateWindow()
    side.start_search()
    search_unindexed(qtbot, side, path)
    side.field.returnPressed.emit()
    if to_the_list:
        side.new_button.setFocus()
    else:
        side.field.setText("stone 1")
    with qtbot.assertNotEmitted(side.hit_chosen):
        qtbot.waitUntil(lambda: bool(side.hits.rows.rows), timeout=20_000)


def test_more_hits_of_what_was_typed_before_keep_nothing_from_being_searched_for(
    qtbot: QtBot, side: Sidebar, lane: Lane[Database]
) -> None:
    search(qtbot, side, "water", hits=2)
    held = threading.Event()
    lane.write(lambda _: held.wait(10))
    side.field.setText("moon")
    side.search.again()
    qtbot.wait(10)
    side.hits.rows.more_wanted.emit()  # the end of the list comes into sight while that is being searched for
    held.set()
    qtbot.waitUntil(lambda: [hit.title for hit in messages(side)] == ["Tides"])

"""Tags in the window, over a real store: the dialog of chats, and the window that renames, joins and deletes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QMenu
from pytestqt.qtbot import QtBot

from llamachat.core.clock import SystemClock
from llamachat.core.conversation import ListOrder
from llamachat.core.errors import UserFacingError
from llamachat.storage.conversations import create_conversation, get_conversation
from llamachat.storage.database import Database
from llamachat.storage.tags import list_tags, tag_chats
from llamachat.ui.chat_acts import ChatAct
from llamachat.ui.conversation_model import Listing
from llamachat.ui.list_menu import fill_list_menu
from llamachat.ui.sidebar import Sidebar
from llamachat.ui.tag_dialog import TagDialog
from llamachat.ui.tag_manager import TagManager
from llamachat.ui.tasks import Lane


def fail(error: UserFacingError) -> None:
    """No test here expects an error."""
    raise AssertionError(error)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with chats 1 to 3; the first two have tags."""
    path = tmp_path / "chats.db"
    with Database.open(path) as db:
        for title in ("Bees", "Bread", "Tides"):
            create_conversation(db, title=title)
        tag_chats(db, [1, 2], "Food")
        tag_chats(db, [1], "Garden")
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
    side.show()
    with qtbot.waitSignal(side.listed):
        side.load()
    return side


def open_dialog(qtbot: QtBot, side: Sidebar, *ids: int) -> TagDialog:
    """The dialog for chats."""
    side.act(ChatAct.TAG, ids)
    qtbot.waitUntil(lambda: side.tags.dialog is not None)
    assert side.tags.dialog is not None
    return side.tags.dialog


def states(dialog: TagDialog) -> dict[str, Qt.CheckState]:
    """The tags that are offered, and how they are ticked."""
    items = [dialog.list.item(row) for row in range(dialog.list.count())]
    return {item.text(): item.checkState() for item in items if not item.isHidden()}


def test_what_some_chats_have_stays_with_those_unless_it_is_ticked(qtbot: QtBot, side: Sidebar, path: Path) -> None:
    dialog = open_dialog(qtbot, side, 1, 2)
    checked, partly = Qt.CheckState.Checked, Qt.CheckState.PartiallyChecked
    assert states(dialog) == {"Food": checked, "Garden": partly}
    dialog.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    QTest.keyClicks(dialog.field, "#New one")
    dialog.accept()
    with Database.open(path) as db:
        qtbot.waitUntil(lambda: [tag.name for tag in list_tags(db) if tag.chats] == ["Garden", "New one"])
        found = [get_conversation(db, number) for number in (1, 2)]
    assert [chat.tags for chat in found if chat] == [("Garden", "New one"), ("New one",)]
    qtbot.waitUntil(lambda: (chat := side.chats.rows.conversation(2)) is not None and chat.tags == ("New one",))


def test_typing_finds_tags_and_the_keyboard_ticks_them(qtbot: QtBot, side: Sidebar) -> None:
    dialog = open_dialog(qtbot, side, 3)
    QTest.keyClicks(dialog.field, "gard")
    assert list(states(dialog)) == ["Garden"]
    QTest.keyClick(dialog.field, Qt.Key.Key_Down)
    QTest.keyClick(dialog.list, Qt.Key.Key_Space)
    dialog.field.clear()
    assert dialog.changes() == (["Garden"], [])
    dialog.reject()
    assert side.tags.dialog is None


def test_a_dialog_that_is_left_changes_nothing(qtbot: QtBot, side: Sidebar, path: Path) -> None:
    dialog = open_dialog(qtbot, side, 3)
    QTest.keyClicks(dialog.field, "x")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    with qtbot.waitSignal(dialog.finished) as finished:
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert finished.args == [QDialog.DialogCode.Rejected.value]
    with Database.open(path) as db:
        assert [tag.name for tag in list_tags(db)] == ["Food", "Garden"]


def manage(qtbot: QtBot, side: Sidebar) -> TagManager:
    """The window of all tags, with its rows."""
    side.tags.manage()
    manager = side.tags.manager
    assert manager is not None
    qtbot.waitUntil(lambda: manager.tree.topLevelItemCount() == 2)
    return manager


def named(manager: TagManager) -> list[tuple[str, str]]:
    """Its rows."""
    items = [manager.tree.topLevelItem(row) for row in range(manager.tree.topLevelItemCount())]
    return [(item.text(0), item.text(1)) for item in items if item]


def test_a_name_that_is_taken_joins_and_undo_takes_apart(qtbot: QtBot, side: Sidebar) -> None:
    manager = manage(qtbot, side)
    item = manager.tree.topLevelItem(1)
    assert item is not None
    item.setText(0, "food")
    qtbot.waitUntil(lambda: named(manager) == [("Food", "2")])
    qtbot.waitUntil(lambda: (chat := side.chats.rows.conversation(1)) is not None and chat.tags == ("Food",))
    QTest.mouseClick(manager.undo.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: named(manager) == [("Food", "2"), ("Garden", "1")])
    manager.reject()


def test_a_renamed_tag_is_followed_and_a_deleted_one_is_left(qtbot: QtBot, side: Sidebar) -> None:
    manager = manage(qtbot, side)
    side.control.show_listing(Listing(tag="Food"))
    qtbot.waitUntil(lambda: side.chats.rows.rowCount() == 3)
    item = manager.tree.topLevelItem(0)
    assert item is not None
    item.setText(0, "Meals")
    qtbot.waitUntil(lambda: side.pane.which.text() == "Tag: Meals")
    qtbot.waitUntil(lambda: side.chats.rows.rowCount() == 3)
    manager.tree.setCurrentIndex(manager.tree.model().index(1, 0))
    QTest.keyClick(manager.tree, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: named(manager) == [("Garden", "1")])
    qtbot.waitUntil(lambda: side.chats.rows.rowCount() == 4)
    assert not side.pane.which.isVisible()
    QTest.mouseClick(manager.undo.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: named(manager) == [("Garden", "1"), ("Meals", "2")])
    manager.reject()


def test_an_empty_name_is_as_it_was(qtbot: QtBot, side: Sidebar) -> None:
    manager = manage(qtbot, side)
    item = manager.tree.topLevelItem(0)
    assert item is not None
    with qtbot.assertNotEmitted(manager.rename_requested):
        item.setText(0, " # ")
    assert named(manager)[0] == ("Food", "2")
    manager.reject()


def test_the_menu_of_the_list_offers_lists_tags_and_orders(qtbot: QtBot, side: Sidebar, path: Path) -> None:
    chosen: list[Listing] = []
    menu = QMenu(side)
    with Database.open(path) as db:
        tags = list_tags(db)
    fill_list_menu(menu, Listing(tag="FOOD"), tags, choose=chosen.append, manage=lambda: None)
    offered = {action.text(): action for action in menu.actions() if action.text()}
    assert [text for text, action in offered.items() if action.isChecked()] == ["Food (2)", "Newest message first"]
    for text in ("Archived chats", "Garden (1)", "By title"):
        offered[text].trigger()
    assert chosen == [Listing(archived=True), Listing(tag="Garden"), Listing(ListOrder.TITLE, tag="FOOD")]


def test_the_order_is_that_of_the_last_time(qtbot: QtBot, side: Sidebar, lane: Lane[Database]) -> None:
    side.control.show_listing(Listing(ListOrder.TITLE, archived=True))
    again = Sidebar(lane, SystemClock())
    qtbot.addWidget(again)
    again.load()
    qtbot.waitUntil(lambda: again.control.listing == Listing(ListOrder.TITLE))
    qtbot.waitUntil(lambda: again.chats.rows.rowCount() == 4)
    assert again.chats.rows.row(again.chats.rows.index(0)).text == "By title"


def test_chats_are_pinned_and_unpinned(qtbot: QtBot, side: Sidebar) -> None:
    rows = side.chats.rows
    side.act(ChatAct.PIN, (1, 2))
    qtbot.waitUntil(lambda: rows.rowCount() == 5)
    texts = [rows.row(rows.index(number)).text for number in range(5)]
    assert texts == ["Pinned", "Bread", "Bees", "Today", "Tides"]
    side.act(ChatAct.UNPIN, (1, 2))
    qtbot.waitUntil(lambda: rows.rowCount() == 4)


def test_what_was_archived_comes_back_to_its_place(qtbot: QtBot, side: Sidebar) -> None:
    rows = side.chats.rows
    side.act(ChatAct.PIN, (1,))
    qtbot.waitUntil(lambda: rows.rowCount() == 5)
    side.act(ChatAct.ARCHIVE, (1, 2))
    assert rows.rowCount() == 2
    QTest.mouseClick(side.undo.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: rows.rowCount() == 5)
    assert [rows.row(rows.index(number)).text for number in range(5)] == ["Pinned", "Bees", "Today", "Tides", "Bread"]


def test_an_empty_archive_says_so(qtbot: QtBot, side: Sidebar) -> None:
    side.control.show_listing(Listing(archived=True))
    qtbot.waitUntil(side.pane.empty.isVisible)
    assert (side.pane.which.text(), side.pane.empty.text()) == ("Archived chats", "No chats here.")
    QTest.mouseClick(side.pane.all_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: side.chats.rows.rowCount() == 4)
    assert not side.pane.empty.isVisible()

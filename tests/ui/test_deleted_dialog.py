"""The window of what was deleted: which keys do what, and what it says."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Role
from llamachat.storage.deletions import Deleted, Kind
from llamachat.ui.deleted_dialog import DeletedDialog

NOON = 1_800_000_000.0
CHAT = Deleted(7, 7, NOON, Kind.CHAT, 1, title="Bees", text="", role=None, count=4)
QUESTION = Deleted(6, 6, NOON, Kind.MESSAGES, 2, title="", text="What\n is a bee?", role=Role.USER, count=3)
ANSWER = Deleted(5, 5, NOON, Kind.MESSAGES, 2, title="Tides", text="<b>Noon</b>", role=Role.ASSISTANT, count=1)
TAG = Deleted(4, 4, NOON, Kind.TAG, None, title="", text="Work", role=None, count=2)
ROWS = [CHAT, QUESTION, ANSWER, TAG]


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """What the dialog belongs to."""
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def dialog(qtbot: QtBot, window: QWidget) -> DeletedDialog:
    """A window with four rows, in front."""
    dialog = DeletedDialog(window, keep_days=0)
    with qtbot.waitActive(dialog):
        dialog.show()
        dialog.activateWindow()
    dialog.show_page(list(ROWS), has_more=False)
    return dialog


def asked(dialog: DeletedDialog) -> list[tuple[str, list[int]]]:
    found: list[tuple[str, list[int]]] = []
    dialog.restore_requested.connect(lambda rows: found.append(("restore", [row.id for row in rows])))
    dialog.purge_requested.connect(lambda rows: found.append(("purge", [row.id for row in rows])))
    dialog.empty_requested.connect(lambda: found.append(("empty", [])))
    return found


def test_each_row_says_what_it_is(dialog: DeletedDialog) -> None:
    model = dialog.model
    cells = [[str(model.data(model.index(row, column))) for column in range(3)] for row in range(4)]
    assert cells == [
        ["Chat, 4 messages", "Bees", ""],
        ["Question and 2 more", "What is a bee?", "New chat"],
        ["Answer", "<b>Noon</b>", "Tides"],
        ["Tag of 2 chats", "Work", ""],
    ]
    tip = str(model.data(model.index(2, 1), Qt.ItemDataRole.ToolTipRole))
    assert "<b>Noon" not in tip


def test_enter_restores_and_del_asks_before_it_deletes_for_good(dialog: DeletedDialog) -> None:
    found = asked(dialog)
    QTest.keyClick(dialog.table, Qt.Key.Key_Return)
    assert found == [("restore", [7])]
    QTest.keyClick(dialog.table, Qt.Key.Key_Down)
    QTest.keyClick(dialog.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(dialog.table, Qt.Key.Key_Delete)
    (box,) = dialog.findChildren(QMessageBox)
    assert box.text() == "Delete these 2 for good?"
    assert len(found) == 1
    (sure,) = [button for button in box.buttons() if button.text() == "Delete for good"]
    sure.click()
    assert found[1:] == [("purge", [6, 5])]


def test_keys_mean_the_button_that_they_are_on(qtbot: QtBot, dialog: DeletedDialog) -> None:
    found = asked(dialog)
    dialog.leave.setFocus()
    QTest.keyClick(dialog.leave, Qt.Key.Key_Delete)
    assert not dialog.findChildren(QMessageBox)
    with qtbot.waitSignal(dialog.finished):
        QTest.keyClick(dialog.leave, Qt.Key.Key_Space)
    assert found == []


def test_while_it_is_busy_nothing_else_is_done(dialog: DeletedDialog) -> None:
    found = asked(dialog)
    dialog.set_busy(busy=True)
    QTest.keyClick(dialog.table, Qt.Key.Key_Return)
    QTest.keyClick(dialog.table, Qt.Key.Key_Delete)
    assert not any(button.isEnabled() for button in (dialog.restore, dialog.purge, dialog.empty))
    assert (found, dialog.findChildren(QMessageBox)) == ([], [])


def test_what_is_left_is_selected_at_the_same_place(dialog: DeletedDialog) -> None:
    dialog.table.selectRow(1)
    dialog.keep({7, 5, 4})
    assert [row.id for row in dialog.chosen()] == [5]
    dialog.keep({7})
    assert [row.id for row in dialog.chosen()] == [7]
    dialog.keep(set())
    assert not dialog.restore.isEnabled()
    assert not dialog.empty.isEnabled()


@pytest.mark.parametrize(("days", "words"), [(0, "until you delete it"), (1, "for 1 day,"), (30, "for 30 days,")])
def test_it_says_how_long_it_is_kept(window: QWidget, days: int, words: str) -> None:
    assert words in DeletedDialog(window, keep_days=days).state.text()


def test_everything_has_a_name(dialog: DeletedDialog) -> None:
    for widget in (dialog.table, *dialog.findChildren(QPushButton)):
        assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)

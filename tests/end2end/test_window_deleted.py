"""What was deleted, in the real window: undone by key, also after a restart, and listed in a window of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.core.clock import SystemClock
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.deletions import count_deleted, delete_chats, list_deleted
from llamachat.storage.messages import load_branch
from llamachat.storage.tags import delete_tag, tag_chats
from llamachat.storage.versions import delete_message
from llamachat.ui.deleted_dialog import DeletedDialog
from llamachat.ui.deletion_control import PAGE
from tests.end2end.stage import NOWHERE, Stage, stage
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat

CONFIG = f'base_url = "{NOWHERE}"\n'
MANY = 500


def some_chats(*, deleted: int = 0) -> Callable[[Paths], None]:
    def fill(paths: Paths) -> None:
        with Database.open(paths.database) as db:
            chats = [add_chat(db, "First?", "One.", "Second?", "Two.", title=f"Chat {n}")[0].id for n in range(3)]
            chats += [add_chat(db, title=f"Old {number}")[0].id for number in range(deleted)]
            if deleted:
                delete_chats(db, chats[3:])

    return fill


def listed(shown: Stage) -> list[str]:
    rows = shown.window.sidebar.chats.rows
    found = [rows.row(rows.index(number)) for number in range(rows.rowCount())]
    return sorted(row.text for row in found if row.conversation)


def do(shown: Stage, name: str) -> None:
    shown.window.actions_by_id[name].trigger()


def open_deleted(shown: Stage) -> DeletedDialog:
    do(shown, "deleted")
    dialog = shown.window.shape.deletions.dialog
    assert dialog
    return dialog


def cells(dialog: DeletedDialog) -> list[list[str]]:
    model = dialog.model
    numbers = range(model.rowCount(QModelIndex()))
    return [[str(model.data(model.index(number, column))) for column in range(3)] for number in numbers]


def _has_rows(dialog: DeletedDialog, count: int) -> bool:
    return len(cells(dialog)) == count


def press(box: QMessageBox, text: str) -> None:
    (button,) = [button for button in box.buttons() if button.text() == text]
    button.click()


def test_deletions_are_undone_one_after_the_other_also_after_a_restart(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", CONFIG, before=some_chats()) as shown:
        shown.until(lambda: len(listed(shown)) == 3)
        shown.window.chat.open(1)
        shown.until(lambda: "Two." in shown.window.page.view.toPlainText())
        with shown.app.database() as db:
            number = load_branch(db, 1)[2].id
        shown.window.page.view.delete_requested.emit(number)
        shown.until(lambda: "Second?" not in shown.window.page.view.toPlainText())
        do(shown, "delete")
        shown.until(lambda: listed(shown) == ["Chat 1", "Chat 2"])
        assert shown.window.sidebar.undo.isVisible()
        do(shown, "undo-delete")
        shown.until(lambda: listed(shown) == ["Chat 0", "Chat 1", "Chat 2"])
        assert not shown.window.sidebar.undo.isVisible()
        shown.until(lambda: shown.window.chat.conversation_id == 1)
        do(shown, "delete")
        shown.until(lambda: listed(shown) == ["Chat 1", "Chat 2"])
    with stage(tmp_path / "p", CONFIG) as shown:
        shown.until(lambda: listed(shown) == ["Chat 1", "Chat 2"])
        do(shown, "undo-delete")
        shown.until(lambda: listed(shown) == ["Chat 0", "Chat 1", "Chat 2"])
        shown.until(lambda: shown.window.chat.conversation_id == 1)
        assert shown.window.notices.text("toast") == "Brought back: Chat 0"
        shown.until(lambda: "One." in shown.window.page.view.toPlainText())
        assert "Second?" not in shown.window.page.view.toPlainText()
        do(shown, "undo-delete")
        shown.until(lambda: "Two." in shown.window.page.view.toPlainText())
        do(shown, "undo-delete")
        shown.until(lambda: shown.window.notices.text("toast") == "Nothing is deleted.")


def test_single_things_are_brought_back_from_the_list(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", CONFIG, before=some_chats()) as shown:
        with shown.app.database() as db:
            delete_chats(db, [2])
            delete_message(db, load_branch(db, 1)[2].id)
        dialog = open_deleted(shown)
        shown.until(lambda: len(cells(dialog)) == 2)
        assert cells(dialog) == [
            ["Question and 1 more", "Second?", "Chat 0"],
            ["Chat, 4 messages", "Chat 1", ""],
        ]
        dialog.table.selectRow(1)
        with shown.app.database() as db:
            delete_chats(db, [3])
        dialog.in_front.emit()
        shown.until(lambda: len(cells(dialog)) == 3)
        dialog.restore.click()
        shown.until(lambda: len(cells(dialog)) == 2)
        dialog.table.selectRow(1)
        dialog.restore.click()
        shown.until(lambda: listed(shown) == ["Chat 0", "Chat 1", "Chat 2"])
        shown.until(lambda: len(cells(dialog)) == 1)
        dialog.restore.click()
        shown.until(lambda: not cells(dialog))
        assert not dialog.restore.isEnabled()
        shown.until(lambda: dialog.state.text() == "Nothing is deleted.")
        with shown.app.database() as db:
            assert [message.content for message in load_branch(db, 1)] == ["First?", "One.", "Second?", "Two."]


def test_chosen_things_go_for_good_after_a_question(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", CONFIG, before=some_chats()) as shown:
        with shown.app.database() as db:
            delete_chats(db, [1])
            delete_chats(db, [2])
        dialog = open_deleted(shown)
        shown.until(lambda: len(cells(dialog)) == 2)
        dialog.purge.click()
        (box,) = dialog.findChildren(QMessageBox)
        assert box.text() == "Delete this for good?"
        press(box, "Cancel")
        shown.until(lambda: not dialog.findChildren(QMessageBox))
        dialog.purge.click()
        press(dialog.findChildren(QMessageBox)[0], "Delete for good")
        assert not dialog.restore.isEnabled()
        shown.until(lambda: [row[1] for row in cells(dialog)] == ["Chat 0"])
        shown.until(dialog.empty.isEnabled)
        assert dialog.state.text() == "Gone for good."
        dialog.empty.click()
        press(dialog.findChildren(QMessageBox)[0], "Delete all for good")
        shown.until(lambda: not cells(dialog))
        with shown.app.database() as db:
            rows = db.rows("SELECT title FROM conversations")
            assert ([row["title"] for row in rows], count_deleted(db)) == (["Chat 2"], 0)


def test_a_long_list_is_read_in_pages(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", CONFIG, before=some_chats(deleted=MANY)) as shown:
        dialog = open_deleted(shown)
        shown.until(lambda: cells(dialog))
        assert dialog.model.rowCount() == PAGE
        dialog.table.selectAll()
        dialog.restore.click()  # the next page comes in its place
        shown.until(lambda: shown.window.notices.text("toast") == f"{PAGE} chats are back.")
        shown.until(lambda: cells(dialog)[:1] == [["Chat, 0 messages", f"Old {MANY - PAGE - 1}", ""]])
        for _ in range(3):
            dialog.table.scrollToBottom()
            shown.rest(0.05)
        shown.until(lambda: dialog.model.rowCount() == MANY - PAGE)
        assert cells(dialog)[-1][1] == "Old 0"
        dialog.table.selectRow(1)
        dialog.restore.click()
        shown.until(lambda: dialog.model.rowCount() == MANY - PAGE - 1)
        assert [row.title for row in dialog.chosen()] == [f"Old {MANY - PAGE - 3}"]
        dialog.table.selectAll()
        dialog.restore.click()
        shown.until(lambda: not cells(dialog))
        with shown.app.database() as db:
            assert len(list_conversations(db)) == MANY + 3
        shown.until(lambda: f"Old {MANY - 1}" in listed(shown))
        shown.until(lambda: dialog.state.text() == "Nothing is deleted.")


def test_what_was_kept_long_enough_goes_by_itself_where_the_settings_say_so(qtbot: QtBot, tmp_path: Path) -> None:
    def fill(paths: Paths) -> None:
        some_chats()(paths)
        for chat, days in ((1, 40), (2, 20)):
            with Database.open(paths.database, clock=StillClock(SystemClock().now() - days * 86_400)) as db:
                delete_chats(db, [chat])

    with stage(tmp_path / "p", f"{CONFIG}keep_deleted_days = 30\n", before=fill) as shown:
        shown.window.shape.deletions.purge_expired()
        dialog = open_deleted(shown)
        assert "This is kept for 30 days" in dialog.state.text()
        with shown.app.database() as db:
            shown.until(lambda: count_deleted(db) == 1)
            assert db.row("SELECT 1 FROM conversations WHERE id = 1") is None
            assert db.row("SELECT 1 FROM conversations WHERE id = 2") is not None


def test_a_deleted_tag_is_back_on_its_chats(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", CONFIG, before=some_chats()) as shown:
        shown.until(lambda: len(listed(shown)) == 3)
        with shown.app.database() as db:
            tag_chats(db, [1, 2], "Work")
            delete_tag(db, "Work")
        do(shown, "undo-delete")
        shown.until(lambda: shown.window.notices.text("toast") == "The tag is back.")
        rows = shown.window.sidebar.chats.rows

        def tagged() -> list[int]:
            found = [rows.row(rows.index(number)).conversation for number in range(rows.rowCount())]
            return sorted(chat.id for chat in found if chat and chat.tags == ("Work",))

        shown.until(lambda: tagged() == [1, 2])


def test_who_has_closed_the_window_is_told_too_what_became_of_deleting_for_good(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", CONFIG, before=some_chats()) as shown:
        held = threading.Event()
        for number, spoilt in ((1, False), (2, True)):
            with shown.app.database() as db:
                delete_chats(db, [number])
                if spoilt:
                    db.write("CREATE TRIGGER no BEFORE DELETE ON messages BEGIN SELECT RAISE(ABORT, 'no'); END")
            dialog = open_deleted(shown)
            shown.until(partial(_has_rows, dialog, 1))
            held.clear()
            shown.window.lanes.copies.write(lambda _: held.wait(10))
            dialog.purge_requested.emit(dialog.chosen())
            dialog.close()
            held.set()
            key = "failure" if spoilt else "toast"
            shown.until(partial(shown.window.notices.text, key))
        assert shown.window.notices.text("toast") == "Gone for good."
        with shown.app.database() as db:
            assert len(list_deleted(db)) == 1

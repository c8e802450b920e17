"""Taking chats into the window: looked through first, chosen, imported all or nothing, and undone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from llamachat.core.messages import JsonValue
from llamachat.storage.conversations import create_conversation, list_conversations
from llamachat.ui.import_dialog import ImportDialog
from llamachat.ui.import_model import FATE, TITLE
from tests.end2end.answered_places import AnsweredPlaces
from tests.end2end.stage import NOWHERE, Stage, stage
from tests.ui.dropping import drop

IMPORTS = Path(__file__).resolve().parent.parent / "data" / "imports"


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Stage]:
    with stage(tmp_path / "profile", f'base_url = "{NOWHERE}"\n') as shown:
        yield shown


def many(folder: Path, count: int) -> Path:
    """A file of that many chats."""
    chats: list[JsonValue] = [
        {
            "id": f"c{number}",
            "title": f"Chat number {number}",
            "current_node": "a",
            "create_time": 1_700_000_000 + number,
            "mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": [f"wasp{number}"]}}}},
        }
        for number in range(count)
    ]
    path = folder / "conversations.json"
    path.write_text(json.dumps(chats), encoding="utf-8")
    return path


def looked_through(shown: Stage, path: Path) -> ImportDialog:
    """The dialog, when it has looked through the file."""
    imports = shown.window.taking_along.imports
    shown.window.taking_along.set_places(AnsweredPlaces(path))
    shown.window.actions_by_id["import"].trigger()
    dialog = imports.dialog
    assert dialog
    shown.until(lambda: not dialog.panel.running)
    return dialog


def titles(shown: Stage) -> list[str]:
    """Of the chats in the store."""
    with shown.app.database() as db:
        return [chat.title for chat in list_conversations(db)]


def press(shown: Stage, text: str) -> None:
    """Press a button of a bar."""
    next(button for button in shown.window.notices.findChildren(QPushButton) if button.text() == text).click()


def test_a_file_is_looked_through_imported_shown_and_undone(shown: Stage) -> None:
    dialog = looked_through(shown, IMPORTS / "open_webui.json")
    assert dialog.found.text().startswith("Open WebUI: 2 chats with ")
    assert "only the name is kept" in dialog.remarks.text()
    assert dialog.screen().availableGeometry().contains(dialog.frameGeometry())  # though it has grown
    assert titles(shown) == []
    dialog.take.click()
    shown.until(lambda: "2 chats were imported." in shown.told())
    assert sorted(titles(shown)) == ["Quick Chat", "Tea"]
    shown.until(lambda: shown.window.sidebar.chats.rows.rowCount() >= 2)
    press(shown, "Show")
    shown.until(lambda: shown.window.chat.conversation_id is not None)
    press(shown, "Undo")
    assert shown.window.chat.conversation_id is None
    shown.until(lambda: "The imported chats are deleted." in shown.told())
    assert titles(shown) == []
    shown.rest(0.1)
    assert not [told for told in shown.told() if "another program" in told]
    shown.window.actions_by_id["undo-delete"].trigger()
    shown.until(lambda: len(titles(shown)) == 2)


def test_only_what_is_ticked_comes_and_what_is_here_cannot_be_ticked(shown: Stage, tmp_path: Path) -> None:
    path = many(tmp_path, 30)
    dialog = looked_through(shown, path)
    dialog.none.click()
    assert not dialog.take.isEnabled()
    dialog.field.setText("number 29")
    assert dialog.model.rowCount() == 1
    tick = dialog.model.index(0, TITLE)
    assert dialog.model.setData(tick, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    dialog.field.setText("nothing of the kind")
    assert dialog.take.text() == "Import 1 chat"
    dialog.take.click()
    shown.until(lambda: "1 chat was imported." in shown.told())
    assert titles(shown) == ["Chat number 29"]
    again = looked_through(shown, path)
    again.field.setText("number 29")
    assert again.model.index(0, FATE).data() == "is here"
    assert not again.model.setData(again.model.index(0, TITLE), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert "1 chat is here already" in again.remarks.text()
    assert again.take.text() == "Import 29 chats"
    again.reject()


def test_the_keyboard_finds_ticks_and_imports(shown: Stage, tmp_path: Path) -> None:
    dialog = looked_through(shown, many(tmp_path, 3))
    keys = Qt.Key
    for key in (keys.Key_Down, keys.Key_Space):
        QTest.keyClick(dialog.table, key)
    assert [arrival.title for arrival in dialog.model.chosen] == ["Chat number 2", "Chat number 0"]
    dialog.field.setFocus()
    QTest.keyClicks(dialog.field, "number 0")
    assert dialog.model.rowCount() == 1
    QTest.keyClick(dialog.field, keys.Key_Return)
    assert (dialog.table.hasFocus(), dialog.panel.running) == (True, False)
    QTest.keyClick(dialog.table, keys.Key_Return)
    shown.until(lambda: "2 chats were imported." in shown.told())
    assert sorted(titles(shown)) == ["Chat number 0", "Chat number 2"]


def test_a_refusal_names_the_kinds_and_offers_another_file(shown: Stage, tmp_path: Path) -> None:
    (tmp_path / "picture.json").write_bytes(b"\x89PNG")
    dialog = looked_through(shown, tmp_path / "picture.json")
    assert "ChatGPT and Jan" in dialog.error.text()
    assert not dialog.take.isVisible()
    shown.window.taking_along.set_places(AnsweredPlaces(IMPORTS / "jan.json"))
    dialog.other.click()
    shown.until(dialog.take.isVisible)
    assert dialog.found.text().startswith("Jan: 1 chat with 2 messages")
    dialog.reject()


def test_an_import_that_is_stopped_leaves_nothing(shown: Stage, tmp_path: Path) -> None:
    dialog = looked_through(shown, many(tmp_path, 2000))
    dialog.take.click()
    dialog.reject()
    shown.until(lambda: shown.window.taking_along.imports.dialog is None)
    assert titles(shown) == []
    with shown.app.database() as db:
        assert [row["n"] for row in db.rows("SELECT count(*) AS n FROM messages")] == [0]


@pytest.mark.slow
def test_the_window_stays_alive_with_ten_thousand_chats(shown: Stage, tmp_path: Path) -> None:
    dialog = looked_through(shown, many(tmp_path, 10_000))
    assert dialog.model.rowCount() == 10_000
    dialog.field.setText("number 99")
    assert dialog.model.rowCount() == sum("99" in str(number) for number in range(10_000))
    dialog.reject()


def test_a_file_of_chats_is_dropped_anywhere_and_a_picture_is_not_imported(shown: Stage, tmp_path: Path) -> None:
    imports, window = shown.window.taking_along.imports, shown.window
    assert drop(window, QUrl.fromLocalFile(str(tmp_path / "picture.png"))) == (False, False)
    assert not window.page.view.viewport().acceptDrops()  # so that the window gets what is dropped there
    for target in (window, window.page.composer.edit.viewport()):
        assert drop(target, QUrl.fromLocalFile(str(IMPORTS / "jan.json"))) == (True, True)
        dialog = imports.dialog
        assert dialog
        shown.until(dialog.take.isVisible)
        dialog.reject()
    assert window.page.composer.text == ""


def test_a_file_that_is_dropped_while_another_one_is_looked_at_is_the_one_that_is_imported(shown: Stage) -> None:
    dialog = looked_through(shown, IMPORTS / "conversations.json")
    drop(shown.window, QUrl.fromLocalFile(str(IMPORTS / "jan.json")))
    shown.until(lambda: not dialog.panel.running)
    wanted = [arrival.title for arrival in dialog.model.chosen]
    dialog.take.click()
    shown.until(lambda: shown.window.taking_along.imports.dialog is None)
    assert titles(shown) == wanted == ["Ferns"]


def test_all_that_were_imported_are_listed_and_none_when_that_is_undone(shown: Stage, tmp_path: Path) -> None:
    with shown.app.database() as db:
        create_conversation(db, title="Here before")
    dialog = looked_through(shown, many(tmp_path, 450))
    dialog.take.click()
    shown.until(lambda: "450 chats were imported." in shown.told())
    rows = shown.window.sidebar.chats.rows

    def listed() -> int:
        rows.fetchMore(rows.index(-1))
        return rows.count_chats(0, rows.rowCount() - 1)

    shown.until(lambda: listed() == 451)
    press(shown, "Undo")
    shown.until(lambda: "The imported chats are deleted." in shown.told())
    shown.until(lambda: listed() == 1)

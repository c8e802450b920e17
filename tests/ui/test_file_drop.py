"""What is dropped: files of chats are taken, all else goes where it went before."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from llamachat.ui.file_drop import FileDrop
from tests.ui.dropping import drop


@pytest.fixture
def edit(qtbot: QtBot) -> QPlainTextEdit:
    edit = QPlainTextEdit()
    qtbot.addWidget(edit)
    edit.show()
    return edit


def watched(widget: QWidget) -> list[list[Path]]:
    """What is dropped on it from now on."""
    dropped: list[list[Path]] = []
    FileDrop(widget, parent=widget).dropped.connect(dropped.append)
    return dropped


def test_files_of_chats_are_told_and_no_text_is_typed(edit: QPlainTextEdit) -> None:
    dropped = watched(edit.viewport())
    names = ("/tmp/a.json", "/tmp/B.ZIP", "/tmp/with blank é.jsonl")
    assert drop(edit.viewport(), *map(QUrl.fromLocalFile, names)) == (True, True)
    assert dropped == [[Path(name) for name in names]]
    assert edit.toPlainText() == ""


@pytest.mark.parametrize("url", ["file:///tmp/a.png", "file:///tmp/a.txt", "https://chats.example/a.json"])
def test_other_files_and_addresses_are_no_import(edit: QPlainTextEdit, url: str) -> None:
    dropped = watched(edit.viewport())
    drop(edit.viewport(), QUrl(url))
    assert dropped == []


def test_a_text_is_typed_where_it_is_dropped(edit: QPlainTextEdit) -> None:
    dropped = watched(edit.viewport())
    assert drop(edit.viewport(), text="a.json is a file") == (True, True)
    assert (dropped, edit.toPlainText()) == ([], "a.json is a file")


def test_a_window_that_takes_nothing_itself_refuses_the_rest(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    dropped = watched(window)
    assert drop(window, QUrl.fromLocalFile("/tmp/a.png")) == (False, False)
    assert drop(window, QUrl.fromLocalFile("/tmp/a.json")) == (True, True)
    assert dropped == [[Path("/tmp/a.json")]]

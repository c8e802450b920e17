"""Finding in the chat that is shown: the bar does not go along into another one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.storage.database import Database
from tests.end2end.stage import NOWHERE, Stage, stage
from tests.storage.stories import add_chat


def two_chats(paths: Paths) -> None:
    """A history."""
    with Database.open(paths.database) as db:
        add_chat(db, "A tide?", "The tide.", title="One")
        add_chat(db, "No tide?", "None.", title="Two")


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    """A window that shows the first chat, with something found in it."""
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=two_chats) as shown:
        shown.window.chat.open(1)
        shown.until(lambda: shown.window.chat.conversation_id == 1)
        bar = shown.window.page.view.find_bar
        shown.window.actions_by_id["find"].trigger()
        bar.field.setText("tide")
        bar.search()
        assert bar.isVisible()
        assert bar.count.text() == "1 of 2"
        yield shown


def test_another_chat_closes_the_find_bar_and_its_marks_are_gone(shown: Stage) -> None:
    view = shown.window.page.view
    shown.window.chat.open(2)
    shown.until(lambda: shown.window.chat.conversation_id == 2)
    assert not view.find_bar.isVisible()
    assert view.extraSelections() == []
    shown.window.actions_by_id["find"].trigger()
    assert view.find_bar.field.text() == "tide"
    assert view.find_bar.count.text() == "1 of 1"
    shown.window.navigation.new_chat()
    assert not view.find_bar.isVisible()


def test_the_same_chat_read_again_does_not(shown: Stage) -> None:
    with Database.open(shown.app.paths.database) as other:
        other.write("UPDATE messages SET content = 'The tides.' WHERE id = 2")
    shown.window.elsewhere.look()
    shown.until(lambda: "The tides." in shown.window.page.view.toPlainText())
    assert shown.window.page.view.find_bar.isVisible()


def test_the_keyboard_stays_where_it_is(shown: Stage) -> None:
    shown.be_in_front()
    chats = shown.window.sidebar.chats
    chats.setFocus()
    shown.window.chat.open(2)
    shown.until(lambda: shown.window.chat.conversation_id == 2)
    assert chats.hasFocus()
    assert not shown.window.page.view.find_bar.isVisible()

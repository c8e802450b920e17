"""The header says of the chat that is shown that it is put away, and which tags it has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.storage.conversations import set_archived
from llamachat.storage.database import Database
from llamachat.storage.tags import rename_tag, tag_chats
from tests.end2end.stage import NOWHERE, Stage, stage
from tests.storage.stories import add_chat


def two_chats(paths: Paths) -> None:
    """One put away and tagged, one not."""
    with Database.open(paths.database) as db:
        first, _ = add_chat(db, "Bees?", "Insects.", title="Bees " * 30)
        add_chat(db, "Wasps?", "Insects.", title="Wasps")
        tag_chats(db, [first.id], "work")
        tag_chats(db, [first.id], "sea")
        set_archived(db, first.id, archived=True)


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=two_chats) as shown:
        shown.window.resize(1100, 700)
        yield shown


def open_chat(shown: Stage, number: int) -> None:
    shown.window.chat.open(number)
    shown.until(lambda: shown.window.chat.conversation_id == number)


def test_they_are_shown_and_follow_what_is_done(shown: Stage) -> None:
    marks = shown.window.page.header.marks
    open_chat(shown, 1)
    shown.until(marks.isVisible)
    assert marks.text() == "archived · sea · work"
    assert marks.accessibleName() == "archived; tags: sea, work"
    shown.window.actions_by_id["archive"].trigger()
    shown.until(lambda: marks.text() == "sea · work")
    shown.window.sidebar.control.tag([1], added=["bee"], removed=["sea", "work"])
    shown.until(lambda: marks.text() == "bee")
    shown.window.sidebar.tags._rename("bee", "bees")
    shown.until(lambda: marks.text() == "bees")
    with Database.open(shown.app.paths.database) as db:  # as another program does
        rename_tag(db, "bees", "hives")
    shown.window.elsewhere.changed.emit()
    shown.until(lambda: marks.text() == "hives")
    open_chat(shown, 2)
    shown.until(lambda: not marks.isVisible())
    open_chat(shown, 1)
    shown.until(marks.isVisible)
    shown.window.chat.new_chat()
    assert not marks.isVisible()


@pytest.mark.parametrize(("width", "has_room"), [(1100, True), (700, False)])
def test_the_title_and_the_model_keep_their_room(shown: Stage, width: int, has_room: bool) -> None:
    header = shown.window.page.header
    shown.window.resize(width, 600)
    open_chat(shown, 1)
    shown.until(lambda: header.marks.text() != "")
    shown.rest(0.1)
    assert shown.window.width() == width
    assert header.marks.isVisible() is has_room
    assert header.marks.width() <= header.width() / 3 or not has_room
    assert header.title.width() > header.width() / 3
    assert header.model.geometry().right() < header.width()

"""Drafts: written soon, for each chat; a store that cannot be written to is told of once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from llamachat.core.errors import UserFacingError
from llamachat.storage.conversations import NEW_CHAT_DRAFT, create_conversation, get_conversation, get_state
from llamachat.storage.database import Database
from llamachat.ui.drafts import Drafts
from llamachat.ui.tasks import Lane


def fail(error: UserFacingError) -> None:
    """What goes wrong is told by the drafts."""
    raise AssertionError(error)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one chat."""
    path = tmp_path / "chats.db"
    with Database.open(path) as db:
        create_conversation(db, title="One")
    return path


@pytest.fixture
def lane(owner: QObject, path: Path) -> Iterator[Lane[Database]]:
    """The lane of the store."""
    lane = Lane("store", opened=lambda: Database.open(path), closed=Database.close, failed=fail, parent=owner)
    yield lane
    lane.close()


@pytest.fixture
def drafts(lane: Lane[Database], owner: QObject) -> Drafts:
    """Nothing is kept yet."""
    return Drafts(lane, owner)


def forbid_writing(lane: Lane[Database], forbidden: bool) -> None:
    """As on a disk that is full, until it is not."""
    lane.write(lambda db: db.connection.execute(f"PRAGMA query_only = {forbidden:d}"))


def written(qtbot: QtBot, lane: Lane[Database], drafts: Drafts, text: str) -> str:
    """Keep a draft at once; what the store has then."""
    drafts.keep(1, text)
    drafts.flush()
    stored: list[str] = []
    lane.read(lambda db: getattr(get_conversation(db, 1), "draft", ""), stored.append)
    qtbot.waitUntil(lambda: bool(stored))
    return stored[0]


def test_a_draft_is_written_soon(qtbot: QtBot, drafts: Drafts, path: Path) -> None:
    for text in ("H", "Hel", "Hello"):
        drafts.keep(1, text)
    with Database.open(path) as db:
        qtbot.waitUntil(lambda: getattr(get_conversation(db, 1), "draft", "") == "Hello")


def test_a_draft_is_written_while_typing_goes_on(qtbot: QtBot, drafts: Drafts, owner: QObject, path: Path) -> None:
    length = count(1)
    typing = QTimer(owner)
    typing.timeout.connect(lambda: drafts.keep(1, "a" * next(length)))
    typing.start(20)
    with Database.open(path) as db:
        qtbot.waitUntil(lambda: getattr(get_conversation(db, 1), "draft", "").startswith("aa"))
    assert typing.isActive()


def test_going_to_another_chat_writes_what_waits(qtbot: QtBot, drafts: Drafts, path: Path) -> None:
    drafts.keep(None, "for a new chat")
    drafts.keep(1, "for the first")
    with Database.open(path) as db:
        qtbot.waitUntil(lambda: get_state(db, NEW_CHAT_DRAFT) == "for a new chat")


def test_a_failure_is_told_once_until_it_works_again(qtbot: QtBot, lane: Lane[Database], drafts: Drafts) -> None:
    told: list[UserFacingError] = []
    drafts.failed.connect(told.append)
    forbid_writing(lane, True)
    assert [written(qtbot, lane, drafts, text) for text in ("a", "ab", "abc")] == ["", "", ""]
    assert len(told) == 1
    forbid_writing(lane, False)
    assert written(qtbot, lane, drafts, "abcd") == "abcd"
    forbid_writing(lane, True)
    assert written(qtbot, lane, drafts, "abcde") == "abcd"
    assert len(told) == 2

"""Answers that broke off with the program are kept in mind until they go on, are asked past, or nobody wants them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.messages import Role, Status
from llamachat.storage.broken_off import forget_broken_off, list_broken_off, mark_broken_off
from llamachat.storage.conversations import create_conversation, delete_conversation, set_state
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message, get_message, update_message
from llamachat.storage.versions import delete_message


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A history that a killed program has left: two answers half written, the second one in the newer chat."""
    with Database.open(tmp_path / "history.db") as database:
        for title in ("Old", "New"):
            chat = create_conversation(database, title=title)
            asked = add_message(database, conversation_id=chat.id, parent_id=None, role=Role.USER, content="One?")
            add_message(
                database,
                conversation_id=chat.id,
                parent_id=asked.id,
                role=Role.ASSISTANT,
                content="Half",
                status=Status.STREAMING,
            )
        mark_broken_off(database)
        yield database


def titles(db: Database) -> list[str]:
    return [found.title for found in list_broken_off(db)]


def test_they_are_marked_and_listed_the_newest_first(db: Database) -> None:
    assert titles(db) == ["New", "Old"]
    newest = list_broken_off(db)[0]
    found = get_message(db, newest.message_id)
    assert found is not None
    assert (found.status, found.content) == (Status.INTERRUPTED, "Half")
    assert found.conversation_id == newest.conversation_id


def test_they_stay_over_another_start(db: Database) -> None:
    mark_broken_off(db)
    assert titles(db) == ["New", "Old"]


@pytest.mark.parametrize("status", [Status.STREAMING, Status.COMPLETE, Status.STOPPED])
def test_one_that_goes_on_is_no_longer_offered(db: Database, status: Status) -> None:
    update_message(db, 4, status=status)
    assert titles(db) == ["Old"]


def test_one_that_broke_off_in_another_way_is_not_offered(db: Database) -> None:
    update_message(db, 4, finish_reason="cut_off")
    assert titles(db) == ["Old"]


def test_what_was_asked_past_or_deleted_is_not_offered(db: Database) -> None:
    add_message(db, conversation_id=2, parent_id=4, role=Role.USER, content="Two?")
    assert titles(db) == ["Old"]
    delete_message(db, 2)
    assert titles(db) == []


def test_nor_is_what_stands_in_a_deleted_chat(db: Database) -> None:
    delete_conversation(db, 2)
    assert titles(db) == ["Old"]


def test_what_nobody_wants_is_put_away_for_good(db: Database) -> None:
    forget_broken_off(db)
    mark_broken_off(db)
    assert titles(db) == []
    found = get_message(db, 4)
    assert found is not None
    assert found.content == "Half"


@pytest.mark.parametrize("kept", ["", "no JSON", "{}", '["x", 4]'])
def test_a_damaged_note_costs_no_start(db: Database, kept: str) -> None:
    set_state(db, "broken_off", kept)
    update_message(db, 4, status=Status.STREAMING)
    mark_broken_off(db)
    assert titles(db) == ["New"]

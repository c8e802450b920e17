"""Deleting for good takes a while: what comes back meanwhile stays, and what is deleted meanwhile can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.whole_chat import WholeChat
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.deletions import count_deleted, delete_chats, list_deleted
from llamachat.storage.imported import Fate, take_in
from llamachat.storage.purge import Purge, purge_deleted, purge_deletions
from llamachat.storage.tags import delete_tag, tag_chats, tag_names
from llamachat.storage.undo import undo_last
from llamachat.storage.versions import delete_message
from tests.storage.stories import acting_at, add_chat, contents
from tests.storage.test_arriving import many
from tests.storage.test_imported import chat

COPIES_DONE, ROWS_GONE = "PRAGMA secure_delete = ON", "VACUUM"


@pytest.fixture
def other(db: Database, path: Path) -> Iterator[Database]:
    """What another window or command works with."""
    with Database.open(path, clock=db.clock) as other:
        yield other


@pytest.mark.parametrize("everything", [True, False])
def test_a_chat_that_is_brought_back_meanwhile_stays(db: Database, other: Database, *, everything: bool) -> None:
    gone, _ = add_chat(db, "q", title="Gone")
    back, _ = add_chat(db, "q", "a", title="Back")
    for number in (gone.id, back.id):
        delete_chats(db, [number])
    ids = [row.id for row in list_deleted(db)]
    with acting_at(db, COPIES_DONE, lambda: undo_last(other)):
        assert (purge_deleted(db) if everything else purge_deletions(db, ids)) == Purge(1, 0, ())
    assert [one.title for one in list_conversations(db)] == ["Back"]
    assert contents(db, back.id) == ["q", "a"]
    assert count_deleted(db) == 0


@pytest.mark.parametrize("everything", [True, False])
def test_messages_that_are_brought_back_meanwhile_stay(db: Database, other: Database, *, everything: bool) -> None:
    known, (_, _, question, _) = add_chat(db, "q", "a", "q2", "a2")
    delete_message(db, question.id)
    ids = [row.id for row in list_deleted(db)]
    with acting_at(db, COPIES_DONE, lambda: undo_last(other)):
        assert (purge_deleted(db) if everything else purge_deletions(db, ids)) == Purge(0, 0, ())
    assert contents(db, known.id) == ["q", "a", "q2", "a2"]


def test_a_tag_that_is_deleted_meanwhile_can_be_brought_back(db: Database, other: Database) -> None:
    known, _ = add_chat(db, "q")
    for name in ("one", "two"):
        tag_chats(db, [known.id], name)
    delete_tag(db, "one")
    with acting_at(db, ROWS_GONE, lambda: delete_tag(other, "two")):
        purge_deleted(db)
    assert [row.text for row in list_deleted(db)] == ["two"]
    undo_last(db)
    assert tag_names(db) == ("two",)


@pytest.mark.parametrize("everything", [True, False])
def test_a_chat_that_an_import_is_bringing_back_stays(db: Database, other: Database, *, everything: bool) -> None:
    take_in(db, [chat((None, "a"))])
    delete_chats(db, [1])
    ids = [row.id for row in list_deleted(db)]

    def chats() -> Iterator[WholeChat]:
        yield chat((None, "a"), (1, "b"))
        yield from many(40)
        purge = purge_deleted(other) if everything else purge_deletions(other, ids)
        assert purge == Purge(0, 0, ())

    assert take_in(db, chats())[0].fate is Fate.RESTORED
    assert contents(db, 1) == ["a", "b"]
    assert db.rows("SELECT kind FROM arriving") == []


@pytest.mark.parametrize("everything", [True, False])
def test_messages_that_an_import_is_bringing_back_stay(db: Database, other: Database, *, everything: bool) -> None:
    take_in(db, [chat((None, "a"), (1, "b"), (2, "c"))])
    delete_message(db, 2)
    ids = [row.id for row in list_deleted(db)]

    def chats() -> Iterator[WholeChat]:
        yield chat((None, "a"), (1, "b"), (2, "c"), (2, "d"))
        yield from many(40)
        purge = purge_deleted(other) if everything else purge_deletions(other, ids)
        assert purge == Purge(0, 1, ())

    assert take_in(db, chats())[0].fate is Fate.GROWN
    assert contents(db, 1) == ["a", "b", "d"]


def test_messages_that_a_broken_off_import_needed_can_still_be_brought_back(db: Database, other: Database) -> None:
    take_in(db, [chat((None, "a"), (1, "b"))])
    delete_message(db, 2)
    ids = [row.id for row in list_deleted(db)]

    def chats() -> Iterator[WholeChat]:
        yield chat((None, "a"), (1, "b"), (2, "c"))
        yield from many(40)
        assert purge_deletions(other, ids) == Purge(0, 0, ())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take_in(db, chats())
    assert contents(db, 1) == ["a"]
    undo_last(db)
    assert contents(db, 1) == ["a", "b"]

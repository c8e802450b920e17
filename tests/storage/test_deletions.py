"""What was deleted, act by act, and how it comes back: at once, later, after a restart, in any order."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.core.messages import Role
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.deletions import Kind, count_deleted, delete_chats, list_deleted, show_chats
from llamachat.storage.forks import ForkSource, fork_chat, fork_source
from llamachat.storage.messages import add_message, load_branch, load_messages
from llamachat.storage.migrations import migrate
from llamachat.storage.rescue import rescue
from llamachat.storage.undo import Restored, restore_all, restore_deleted, undo, undo_last
from llamachat.storage.versions import delete_message, load_versions
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat, contents
from tests.storage.version_dumps import load_version


def titles(db: Database) -> set[str]:
    return {conversation.title for conversation in list_conversations(db)}


def test_what_was_deleted_is_listed_the_latest_first(db: Database, clock: StillClock) -> None:
    bees, _ = add_chat(db, "What is a bee?", "An insect.", title="Bees")
    tides, (_, _, question, _) = add_chat(db, "q", "a", "When is high tide?", "At noon.", title="Tides")
    clock.move(10)
    act = delete_chats(db, [bees.id])
    clock.move(5)
    deletion = delete_message(db, question.id)
    messages, chat = list_deleted(db)
    assert (messages.kind, messages.act, messages.conversation_id) == (Kind.MESSAGES, deletion.act, tides.id)
    assert (messages.title, messages.text, messages.role, messages.count) == (
        "Tides",
        "When is high tide?",
        Role.USER,
        2,
    )
    assert (chat.kind, chat.act, chat.conversation_id, chat.title, chat.count) == (
        Kind.CHAT,
        act,
        bees.id,
        "Bees",
        2,
    )
    assert messages.at - chat.at == 5
    assert count_deleted(db) == 2


def test_the_list_is_read_in_pages(db: Database) -> None:
    chats = [add_chat(db, title=f"{number}")[0].id for number in range(7)]
    delete_chats(db, chats)
    first = list_deleted(db, limit=3)
    second = list_deleted(db, limit=3, before_id=first[-1].id)
    third = list_deleted(db, limit=3, before_id=second[-1].id)
    assert [row.title for row in (*first, *second, *third)] == ["6", "5", "4", "3", "2", "1", "0"]


def test_several_chats_that_were_deleted_at_once_come_back_at_once(db: Database) -> None:
    one, two, three = (add_chat(db, "q", title=title)[0] for title in ("One", "Two", "Three"))
    delete_chats(db, [three.id])
    act = delete_chats(db, [two.id, one.id, three.id, 99])
    assert titles(db) == set()
    assert undo(db, act) == Restored(Kind.CHAT, (one.id, two.id))
    assert titles(db) == {"One", "Two"}
    assert undo(db, act) is None
    assert [row.title for row in list_deleted(db)] == ["Three"]


def test_one_of_several_is_brought_back_and_the_others_stay_deleted(db: Database) -> None:
    one, two = (add_chat(db, "q", title=title)[0] for title in ("One", "Two"))
    act = delete_chats(db, [one.id, two.id])
    (row,) = [row for row in list_deleted(db) if row.title == "One"]
    assert restore_deleted(db, row.id) == Restored(Kind.CHAT, (one.id,))
    assert titles(db) == {"One"}
    assert undo(db, act) == Restored(Kind.CHAT, (two.id,))


def test_undo_goes_back_act_by_act_also_after_a_restart(path: Path) -> None:
    with Database.open(path) as db:
        bees, (_, answer) = add_chat(db, "q", "a", title="Bees")
        tides, _ = add_chat(db, "q", title="Tides")
        delete_message(db, answer.id)
        delete_chats(db, [tides.id])
    with Database.open(path, check=True) as db:
        assert undo_last(db) == Restored(Kind.CHAT, (tides.id,))
        assert titles(db) == {"Bees", "Tides"}
        assert contents(db, bees.id) == ["q"]
        assert undo_last(db) == Restored(Kind.MESSAGES, (bees.id,), answer.id)
        assert contents(db, bees.id) == ["q", "a"]
        assert undo_last(db) is None


def test_deleting_what_is_not_there_is_an_error_and_no_act(db: Database) -> None:
    chat, _ = add_chat(db, "q")
    delete_chats(db, [chat.id])
    for ids in ([], [99], [chat.id]):
        with pytest.raises(StorageError, match="no longer exists"):
            delete_chats(db, ids)
    assert count_deleted(db) == 1


def test_what_came_back_by_another_way_is_no_longer_listed(db: Database) -> None:
    one, two = add_chat(db, "q", title="One")[0], add_chat(db, "q", title="Two")[0]
    delete_chats(db, [one.id])
    delete_chats(db, [two.id])
    db.write("UPDATE conversations SET deleted_at = NULL WHERE id = ?", (two.id,))  # as an import does
    assert [row.title for row in list_deleted(db)] == ["One"]
    assert undo_last(db) == Restored(Kind.CHAT, (one.id,))
    show_chats(db, [two.id])
    assert count_deleted(db) == 0


def test_messages_of_a_deleted_chat_bring_the_chat_back(db: Database) -> None:
    chat, (_, answer) = add_chat(db, "q", "a", title="Bees")
    deletion = delete_message(db, answer.id)
    delete_chats(db, [chat.id])
    assert undo(db, deletion.act) == Restored(Kind.MESSAGES, (chat.id,), answer.id)
    assert (titles(db), contents(db, chat.id)) == ({"Bees"}, ["q", "a"])
    assert count_deleted(db) == 0


def test_an_answer_comes_back_with_the_question_it_hangs_below(db: Database) -> None:
    chat, (first, _, question, answer) = add_chat(db, "q", "a", "q2", "a2")
    other = add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="b2")
    inner = delete_message(db, other.id)
    outer = delete_message(db, first.id)
    assert contents(db, chat.id) == []
    undo(db, inner.act)
    assert contents(db, chat.id) == ["q", "a", "q2", "b2"]
    assert [message.content for message in load_messages(db, chat.id)] == ["q", "a", "q2", "b2"]
    (row,) = list_deleted(db)
    assert (row.act, row.text, row.count) == (outer.act, "a2", 1)
    undo(db, outer.act)
    assert set(load_versions(db, chat.id)) == {answer.id, other.id}
    assert count_deleted(db) == 0


def test_what_hangs_below_a_deletion_of_before_stays_deleted(db: Database) -> None:
    chat, (question, answer, *_) = add_chat(db, "q", "a", "q2", "a2")
    inner = delete_message(db, answer.id)
    outer = delete_message(db, question.id)
    undo(db, outer.act)
    assert contents(db, chat.id) == ["q"]
    undo(db, inner.act)
    assert contents(db, chat.id) == ["q", "a", "q2", "a2"]


def test_a_restored_branch_is_shown_also_where_the_chat_has_gone_on(db: Database) -> None:
    chat, (_, _, question, _) = add_chat(db, "q", "a", "q2", "a2")
    deletion = delete_message(db, question.id)
    head = load_branch(db, chat.id)[-1]
    add_message(db, conversation_id=chat.id, parent_id=head.id, role=Role.USER, content="another")
    undo(db, deletion.act)
    assert contents(db, chat.id) == ["q", "a", "q2", "a2"]


def test_a_head_that_is_gone_for_good_is_replaced_by_what_came_back(db: Database) -> None:
    chat, (_, answer, question, last) = add_chat(db, "q", "a", "q2", "a2")
    delete_message(db, last.id)
    deletion = delete_message(db, question.id)
    db.write("DELETE FROM messages WHERE id = ?", (last.id,))
    db.write("UPDATE deletions SET head_id = ? WHERE act = ?", (last.id, deletion.act))
    undo(db, deletion.act)
    assert contents(db, chat.id) == ["q", "a", "q2"]
    assert answer.id in {message.id for message in load_branch(db, chat.id)}


@pytest.mark.parametrize("version", [5, 8])
def test_what_older_programs_have_deleted_can_be_brought_back(path: Path, version: int) -> None:
    load_version(version, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE messages SET deleted_at = 40 WHERE id IN (3, 4)")  # one with what followed it
        connection.execute("UPDATE messages SET deleted_at = 20 WHERE id = 2")
        connection.execute("UPDATE conversations SET head_id = 1 WHERE id = 1")
        migrate(connection)
    with Database.open(path) as db:
        rows = list_deleted(db)
        assert [(row.kind, row.text, row.title, row.count) for row in rows] == [
            (Kind.MESSAGES, "An insect.", "Bees", 2),
            (Kind.CHAT, "", "Gone", 1),
            (Kind.MESSAGES, "A fly.", "Bees", 1),
        ]
        assert len({row.act for row in rows}) == 3
        undo_last(db)
        assert contents(db, 1) == ["What is a bee? 蜜蜂", "An insect.", "Tha"]


def test_deletions_survive_that_a_damaged_file_is_replaced(path: Path) -> None:
    with Database.open(path) as db:
        bees, (question, _) = add_chat(db, "q", "a", title="Bees")
        fork = fork_chat(db, question.id)
        delete_message(db, question.id)
        delete_chats(db, [fork.id])
    rescue(path, now=0)
    with Database.open(path) as db:
        assert undo_last(db) == Restored(Kind.CHAT, (fork.id,))
        undo_last(db)
        assert contents(db, bees.id) == ["q", "a"]
        assert fork_source(db, fork.id) == ForkSource(bees.id, question.id, "Bees")


def test_deletions_of_what_is_lost_are_lost_too(path: Path) -> None:
    with Database.open(path) as db:
        bees, (question, _) = add_chat(db, "q", "a", title="Bees")
        fork = fork_chat(db, question.id)
        delete_message(db, question.id)
        delete_chats(db, [bees.id])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM messages WHERE conversation_id = ?", (bees.id,))
        connection.execute("DELETE FROM conversations WHERE id = ?", (bees.id,))
    rescue(path, now=0)
    with Database.open(path) as db:
        assert db.rows("PRAGMA foreign_key_check") == []
        assert (count_deleted(db), fork_source(db, fork.id)) == (0, None)
        assert undo_last(db) is None


def test_of_several_that_are_restored_all_come_back_or_none(db: Database) -> None:
    for number in (1, 2):
        add_chat(db, "x", "y", title=f"Chat {number}")
        delete_chats(db, [number])
    ids = [row.id for row in list_deleted(db)]
    db.write(
        "CREATE TRIGGER no BEFORE UPDATE OF deleted_at ON conversations WHEN new.id = 1 BEGIN "
        "SELECT RAISE(ABORT, 'no'); END"
    )
    with pytest.raises(StorageError):
        restore_all(db, ids)
    assert [row.id for row in list_deleted(db)] == ids
    db.write("DROP TRIGGER no")
    assert restore_all(db, ids) == [Restored(Kind.CHAT, (2,)), Restored(Kind.CHAT, (1,))]
    assert restore_all(db, ids) == [None, None]

"""Single things that were deleted go for good: chosen ones, and those that were kept long enough."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from llamachat.core.messages import Role
from llamachat.storage.daily_copy import make_copy
from llamachat.storage.database import Database
from llamachat.storage.deletions import Kind, count_deleted, delete_chats, list_deleted
from llamachat.storage.messages import add_message
from llamachat.storage.purge import Purge, purge_deleted, purge_deletions, purge_expired
from llamachat.storage.tags import delete_tag, tag_chats, tag_names
from llamachat.storage.undo import Restored, undo_last
from llamachat.storage.versions import delete_message
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat, contents

DAY_S = 86_400
RARE = "quokkaquokka"


def holding(path: Path, word: str) -> list[str]:
    """The files of the history that hold a word anywhere."""
    files = (file for file in path.parent.rglob("*") if file.is_file())
    return [file.name for file in files if word.encode() in file.read_bytes()]


def test_a_chosen_chat_goes_for_good_and_the_others_can_come_back(db: Database, path: Path) -> None:
    one, two = add_chat(db, RARE, title="One")[0], add_chat(db, "q", title="Two")[0]
    for chat in (one, two):
        delete_chats(db, [chat.id])
    (row,) = [row for row in list_deleted(db) if row.title == "One"]
    assert purge_deletions(db, [row.id]) == Purge(1, 0, ())
    assert holding(path, RARE) == []
    assert [row.title for row in list_deleted(db)] == ["Two"]
    assert undo_last(db) == Restored(Kind.CHAT, (two.id,))


def test_messages_go_for_good_with_what_was_deleted_below_them_before(db: Database, path: Path) -> None:
    chat, (_, _, question, answer) = add_chat(db, "q", "a", "q2", f"{RARE}.")
    delete_message(db, answer.id)
    other = add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="b2")
    delete_message(db, question.id)
    (outer,) = [row for row in list_deleted(db) if row.text == "q2"]
    assert outer.count == 2
    assert purge_deletions(db, [outer.id]).messages == 3
    assert (contents(db, chat.id), count_deleted(db)) == (["q", "a"], 0)
    assert db.row("SELECT 1 FROM messages WHERE id IN (?, ?)", (answer.id, other.id)) is None
    assert holding(path, RARE) == []
    assert db.rows("PRAGMA foreign_key_check") == []


def test_one_answer_goes_for_good_and_what_was_said_before_stays(db: Database) -> None:
    chat, (_, _, question, answer) = add_chat(db, "q", "a", "q2", "a2")
    delete_message(db, answer.id)
    delete_message(db, question.id)
    (inner,) = [row for row in list_deleted(db) if row.text == "a2"]
    assert purge_deletions(db, [inner.id]).messages == 1
    undo_last(db)
    assert contents(db, chat.id) == ["q", "a", "q2"]


def test_what_was_kept_long_enough_goes_for_good(db: Database, clock: StillClock) -> None:
    chats = [add_chat(db, "q", "a", title=title)[0].id for title in ("Old", "New")]
    kept, (_, answer) = add_chat(db, "q", "a")
    delete_message(db, answer.id)
    delete_chats(db, [chats[0]])
    assert purge_expired(db, keep_days=30) is None
    clock.move(29 * DAY_S)
    delete_chats(db, [chats[1]])
    clock.move(2 * DAY_S)
    assert purge_expired(db, keep_days=30) == Purge(1, 1, ())
    assert [row.title for row in list_deleted(db)] == ["New"]
    assert contents(db, kept.id) == ["q"]


@pytest.mark.parametrize("everything", [False, True])
def test_a_tag_goes_for_good(db: Database, path: Path, *, everything: bool) -> None:
    chat, _ = add_chat(db, "q")
    for name in ("Work", RARE):
        tag_chats(db, [chat.id], name)
    make_copy(db)
    delete_tag(db, RARE)
    (row,) = list_deleted(db)
    assert (row.kind, row.text, row.count) == (Kind.TAG, RARE, 1)
    if everything:
        purge_deleted(db)
    else:
        purge_deletions(db, [row.id])
    assert (tag_names(db), count_deleted(db)) == (("Work",), 0)
    assert holding(path, RARE) == []


def test_a_deleted_tag_comes_back_to_its_chats_also_after_a_restart(path: Path) -> None:
    with Database.open(path) as db:
        chat, _ = add_chat(db, "q")
        tag_chats(db, [chat.id], "Work")
        delete_tag(db, "Work")
    with Database.open(path) as db:
        assert undo_last(db) == Restored(Kind.TAG, ())
        assert tag_names(db) == ("Work",)
        assert [row["tag_id"] for row in db.rows("SELECT tag_id FROM conversation_tags")] == [1]
        assert count_deleted(db) == 0


def test_everything_that_was_deleted_goes_and_nothing_is_listed(db: Database) -> None:
    chat, (_, answer, question, _) = add_chat(db, "q", "a", "q2", "a2")
    for number in itertools.chain([question.id], [answer.id]):
        delete_message(db, number)
    delete_chats(db, [add_chat(db, "q")[0].id])
    assert purge_deleted(db) == Purge(1, 3, ())
    assert (count_deleted(db), contents(db, chat.id)) == (0, ["q"])


def test_what_came_back_by_another_way_is_not_purged_nor_looked_at_again(db: Database, clock: StillClock) -> None:
    chat, _ = add_chat(db, "q", "a")
    delete_chats(db, [chat.id])
    db.write("UPDATE conversations SET deleted_at = NULL WHERE id = ?", (chat.id,))  # as an import does
    clock.move(40 * DAY_S)
    assert purge_expired(db, keep_days=30) is None
    assert contents(db, chat.id) == ["q", "a"]


def test_what_something_that_is_shown_hangs_below_stays(db: Database, clock: StillClock) -> None:
    chat, (_, answer, _, _) = add_chat(db, "q", "a", "q2", "a2")
    deletion = delete_message(db, answer.id)
    shown = add_message(db, conversation_id=chat.id, parent_id=answer.id, role=Role.USER, content="imported")
    clock.move(40 * DAY_S)
    purged = purge_expired(db, keep_days=30)
    assert purged
    assert purged.messages == len(deletion.ids) - 1
    assert contents(db, chat.id) == ["q", "a", "imported"]
    assert shown.parent_id == answer.id
    assert purge_expired(db, keep_days=30) is None


def test_what_an_import_under_way_has_put_below_stays(db: Database) -> None:
    chat, (_, answer) = add_chat(db, "q", "a")
    delete_message(db, answer.id)
    added = add_message(db, conversation_id=chat.id, parent_id=answer.id, role=Role.USER, content="imported")
    db.write("UPDATE messages SET deleted_at = 1 WHERE id = ?", (added.id,))
    db.write("INSERT INTO arriving VALUES ('message', ?)", (added.id,))
    assert purge_deletions(db, [row.id for row in list_deleted(db)]).messages == 0
    (row,) = db.rows("SELECT parent_id FROM messages WHERE id = ?", (added.id,))
    assert row["parent_id"] == answer.id

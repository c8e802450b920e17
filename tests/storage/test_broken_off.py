"""Answers that broke off with the program are kept in mind until they go on, are asked past, or nobody wants them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.messages import Role, Status
from llamachat.storage.broken_off import BrokenOff, forget_broken_off, list_broken_off, mark_broken_off
from llamachat.storage.conversations import create_conversation, set_state
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.messages import add_message, get_message, update_message
from llamachat.storage.versions import delete_message
from llamachat.storage.writers import writing


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


def streaming_again(db: Database) -> list[BrokenOff]:
    """As they were before the first start, the newest first."""
    found = list_broken_off(db)
    for answer in found:
        update_message(db, answer.message_id, status=Status.STREAMING)
    forget_broken_off(db)
    return found


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
    delete_chats(db, [2])
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


WRITER = """
import sys
from pathlib import Path
from llamachat.storage.writers import writing
with writing(Path(sys.argv[1]), int(sys.argv[2])):
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_what_another_program_is_writing_is_left_to_it_until_that_is_killed(db: Database) -> None:
    left, written = (found.message_id for found in streaming_again(db))
    command = [sys.executable, "-c", WRITER, str(db.path), str(written)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        assert mark_broken_off(db) == 1
        assert [found.message_id for found in list_broken_off(db)] == [left]
        writer.kill()
    assert mark_broken_off(db) == 1
    assert [found.message_id for found in list_broken_off(db)] == [left, written]
    assert list(db.path.parent.glob("*.writing-*")) == []


def test_a_turn_of_ones_own_is_left_alone_too_and_its_lock_goes_with_it(db: Database) -> None:
    one, other = (found.message_id for found in streaming_again(db))
    with writing(db.path, one), writing(db.path, other):
        assert mark_broken_off(db) == 0
    assert list(db.path.parent.glob("*.writing-*")) == []
    assert mark_broken_off(db) == 2


def test_where_no_lock_can_be_made_an_answer_is_written_all_the_same(tmp_path: Path) -> None:
    with writing(tmp_path / "no such folder" / "history.db", 1) as nothing:
        assert nothing is None
    (tmp_path / "history.db.writing-1.lock").mkdir()
    with pytest.raises(OSError, match="the turn's own"), writing(tmp_path / "history.db", 1):
        raise OSError("the turn's own")

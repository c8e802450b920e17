"""A message that grows: what is written when, and that a failed write loses nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.messages import Role, Status, StoredMessage, Usage
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.growing_message import FLUSH_S, GrowingMessage, LateWriter
from llamachat.storage.messages import add_message, get_message
from tests.recorder_parts import wait_until


@pytest.fixture
def row(db: Database) -> StoredMessage:
    """An answer that is being written."""
    conversation = create_conversation(db)
    return add_message(
        db,
        conversation_id=conversation.id,
        parent_id=None,
        role=Role.ASSISTANT,
        content="The ",
        status=Status.STREAMING,
    )


@pytest.fixture
def other(path: Path, row: StoredMessage) -> Iterator[Database]:
    """Another connection to the same file."""
    with Database.open(path) as database:
        yield database


def test_it_is_in_memory_until_it_is_written(db: Database, row: StoredMessage, other: Database) -> None:
    growing = GrowingMessage(row)
    growing.add_text("content", "first")
    growing.add_text("reasoning", "Hm")
    growing.set(usage=Usage(cache_n=3))
    assert get_message(other, row.id) == row
    growing.write(db)
    stored = get_message(other, row.id)
    assert stored == growing.message()
    assert stored is not None
    assert (stored.content, stored.reasoning, stored.usage.cache_n) == ("The first", "Hm", 3)


def test_only_what_is_new_is_written(db: Database, row: StoredMessage, other: Database) -> None:
    growing = GrowingMessage(row)
    growing.set_text("content", "The ")
    growing.set(model="qwen")
    other.write("UPDATE messages SET content = 'mine' WHERE id = ?", (row.id,))
    growing.write(db)
    stored = get_message(db, row.id)
    assert stored is not None
    assert (stored.content, stored.model) == ("mine", "qwen")


def test_a_text_can_be_replaced(db: Database, row: StoredMessage) -> None:
    growing = GrowingMessage(row)
    growing.set_text("content", "Another.")
    growing.add_text("content", " More.")
    growing.write(db)
    assert growing.message() == get_message(db, row.id)
    assert growing.message().content == "Another. More."


def test_what_could_not_be_written_is_told_once_and_written_later(
    db: Database, row: StoredMessage, other: Database
) -> None:
    db.connection.execute("PRAGMA busy_timeout = 0")
    growing = GrowingMessage(row)
    growing.add_text("content", "first")
    with other.transaction():
        assert not growing.write(db)
        assert growing.take_problem() is None  # the next write may be in time
        growing.add_text("reasoning", "Hm")
        assert not growing.write(db)
        assert "writing to the history" in str(growing.take_problem())
        assert not growing.write(db)
        assert growing.take_problem() is None
        assert "writing to the history" in str(growing.problem)
    assert growing.write(db)
    assert growing.problem is None
    assert get_message(other, row.id) == growing.message()
    assert growing.message().content == "The first"


def test_late_text_is_written_by_itself(path: Path, row: StoredMessage, other: Database) -> None:
    growing = GrowingMessage(row)
    with LateWriter(growing, path) as writer:
        for text in ("first", " half"):
            growing.add_text("content", text)
            writer.text_came()
            wait_until(lambda: get_message(other, row.id) == growing.message())


def test_one_failure_between_writes_is_not_told(db: Database, row: StoredMessage, other: Database) -> None:
    db.connection.execute("PRAGMA busy_timeout = 0")
    growing = GrowingMessage(row)
    for text in ("first", " half"):
        growing.add_text("content", text)
        with other.transaction():
            assert not growing.write(db)
        assert growing.write(db)
    assert growing.take_problem() is None


def test_a_write_waits_for_others_only_a_while(db: Database, row: StoredMessage) -> None:
    before = db.row("PRAGMA busy_timeout")
    with db.patience(0.5):
        assert (inside := db.row("PRAGMA busy_timeout"))
        assert inside[0] == 500
    assert before
    assert (after := db.row("PRAGMA busy_timeout"))
    assert after[0] == before[0] == 5000


def test_late_text_that_could_not_be_written_is_written_without_more_coming(
    path: Path, row: StoredMessage, other: Database
) -> None:
    growing = GrowingMessage(row)
    with LateWriter(growing, path) as writer:
        with other.transaction():
            growing.add_text("content", "first")
            writer.text_came()
            wait_until(lambda: growing.problem is not None)
        wait_until(lambda: get_message(other, row.id) == growing.message())


def test_a_late_writer_that_cannot_open_the_file_says_so(tmp_path: Path, row: StoredMessage) -> None:
    growing = GrowingMessage(row)
    folder = tmp_path / "folder"
    folder.mkdir()
    with LateWriter(growing, folder) as writer:
        growing.add_text("content", "first")
        writer.text_came()
        wait_until(lambda: growing.take_problem() is not None)


def test_a_late_writer_leaves_no_thread(path: Path, row: StoredMessage) -> None:
    def running() -> bool:
        return "late writer" in {thread.name for thread in threading.enumerate()}

    with LateWriter(GrowingMessage(row), path) as writer:
        writer.text_came()
        assert running()
    assert not running()


def test_turns_that_end_just_when_text_has_waited_long_enough_do_end(path: Path, row: StoredMessage) -> None:
    never = threading.Event()

    def turn(after_s: float) -> None:
        with LateWriter(GrowingMessage(row), path) as writer:
            writer.text_came()
            never.wait(after_s)

    moments = [FLUSH_S + number * 0.0005 for number in range(-10, 10)] * 3
    turns = [threading.Thread(target=turn, args=[moment], daemon=True) for moment in moments]
    for thread in turns:
        thread.start()
    wait_until(lambda: not any(thread.is_alive() for thread in turns))

"""What reading a long chat reads: what is shown, and of the rest of it the tree alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import branch_ids, load_branch, load_these
from llamachat.storage.versions import load_versions
from llamachat.ui.opened_chat import ABOVE_A_HIT, FIRST_PAGE, read_chat, read_chat_at, read_newer

LONG = 2000


@pytest.fixture
def long_chat(path: Path) -> Iterator[Database]:
    """A chat of 2,000 messages, the tenth of which has another version, read by a fresh connection."""
    with Database.open(path) as db:
        create_conversation(db)
        with db.transaction() as connection:
            connection.executemany(
                "INSERT INTO messages (id, uid, conversation_id, parent_id, role, content, created_at) "
                "VALUES (?, ?, 1, ?, ?, ?, 1)",
                [
                    (
                        number,
                        f"m{number}",
                        number - 1 or None,
                        "assistant" if number % 2 == 0 else "user",
                        "bee " * 500,
                    )
                    for number in range(1, LONG + 1)
                ],
            )
            connection.execute(
                "INSERT INTO messages (id, uid, conversation_id, parent_id, role, content, created_at) "
                "VALUES (?, 'other', 1, 9, 'assistant', 'wasp', 1)",
                (LONG + 1,),
            )
            connection.execute("UPDATE conversations SET head_id = ?", (LONG,))
    with Database.open(path) as db:
        yield db


def rows_and_steps(db: Database, look: Callable[[], object]) -> tuple[int, int]:
    """The rows that are handed over that hold a text, and the work of SQLite in hundreds of instructions."""
    rows = steps = 0

    def row(cursor: sqlite3.Cursor, values: tuple[object, ...]) -> sqlite3.Row:
        nonlocal rows
        made = sqlite3.Row(cursor, values)
        rows += "content" in made.keys()  # noqa: SIM118  # a row is no mapping
        return made

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    db.connection.row_factory = row
    db.connection.set_progress_handler(step, 100)
    look()
    db.connection.set_progress_handler(None, 0)
    return rows, steps


def test_opening_reads_what_is_shown(long_chat: Database) -> None:
    opened = read_chat(long_chat, 1)
    assert [message.id for message in opened.messages] == list(range(LONG - FIRST_PAGE + 1, LONG + 1))
    rows, steps = rows_and_steps(long_chat, lambda: read_chat(long_chat, 1))
    _, whole = rows_and_steps(long_chat, lambda: load_branch(long_chat, 1))
    assert rows == FIRST_PAGE
    assert steps * LONG / FIRST_PAGE < 2 * whole


def test_the_middle_is_read_without_the_rest(long_chat: Database) -> None:
    opened = read_chat_at(long_chat, 1, 700, reveal=False)
    first = 700 - ABOVE_A_HIT
    assert [message.id for message in opened.messages] == list(range(first, first + FIRST_PAGE))
    assert opened.has_newer
    rows, _ = rows_and_steps(long_chat, lambda: read_chat_at(long_chat, 1, 700, reveal=False))
    assert rows == 2 * FIRST_PAGE  # the end is looked at first
    below = read_newer(long_chat, 1, 700, 10)
    assert [message.id for message in below.messages] == list(range(701, 711))
    assert rows_and_steps(long_chat, lambda: read_newer(long_chat, 1, 700, 10))[0] == 10
    assert not read_newer(long_chat, 1, LONG - 1, 10).has_newer


@pytest.mark.parametrize("look", [branch_ids, load_versions])
def test_the_tree_is_read_from_an_index(long_chat: Database, look: Callable[[Database, int], object]) -> None:
    asked: list[str] = []
    long_chat.connection.set_trace_callback(asked.append)
    look(long_chat, 1)
    long_chat.connection.set_trace_callback(None)
    plans = [row["detail"] for sql in asked for row in long_chat.rows(f"EXPLAIN QUERY PLAN {sql}")]
    of_messages = [plan for plan in plans if "messages" in plan]
    assert of_messages
    assert all("COVERING INDEX messages_tree" in plan for plan in of_messages)


def test_a_branch_by_its_ids_is_the_branch(long_chat: Database) -> None:
    assert branch_ids(long_chat, 1) == list(range(1, LONG + 1))
    assert load_these(long_chat, branch_ids(long_chat, 1)) == load_branch(long_chat, 1)
    assert load_versions(long_chat, 1) == {10: (10, LONG + 1), LONG + 1: (10, LONG + 1)}
    assert branch_ids(long_chat, 77) == []

"""What deleting for good costs: it keeps others from writing, and must not grow faster than what is deleted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats, list_deleted
from llamachat.storage.purge import purge_deleted, purge_deletions
from llamachat.storage.versions import delete_message

FEW, MANY = 100, 800


def steps_of(db: Database, work: Callable[[], object]) -> int:
    """The work of SQLite, in hundreds of instructions."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    db.connection.set_progress_handler(step, 100)
    work()
    db.connection.set_progress_handler(None, 0)
    return steps


def fill(db: Database, count: int) -> None:
    """Add so many chats of a question and its answer."""
    with db.transaction() as connection:
        connection.executemany(
            "INSERT INTO conversations (id, uid, created_at, updated_at) VALUES (?, ?, 1, 1)",
            [(number, f"c{number}") for number in range(1, count + 1)],
        )
        for first, role in ((1, "user"), (2, "assistant")):
            connection.executemany(
                "INSERT INTO messages (id, uid, conversation_id, parent_id, role, content, created_at) "
                "VALUES (?, ?, ?, ?, ?, 'bee', 1)",
                [
                    (
                        2 * number + first,
                        f"m{2 * number + first}",
                        number,
                        2 * number + 1 if first == 2 else None,
                        role,
                    )
                    for number in range(1, count + 1)
                ],
            )
        connection.execute("UPDATE conversations SET head_id = 2 * id + 2")


def purge_chats(db: Database, count: int) -> None:
    """All of them."""
    delete_chats(db, range(1, count + 1))
    purge_deleted(db)


def purge_answers(db: Database, count: int) -> None:
    """The last message of each chat; a copy that is older shows them."""
    for number in range(1, count + 1):
        delete_message(db, 2 * number + 2)
    db.write("UPDATE conversations SET head_id = 2 * id + 2")  # as in a copy from before the deletion
    purge_deletions(db, [row.id for row in list_deleted(db)])
    rows = db.rows("SELECT head_id, id FROM conversations")
    assert [row["head_id"] for row in rows] == [2 * row["id"] + 1 for row in rows]


@pytest.mark.parametrize("purge", [purge_chats, purge_answers])
def test_the_work_grows_as_what_is_deleted(tmp_path: Path, purge: Callable[[Database, int], None]) -> None:
    steps = list[int]()
    for count in (FEW, MANY):
        with Database.open(tmp_path / f"{count}.db") as db:
            fill(db, count)
            steps.append(steps_of(db, partial(purge, db, count)))
    assert steps[1] < 2 * (MANY / FEW) * steps[0]

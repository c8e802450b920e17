"""The index follows the messages, never stands in their way, and is built anew when it is broken."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.core.messages import Role
from llamachat.storage.database import Database
from llamachat.storage.fulltext import IndexRebuilding, search_history
from llamachat.storage.index_queue import SLICE_ROWS, empty_index, refresh_index
from llamachat.storage.messages import add_message, get_message
from tests.storage.stories import add_chat, rebuild_index

NOTICED = [
    "DROP TABLE messages_fts_data",
    "DROP TABLE messages_fts_idx",
    "DROP TABLE messages_fts_config",
    "DROP TABLE messages_fts",
    "DROP TABLE titles_fts_data",
    "DELETE FROM messages_fts_data",
    "UPDATE messages_fts_config SET v = 99",
    "DROP TABLE messages_fts_data; DROP TABLE titles_fts_config",
]
SILENT = [  # FTS5 finds nothing and raises nothing: the check at the start sees it
    "UPDATE messages_fts_data SET block = x'00ff00ff' WHERE id = 10",
    "UPDATE messages_fts_data SET block = zeroblob(length(block)) WHERE id > 10",
    "UPDATE titles_fts_data SET block = zeroblob(length(block)) WHERE id > 10",
    "DELETE FROM messages_fts_idx",
]


def break_index(path: Path, damage: str) -> None:
    """Damage the index as another program or a crash would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(damage)


def found(db: Database, query: str) -> list[int | None]:
    """The ids of the messages found; None for a title."""
    return [hit.message_id for hit in search_history(db, query)]


@pytest.mark.parametrize("damage", [*NOTICED, *SILENT])
def test_a_damaged_index_stops_neither_reading_nor_saving_nor_searching(path: Path, damage: str) -> None:
    with Database.open(path) as db:
        chat, messages = add_chat(db, *(f"bee number{number}" for number in range(40)), title="bees")
        assert len(found(db, "bee")) == 41
    break_index(path, damage)
    with Database.open(path, check=True) as db:
        assert db.report.sentences == ()
        assert get_message(db, messages[0].id) == messages[0]
        new = add_message(
            db, conversation_id=chat.id, parent_id=messages[-1].id, role=Role.USER, content="another bee"
        )
        assert get_message(db, new.id) == new
        assert found(db, "bee") == [None, new.id, *(message.id for message in reversed(messages))]
        assert found(db, "number7") == [messages[7].id]
    with Database.open(path) as db:
        assert len(found(db, "bee")) == 42
        assert db.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"
    assert [file.name for file in path.parent.iterdir() if "damaged" in file.name or "before" in file.name] == []


@pytest.mark.parametrize("damage", NOTICED)
def test_searching_alone_mends_the_index(path: Path, damage: str) -> None:
    with Database.open(path) as db:
        _, (message, *_) = add_chat(db, *(f"bee number{number}" for number in range(40)), title="bees")
        found(db, "bee")
    break_index(path, damage)
    with Database.open(path) as db:
        for query in ("bee", "number0"):
            assert message.id in found(db, query)


def test_while_much_is_left_a_search_says_so_and_goes_on(db: Database) -> None:
    add_chat(db, title="bee")
    many = SLICE_ROWS * 2 + 49
    with db.transaction():
        for number in range(many):
            db.write(
                "INSERT INTO messages (uid, conversation_id, role, content, created_at) "
                "VALUES (?, 1, 'user', 'bee', 1)",
                (f"m{number}",),
            )
    with pytest.raises(IndexRebuilding, match=f"being rebuilt: {SLICE_ROWS + 50} entries") as caught:
        search_history(db, "bee")
    assert caught.value.next_step
    with pytest.raises(IndexRebuilding) as caught:
        search_history(db, "bee")
    assert caught.value.remaining == 50
    assert len(search_history(db, "bee", limit=many * 2)) == many + 1
    empty_index(db)
    with pytest.raises(IndexRebuilding):
        search_history(db, "bee")
    rebuild_index(db)
    assert len(search_history(db, "bee", limit=many * 2)) == many + 1


def test_a_slice_ends_at_a_megabyte_of_text(db: Database) -> None:
    with db.transaction():
        add_chat(db, *("bee " * 150_000 for _ in range(5)), title="bees")
    assert [refresh_index(db) for _ in range(4)] == [3, 1, 0, 0]
    assert len(found(db, "bee")) == 6


def test_a_finished_message_is_indexed_without_a_search(db: Database) -> None:
    add_chat(db, "bee", title="bees")
    assert db.rows("SELECT * FROM index_queue") == []
    assert refresh_index(db) == 0


def test_a_message_added_inside_a_transaction_is_indexed_by_the_next_search(db: Database) -> None:
    with db.transaction():
        _, (message,) = add_chat(db, "bee")
    assert found(db, "bee") == [message.id]


def test_the_index_follows_what_other_programs_write(path: Path, db: Database) -> None:
    _, (message,) = add_chat(db, "bee", title="insects")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("UPDATE messages SET content = 'wasp'")
        other.execute("UPDATE conversations SET title = 'animals'")
        other.execute(
            "INSERT INTO messages (uid, conversation_id, role, content, created_at) VALUES ('x', 1, 'user', 'ant', 1)"
        )
    assert found(db, "bee insects") == []
    assert found(db, "wasp") == [message.id]
    assert found(db, "animals") == [None]
    assert len(found(db, "ant")) == 1


def test_the_index_holds_exactly_what_the_messages_say(db: Database) -> None:
    """After many changes it is the same as one built from scratch."""
    _, messages = add_chat(db, *(f"word{number} loadHttpConfig 花园灌溉" for number in range(20)), title="a title")
    for number, message in enumerate(messages):
        db.write(
            "UPDATE messages SET content = ?, deleted_at = ? WHERE id = ?",
            (f"new{number}", number % 3 or None, message.id),
        )
        db.write("UPDATE messages SET deleted_at = NULL WHERE id = ? AND id % 2", (message.id,))
        refresh_index(db)
    db.write("DELETE FROM messages WHERE id = ?", (messages[-1].id,))
    refresh_index(db)
    kept = _index_words(db)
    rebuild_index(db)
    assert _index_words(db) == kept
    assert "word3" not in kept


def test_without_a_way_to_write_a_damaged_index_is_told(path: Path) -> None:
    with Database.open(path) as db:
        add_chat(db, "bee")
        found(db, "bee")
    break_index(path, NOTICED[0])
    with Database.open(path) as db:
        db.read_only = True
        with pytest.raises(StorageError):
            search_history(db, "bee")


def _index_words(db: Database) -> dict[str, int]:
    db.connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, messages_fts, row)")
    return {row["term"]: row["doc"] for row in db.rows("SELECT term, doc FROM temp.words")}

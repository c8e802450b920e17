"""Looking a history over finds what is wrong and changes nothing; mending puts it right."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.storage.checkup import Checkup, check_history, mend
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import load_messages
from tests.storage.stories import add_chat
from tests.storage.test_rescue import leaf_pages, overwrite
from tests.storage.version_dumps import load_version


@pytest.fixture
def history(path: Path) -> Path:
    """A history of 60 chats, closed."""
    with Database.open(path) as db:
        for number in range(60):
            add_chat(db, f"bee {number} " * 50, f"wasp {number} " * 50, title=f"Chat {number}")
    return path


def files(path: Path) -> dict[str, bytes]:
    """The database and everything beside it but the shared memory of readers and an empty log."""
    contents = {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
    return {name: content for name, content in contents.items() if content}


def test_a_whole_history_is_counted_and_not_changed(history: Path) -> None:
    before = files(history)
    assert check_history(history) == Checkup(chats=60, messages=120)
    assert check_history(history).is_whole
    assert files(history) == before


def test_a_history_in_use_can_be_looked_over(history: Path) -> None:
    with Database.open(history) as db, db.transaction():
        assert check_history(history).is_whole


def test_damaged_pages_are_found_and_rescued(history: Path) -> None:
    overwrite(history, leaf_pages(history, "messages")[3:6])
    before = files(history)
    found = check_history(history)
    assert found.damage
    assert not found.is_whole
    assert files(history) == before
    with Database.open(history, check=True) as db:
        mend(db, found)
        assert db.report.damaged is not None
    assert check_history(history).is_whole


def test_a_file_that_is_no_database_is_found(path: Path) -> None:
    path.write_text("a letter\n" * 1000)
    assert check_history(path).damage == ("file is not a database",)


def test_a_damaged_index_of_a_table_is_made_anew(history: Path) -> None:
    """An index that misses rows is nothing that opening with a look finds."""
    with closing(sqlite3.connect(history, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'conversations_listed'").fetchone()
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'conversations_listed'", (sql + " AND 0",))
        connection.execute("PRAGMA writable_schema = RESET")
        connection.execute("REINDEX conversations_listed")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'conversations_listed'", (sql,))
    found = check_history(history)
    assert "missing from index conversations_listed" in found.damage[0]
    with Database.open(history, check=True) as db:
        assert list_conversations(db) == []
        mend(db, found)
        assert len(list_conversations(db)) == 60
        assert db.report.damaged is None
    assert check_history(history).is_whole


def test_a_damaged_search_index_is_found_and_built_again(history: Path) -> None:
    with closing(sqlite3.connect(history)) as connection, connection:
        connection.execute("DELETE FROM messages_fts_data WHERE id > 10")
    found = check_history(history)
    assert (found.damage, found.index_is_whole) == ((), False)
    with Database.open(history, check=True) as db:
        mend(db, found)
        assert len(search_history(db, "bee", limit=99)) == 60
    assert check_history(history).is_whole


def test_lost_links_are_found_and_mended(history: Path) -> None:
    with closing(sqlite3.connect(history)) as connection, connection:  # foreign keys are off here
        connection.execute("DELETE FROM conversations WHERE id = 7")
        connection.execute("DELETE FROM messages WHERE id = 1")
    found = check_history(history)
    assert found.lost_links == 3
    with Database.open(history, check=True) as db:
        mend(db, found)
        assert len(load_messages(db, 7)) == 2
        assert "Rescued chat" in [chat.title for chat in list_conversations(db)]
    assert check_history(history).is_whole


@pytest.mark.parametrize("version", [1, 6])
def test_an_older_history_is_looked_over_and_not_updated(path: Path, version: int) -> None:
    load_version(version, path)
    before = files(path)
    assert check_history(path) == Checkup(chats=2, messages=5)
    assert files(path) == before


def test_an_empty_file_is_told(path: Path) -> None:
    path.touch()
    with pytest.raises(StorageError, match="is empty") as caught:
        check_history(path)
    assert "history restore" in caught.value.next_step
    Path(f"{path}-wal").write_bytes(b"what was said")
    assert check_history(path).damage == ("the file is empty, and its log is not",)
    assert path.read_bytes() == b""


def test_where_there_is_none_none_is_made(path: Path) -> None:
    with pytest.raises(StorageError, match="no history"):
        check_history(path)
    assert not path.exists()

"""The file is deleted or replaced while it is open: that is told, and nothing is written in vain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.storage.conversations import create_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.open_files import HistoryGone
from tests.storage.stories import add_chat


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the history lies."""
    return tmp_path / "history.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    """An open history with a chat."""
    with Database.open(path) as db:
        add_chat(db, "bee", title="First")
        yield db


def check_gone(db: Database, words: str) -> None:
    """Nothing is written by any way, and what was read before can still be."""
    with pytest.raises(HistoryGone, match=words) as caught:
        create_conversation(db, title="Second")
    assert str(db.path) in caught.value.sentence
    assert "start the program again" in caught.value.next_step
    with pytest.raises(HistoryGone, match=words):
        db.changed_elsewhere()
    with pytest.raises(HistoryGone, match=words):
        Database.open(db.path)
    assert [chat.title for chat in list_conversations(db)] == ["First"]


def test_a_deleted_file_is_told_and_no_new_one_made(db: Database, path: Path) -> None:
    path.unlink()
    check_gone(db, "deleted or moved")
    assert not path.exists()


def test_a_file_that_is_put_back_is_written_again(db: Database, path: Path, tmp_path: Path) -> None:
    path.rename(tmp_path / "aside.db")
    check_gone(db, "deleted or moved")
    (tmp_path / "aside.db").rename(path)
    create_conversation(db, title="Second")
    with Database.open(path) as other:
        assert len(list_conversations(other)) == 2


def test_a_replaced_file_is_told_and_left_alone(db: Database, path: Path, tmp_path: Path) -> None:
    with Database.open(tmp_path / "other.db") as other:
        add_chat(other, "wasp", title="Other")
    (tmp_path / "other.db").rename(path)
    before = path.read_bytes()
    check_gone(db, "replaced")
    assert path.read_bytes() == before


def test_on_a_network_disk_another_number_is_no_other_file(path: Path, tmp_path: Path) -> None:
    with Database.open(tmp_path / "other.db"):
        pass
    with Database.open(path, on_network_disk=lambda _: True) as db:
        (tmp_path / "other.db").rename(path)
        db.changed_elsewhere()
        path.unlink()
        with pytest.raises(HistoryGone):
            db.changed_elsewhere()


def test_when_no_connection_is_open_the_path_may_mean_another_file(path: Path) -> None:
    for title in ("First", "Second"):
        with Database.open(path) as db, Database.open(path) as other:
            create_conversation(db, title=title)
            other.close()
            other.close()
            assert [chat.title for chat in list_conversations(db)] == [title]
        path.unlink()


def test_a_database_in_memory_has_no_file() -> None:
    with Database.in_memory() as db:
        create_conversation(db, title="Here")
        assert not db.changed_elsewhere()

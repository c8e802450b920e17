"""Going back to a copy: the replaced history is kept, and whatever is wrong leaves all as it was."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.storage.conversations import list_conversations
from llamachat.storage.daily_copy import make_copy
from llamachat.storage.database import Database
from llamachat.storage.migrations import LATEST
from llamachat.storage.restore import restore
from tests.storage.stories import add_chat
from tests.storage.test_daily_copy import titles
from tests.storage.test_rescue import leaf_pages, overwrite
from tests.storage.version_dumps import load_version

NOW = 1_800_000_000.0


@pytest.fixture
def copy(path: Path) -> Path:
    """A copy with the chat One of a history that holds One and Two."""
    with Database.open(path) as db:
        add_chat(db, "bee", title="One")
        copy = make_copy(db)
        add_chat(db, "wasp", title="Two")
    return copy


def everything(folder: Path) -> dict[str, bytes]:
    """The content of every file."""
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_a_copy_takes_the_place_of_the_history_which_is_kept(path: Path, copy: Path) -> None:
    replaced = restore(path, copy, now=NOW)
    assert replaced == path.with_stem("llamachat-replaced-20270115-080000")
    assert titles(path) == ["One"]
    assert replaced is not None
    assert titles(replaced) == ["One", "Two"]
    assert titles(copy) == ["One"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    back = restore(path, replaced, now=NOW)
    assert back == path.with_stem("llamachat-replaced-20270115-080000-2")
    assert titles(path) == ["One", "Two"]


def test_a_copy_is_put_where_there_is_no_history(path: Path, copy: Path) -> None:
    path.unlink()
    assert restore(path, copy, now=NOW) is None
    assert titles(path) == ["One"]


def test_a_copy_of_an_older_version_is_updated_when_it_is_opened(path: Path, tmp_path: Path) -> None:
    load_version(3, tmp_path / "old.db")
    restore(path, tmp_path / "old.db", now=NOW)
    assert titles(path) == ["", "Bees"]


def test_what_a_crash_left_in_the_log_is_kept_too(path: Path, copy: Path, tmp_path: Path) -> None:
    with Database.open(path) as db:
        add_chat(db, "hornet", title="Three")
        for ending in ("", "-wal"):
            (tmp_path / f"crashed.db{ending}").write_bytes(Path(f"{path}{ending}").read_bytes())
    replaced = restore(tmp_path / "crashed.db", copy, now=NOW)
    assert titles(tmp_path / "crashed.db") == ["One"]
    assert replaced is not None
    assert titles(replaced) == ["One", "Three", "Two"]


def test_a_damaged_history_is_replaced_and_kept_with_its_log(path: Path, copy: Path) -> None:
    log = Path(f"{path}-wal")
    path.write_bytes(b"no database " * 1000)
    log.write_bytes(b"its log")
    replaced = restore(path, copy, now=NOW)
    assert titles(path) == ["One"]
    assert replaced is not None
    assert replaced.read_bytes() == b"no database " * 1000
    assert Path(f"{replaced}-wal").read_bytes() == b"its log"


def test_a_history_in_use_is_left_alone(path: Path, copy: Path) -> None:
    with Database.open(path) as db:
        with pytest.raises(StorageError, match="in use"):
            restore(path, copy, now=NOW)
        assert not [file for file in path.parent.iterdir() if "re" in file.suffix or "replaced" in file.name]
        add_chat(db, "still", title="Three")
    assert titles(path) == ["One", "Three", "Two"]


def test_a_history_that_another_writes_to_is_left_alone(path: Path, copy: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = DELETE")
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="in use"):
            restore(path, copy, now=NOW)
    assert titles(path) == ["One", "Two"]


@pytest.mark.parametrize("what", ["missing", "text", "damaged", "newer", "other program", "itself"])
def test_what_is_no_whole_copy_changes_nothing(path: Path, tmp_path: Path, what: str) -> None:
    with Database.open(path) as db:
        for number in range(60):
            add_chat(db, f"bee {number} " * 50, title=str(number))
        bad = make_copy(db, tmp_path / "bad.db")
    sentence = {"missing": "no history", "newer": "newer version", "other program": "another program"}
    if what == "missing":
        bad.unlink()
    elif what == "text":
        bad.write_text("a letter\n" * 1000)
    elif what == "damaged":
        overwrite(bad, leaf_pages(bad, "messages")[3:6])
    elif what == "itself":
        bad = path
    else:
        with closing(sqlite3.connect(bad)) as connection:
            connection.execute(
                f"PRAGMA user_version = {LATEST + 1}" if what == "newer" else "PRAGMA application_id = 1"
            )
    before = everything(tmp_path)
    with pytest.raises(StorageError, match=sentence.get(what, "itself" if what == "itself" else "is damaged")):
        restore(path, bad, now=NOW)
    assert everything(tmp_path) == before


def test_a_disk_that_fails_changes_nothing(path: Path, copy: Path) -> None:
    before = everything(path.parent)
    path.with_suffix(".restoring.part").mkdir()  # in the way of the file that is made ready
    with pytest.raises(StorageError, match="cannot be put in place"):
        restore(path, copy, now=NOW)
    assert everything(path.parent) == before
    with Database.open(path) as db:
        assert [chat.title for chat in list_conversations(db)] == ["Two", "One"]

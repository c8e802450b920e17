"""Opening a database in every state that a file can be in."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.storage.conversations import create_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import load_branch
from llamachat.storage.migrations import LATEST, schema_version
from tests.storage.stories import add_chat
from tests.storage.version_dumps import load_version

ROOT = Path(__file__).resolve().parent.parent.parent


def copy_with_log(db: Database, target: Path) -> None:
    """The files of an open database, as a crash would leave them."""
    for ending in ("", "-wal"):
        Path(f"{target}{ending}").write_bytes(Path(f"{db.path}{ending}").read_bytes())


def test_the_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "llamachat.db"
    with Database.open(path) as db:
        assert db.report.sentences == ()
    assert path.exists()


def test_only_the_user_may_read_a_new_history(path: Path) -> None:
    with Database.open(path) as db:
        add_chat(db, "bee")
        assert [stat.S_IMODE(Path(f"{path}{ending}").stat().st_mode) for ending in ("", "-wal")] == [0o600, 0o600]


def test_a_copy_and_a_rescued_file_are_as_private_as_the_history(path: Path) -> None:
    load_version(1, path)
    path.chmod(0o640)
    with Database.open(path) as db:
        assert db.report.copy is not None
        assert stat.S_IMODE(db.report.copy.stat().st_mode) == 0o640
    path.write_bytes(b"broken")
    with Database.open(path) as db:
        assert db.report.damaged is not None
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot be used") as caught:
        Database.open(tmp_path / "file" / "llamachat.db")
    assert "--data-dir" in caught.value.next_step


@pytest.mark.parametrize("check", [True, False])
def test_a_folder_that_cannot_be_looked_into_is_told(tmp_path: Path, check: bool) -> None:
    with pytest.raises(StorageError, match="cannot be used"):
        Database.open(tmp_path / ("d" * 300) / "llamachat.db", check=check)


def test_odd_characters_in_the_path_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "a?b#c%20d é" / "llamachat.db"
    with Database.open(path) as db:
        create_conversation(db)
    assert path.exists()
    with Database.open(path) as db:
        assert len(list_conversations(db)) == 1


def test_a_relative_path_works(tmp_path: Path) -> None:
    relative = Path(os.path.relpath(tmp_path / "llamachat.db"))
    with Database.open(relative, check=True) as db:
        create_conversation(db)
    assert (tmp_path / "llamachat.db").exists()


def test_a_healthy_database_passes_the_check_silently(path: Path) -> None:
    with Database.open(path) as db:
        chat, messages = add_chat(db, "bee", "wasp")
    with Database.open(path, check=True) as db:
        assert (db.report.sentences, db.read_only) == ((), False)
        assert load_branch(db, chat.id) == messages


def test_checking_while_another_connection_writes_is_silent(db: Database, path: Path) -> None:
    chat, _ = add_chat(db, "bee")
    with db.transaction():
        add_chat(db, "wasp")
        with Database.open(path, check=True) as other:
            assert other.report.sentences == ()
            assert [conversation.id for conversation in list_conversations(other)] == [chat.id]


def test_an_empty_file_is_told_and_used(path: Path) -> None:
    path.touch()
    with Database.open(path) as db:
        assert db.report.sentences == ("The history file was empty. A new history has been started.",)
        add_chat(db, "bee")


def test_an_empty_file_with_a_copy_beside_it_names_the_copy(path: Path) -> None:
    load_version(2, path)
    with Database.open(path) as db:
        copy = db.report.copy
    path.write_bytes(b"")
    with Database.open(path) as db:
        assert str(copy) in db.report.sentences[1]


def test_an_empty_file_whose_log_is_full_keeps_the_log(db: Database, tmp_path: Path) -> None:
    add_chat(db, "bee")
    path = tmp_path / "crashed.db"
    copy_with_log(db, path)
    log = Path(f"{path}-wal").read_bytes()
    path.write_bytes(b"")
    with Database.open(path) as found:
        damaged = found.report.damaged
        assert damaged is not None
        assert Path(f"{damaged}-wal").read_bytes() == log
        assert list_conversations(found) == []


def test_what_only_stands_in_the_log_is_read_after_a_crash(db: Database, tmp_path: Path) -> None:
    chat, messages = add_chat(db, "bee")
    path = tmp_path / "crashed.db"
    copy_with_log(db, path)
    with Database.open(path, check=True) as found:
        assert found.report.sentences == ()
        assert load_branch(found, chat.id) == messages


def test_a_lost_log_leaves_what_was_written_before(db: Database, tmp_path: Path) -> None:
    chat, messages = add_chat(db, "bee")
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    add_chat(db, "wasp")
    path = tmp_path / "crashed.db"
    copy_with_log(db, path)
    Path(f"{path}-wal").unlink()
    with Database.open(path, check=True) as found:
        assert found.report.sentences == ()
        assert load_branch(found, chat.id) == messages
        assert len(list_conversations(found)) == 1
        assert found.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"


@pytest.mark.parametrize("damage", ["noise", "half", "other", "folder"])
def test_a_damaged_log_leaves_what_was_written_before(db: Database, tmp_path: Path, damage: str) -> None:
    """Its checksums tell where it ends to be whole; what is written later is written as ever."""
    chat, messages = add_chat(db, "bee")
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for _ in range(20):
        add_chat(db, "wasp")
    path = tmp_path / "crashed.db"
    copy_with_log(db, path)
    log = Path(f"{path}-wal")
    whole = log.read_bytes()
    if damage == "folder":
        log.unlink()
        log.mkdir()
        with pytest.raises(StorageError, match="could not be read or written") as caught:
            Database.open(path, check=True)
        assert "Check the disk" in caught.value.next_step
        log.rmdir()
    else:
        middle = len(whole) // 2
        log.write_bytes(
            {"noise": whole[:middle] + b"\xa5" * middle, "half": whole[:middle], "other": b"x" * 9999}[damage]
        )
    with Database.open(path, check=True) as found:
        assert found.report.sentences == ()
        assert load_branch(found, chat.id) == messages
        assert found.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"
        kept = len(list_conversations(found))
        assert kept == 1 if damage in ("other", "folder") else 1 < kept < 21
        add_chat(found, "hornet")
    with Database.open(path, check=True) as found:
        assert len(list_conversations(found)) == kept + 1
        assert len(search_history(found, "hornet")) == 1


def test_on_a_network_disk_there_is_no_shared_log(path: Path) -> None:
    asked = []

    def on_network_disk(place: Path) -> bool:
        asked.append(place)
        return True

    Database.open(path).close()
    with Database.open(path, on_network_disk=on_network_disk) as db:
        chat, messages = add_chat(db, "bee")
        assert db.rows("PRAGMA journal_mode")[0]["journal_mode"] == "truncate"
        assert db.rows("PRAGMA synchronous")[0]["synchronous"] == 2
        assert not Path(f"{path}-wal").exists()
        assert load_branch(db, chat.id) == messages
    assert asked == [path]


def test_while_another_program_holds_an_old_database_the_start_says_try_again(path: Path) -> None:
    load_version(1, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError, match="Another program") as caught:
            Database.open(path, busy_timeout_s=0.01)
        assert caught.value.next_step
        other.execute("COMMIT")
        assert schema_version(other) == 1
    with Database.open(path) as db:
        assert schema_version(db.connection) == LATEST


STARTER = """
import sys
from pathlib import Path
from llamachat.storage.database import Database
from tests.storage.stories import add_chat
print("ready", flush=True)
sys.stdin.readline()
with Database.open(Path(sys.argv[1]), check=True) as db:
    add_chat(db, "bee")
    print(*db.report.sentences)
"""


@pytest.mark.parametrize("version", [0, 1])
def test_processes_that_start_at_once_wait_for_the_one_that_makes_the_tables(path: Path, version: int) -> None:
    if version:
        load_version(version, path)
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", STARTER, str(path)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for starter in starters:
        assert starter.stdout is not None
        starter.stdout.readline()
    said = []
    for starter in starters:
        assert starter.stdin is not None
        starter.stdin.write("\n")
        starter.stdin.flush()
    for starter in starters:
        said.append(starter.communicate()[0].strip())
        assert starter.returncode == 0
    assert said == ["", "", "", ""]
    with Database.open(path) as db:
        assert len(search_history(db, "bee")) == 4 + 2 * version
    assert len(list(path.parent.glob("*before-update*"))) == version

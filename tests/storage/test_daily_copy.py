"""Copies of the history are whole, made while others write, one a day, and the last seven are kept."""

from __future__ import annotations

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, StorageError
from llamachat.storage.backup import all_copies, copies_folder, write_copy
from llamachat.storage.conversations import list_conversations
from llamachat.storage.daily_copy import make_copy, make_daily_copy
from llamachat.storage.database import Database
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat
from tests.storage.test_rescue import leaf_pages, overwrite

DAY = 86400


def titles(path: Path) -> list[str]:
    """The chats in a copy."""
    with Database.open(path) as db:
        return sorted(chat.title for chat in list_conversations(db))


def test_there_is_one_copy_a_day(db: Database, clock: StillClock, path: Path) -> None:
    add_chat(db, "bee", title="One")
    copy = make_daily_copy(db)
    assert copy is not None
    assert copy.parent == path.parent / "backups"
    add_chat(db, "bee", title="Two")
    assert make_daily_copy(db) is None
    clock.move(DAY)
    second = make_daily_copy(db)
    assert second is not None
    assert (titles(copy), titles(second)) == (["One"], ["One", "Two"])


def test_the_last_seven_are_kept_and_others_never_removed(db: Database, clock: StillClock) -> None:
    asked_for = make_copy(db)
    made = []
    (asked_for.parent / "llamachat-2026-01-01.db.part").write_bytes(b"what a killed program left")
    for _ in range(9):
        made.append(make_daily_copy(db))
        clock.move(DAY)
    assert sorted(asked_for.parent.iterdir()) == sorted([asked_for, *(copy for copy in made[-7:] if copy)])
    assert {asked_for, made[-1]} < set(all_copies(db.path))


def test_the_copy_of_today_is_kept_where_the_clock_was_ahead(db: Database, clock: StillClock) -> None:
    clock.move(365 * DAY)
    ahead = []
    for _ in range(7):
        clock.move(DAY)
        ahead.append(make_daily_copy(db))
    clock.move(-372 * DAY)
    today = make_daily_copy(db)
    assert today is not None
    assert sorted(today.parent.iterdir()) == [today, *ahead[1:]]
    assert make_daily_copy(db) is None


def test_a_copy_is_one_file_as_private_as_the_history(db: Database) -> None:
    copy = make_daily_copy(db)
    assert copy is not None
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        connection.execute("SELECT count(*) FROM messages").fetchone()
        assert list(copy.parent.iterdir()) == [copy]


def test_others_write_while_a_copy_is_made(db: Database, path: Path) -> None:
    """The copy holds the state at its beginning; a writer in the middle of it neither waits nor is in it."""
    with db.transaction() as connection:
        connection.execute("CREATE TABLE filling (x)")
        connection.executemany("INSERT INTO filling VALUES (?)", [("x" * 3000,)] * 3000)
    add_chat(db, "bee", title="Before")

    class Writing(CancelToken):
        """Asked between the steps of a copy; writes at the first."""

        steps = 0

        def raise_if_cancelled(self) -> None:
            self.steps += 1
            if self.steps == 1:
                with Database.open(path, busy_timeout_s=0) as other:
                    add_chat(other, "wasp", title="Meanwhile")

    between = Writing()
    copy = make_daily_copy(db, cancel=between)
    assert copy is not None
    assert between.steps >= 2
    assert (titles(copy), titles(path)) == (["Before"], ["Before", "Meanwhile"])


def test_of_two_that_make_the_copy_at_once_one_makes_it(db: Database, path: Path, clock: StillClock) -> None:
    made: list[Path | None] = []

    def copy() -> None:
        with Database.open(path, clock=clock) as own:
            made.append(make_daily_copy(own))

    class Beside(CancelToken):
        """Starts another copy at each step of this one, and waits until it is over or waits in its turn."""

        def raise_if_cancelled(self) -> None:
            threads.append(threading.Thread(target=copy))
            threads[-1].start()
            threads[-1].join(0.2)

    threads: list[threading.Thread] = []
    add_chat(db, "bee", title="One")
    mine = make_daily_copy(db, cancel=Beside())
    for thread in threads:
        thread.join()
    assert mine is not None
    assert made == [None] * len(threads) != []
    assert titles(mine) == ["One"]


def test_a_copy_that_is_stopped_leaves_nothing(db: Database, path: Path) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        make_daily_copy(db, cancel=cancel)
    assert list(copies_folder(path).iterdir()) == []
    assert make_daily_copy(db) is not None


def test_a_file_that_is_written_to_all_the_time_is_given_up(path: Path) -> None:
    """On a network disk there is no write-ahead mode: a copy begins again after each write of another."""
    with Database.open(path, on_network_disk=lambda _: True) as db, closing(sqlite3.connect(path)) as other:
        with db.transaction() as connection:
            connection.executemany("INSERT INTO state VALUES (?, ?)", [(str(n), "x" * 3000) for n in range(3000)])

        class Writing(CancelToken):
            def raise_if_cancelled(self) -> None:
                with other:
                    other.execute("UPDATE state SET value = value || 'x' WHERE key = '1'")

        with pytest.raises(sqlite3.OperationalError, match="all the time"):
            write_copy(db.connection, path, path.with_name("copy"), cancel=Writing())
        assert not path.with_name("copy.part").exists()
        copy = make_daily_copy(db)
        assert copy is not None
        assert titles(copy) == []


def test_a_damaged_history_is_told_and_replaces_no_copy(db: Database, path: Path, clock: StillClock) -> None:
    for number in range(60):
        add_chat(db, f"bee {number} " * 50)
    good = make_daily_copy(db)
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    overwrite(path, leaf_pages(path, "messages")[3:6])
    clock.move(DAY)
    with Database.open(path, clock=clock) as broken, pytest.raises(StorageError, match="damaged"):
        make_daily_copy(broken)
    assert list(copies_folder(path).iterdir()) == [good]


def test_a_folder_that_cannot_be_written_is_told(db: Database, path: Path) -> None:
    copies_folder(path).write_text("a file in its place")
    with pytest.raises(StorageError, match="No copy of the history could be made"):
        make_daily_copy(db)


def test_a_copy_takes_the_place_of_nothing(db: Database, tmp_path: Path) -> None:
    target = tmp_path / "mine.db"
    assert make_copy(db, target) == target
    with pytest.raises(StorageError, match="exists already"):
        make_copy(db, target)
    assert len({make_copy(db), make_copy(db)}) == 2


def test_a_copy_is_made_in_a_thread_of_its_own_connection(db: Database, path: Path, clock: StillClock) -> None:
    add_chat(db, "bee", title="One")
    made: list[Path | None] = []

    def copy() -> None:
        with Database.open(path, clock=clock) as own:
            made.append(make_daily_copy(own))

    with db.transaction():  # a writer holds the lock all the time
        thread = threading.Thread(target=copy)
        thread.start()
        thread.join()
    assert made[0] is not None
    assert titles(made[0]) == ["One"]

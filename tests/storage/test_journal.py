"""The journal: rows come in from any thread, whatever the disk does, and can be listed and cleared."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from llamachat.core.egress import Egress
from llamachat.core.errors import StorageError
from llamachat.storage.database import Database
from llamachat.storage.journal import MOST_WAITING, Journal, clear_journal, list_journal
from tests.storage.test_rescue import leaf_pages, overwrite
from tests.storage.version_dumps import load_version

PAGE = Egress(
    at=12.5,
    host="a.example",
    what="page",
    query="https://a.example/x?v=1",
    bytes_out=300,
    bytes_in=5000,
    seconds=0.25,
    outcome="ok",
    message_id=7,
)


class Disk:
    """Opens the database at `path`, or fails while `broken` is set."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken = False
        self.threads: set[int] = set()

    def open(self) -> Database:
        """What a Journal is given."""
        self.threads.add(threading.get_ident())
        if self.broken:
            raise StorageError("The disk is full.")
        return Database.open(self.path)


@pytest.fixture
def disk(path: Path) -> Disk:
    """A disk that works."""
    return Disk(path)


def kept(path: Path) -> list[Egress]:
    """What stands in the journal, oldest first."""
    with Database.open(path) as db:
        return [entry.egress for entry in reversed(list_journal(db))]


def journal(disk: Disk, wanted: Callable[[], bool] = lambda: True) -> Journal:
    """A journal on that disk."""
    return Journal(disk.open, wanted=wanted)


def test_a_row_is_kept_with_all_its_fields(disk: Disk) -> None:
    taken = journal(disk)
    taken.record(PAGE)
    taken.flush()
    assert kept(disk.path) == [PAGE]


def test_rows_of_many_threads_are_all_kept_and_written_in_none_of_them(disk: Disk) -> None:
    taken = journal(disk)

    def search(first: int) -> None:
        for number in range(first, first + 25):
            taken.record(replace(PAGE, bytes_out=number))

    searchers = [threading.Thread(target=search, args=[first]) for first in range(0, 100, 25)]
    for searcher in searchers:
        searcher.start()
    for searcher in searchers:
        searcher.join()
    taken.flush()
    assert sorted(row.bytes_out for row in kept(disk.path)) == list(range(100))
    assert threading.get_ident() not in disk.threads


def test_nothing_is_kept_while_it_is_switched_off(disk: Disk) -> None:
    wanted = [False]
    taken = journal(disk, lambda: wanted[0])
    taken.record(PAGE)
    wanted[0] = True
    taken.record(replace(PAGE, host="b.example"))
    taken.flush()
    assert [row.host for row in kept(disk.path)] == ["b.example"]


def test_what_could_not_be_written_is_written_later_and_told_once(
    disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    taken = journal(disk)
    disk.broken = True
    for number in (1, 2):
        taken.record(replace(PAGE, bytes_in=number))
        taken.flush()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == [
        "the journal: The disk is full."
    ]
    disk.broken = False
    taken.flush()
    assert [row.bytes_in for row in kept(disk.path)] == [1, 2]


def test_a_row_that_cannot_be_is_lost_and_told_and_the_next_one_is_kept(
    disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    taken = journal(disk)
    taken.record(replace(PAGE, bytes_in=2**70))
    taken.flush()
    assert [record.getMessage() for record in caplog.records] == ["rows of the journal were lost"]
    taken.record(PAGE)
    taken.flush()
    assert kept(disk.path) == [PAGE]


def test_of_too_many_that_wait_the_newest_are_kept(disk: Disk, caplog: pytest.LogCaptureFixture) -> None:
    taken = journal(disk)
    disk.broken = True
    for number in range(MOST_WAITING + 5):
        taken.record(replace(PAGE, bytes_in=number))
    taken.flush()
    disk.broken = False
    taken.flush()
    assert [row.bytes_in for row in kept(disk.path)] == list(range(5, MOST_WAITING + 5))
    assert caplog.records


def test_the_list_comes_in_pages_newest_first(disk: Disk) -> None:
    taken = journal(disk)
    for number in range(5):
        taken.record(replace(PAGE, bytes_in=number))
    taken.flush()
    with Database.open(disk.path) as db:
        first = list_journal(db, limit=2)
        assert [entry.egress.bytes_in for entry in first] == [4, 3]
        rest = list_journal(db, before_id=first[-1].id)
        assert [entry.egress.bytes_in for entry in rest] == [2, 1, 0]
        assert clear_journal(db) == 5
        assert list_journal(db) == []


def test_no_row_is_in_the_full_text_index(disk: Disk) -> None:
    taken = journal(disk)
    taken.record(replace(PAGE, query="velmora"))
    taken.flush()
    with Database.open(disk.path) as db:
        assert db.rows("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'velmora'") == []
        assert db.rows("SELECT * FROM index_queue") == []


def test_the_journal_of_a_damaged_history_is_rescued(path: Path) -> None:
    load_version(7, path)
    with Database.open(path) as db:
        db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        before = list_journal(db)
    assert before
    overwrite(path, leaf_pages(path, "messages"))
    with Database.open(path, check=True) as db:
        assert db.report.damaged is not None
        assert list_journal(db) == before

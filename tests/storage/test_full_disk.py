"""A disk that takes no more: each act says so in a sentence, what was stored stays, and later all works again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.migrations import LATEST, schema_version
from tests.storage.stories import add_chat
from tests.storage.test_rescue import leaf_pages, overwrite
from tests.storage.version_dumps import load_version

ROOT = Path(__file__).resolve().parent.parent.parent
# No file of the process may grow beyond the given size: writing then fails as on a full disk.
CHILD = """
import resource
import signal
import sys
from pathlib import Path
from llamachat.core.errors import StorageError
from llamachat.storage.daily_copy import make_daily_copy
from llamachat.storage.database import Database
from tests.storage.stories import add_chat

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

def attempt(act):
    try:
        print("done", act() is None)
    except StorageError as error:
        print(error)

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path(sys.argv[1])
"""
WRITING = """
with Database.open(path) as db:
    limit(max(file.stat().st_size for file in path.parent.iterdir()) + 10_000)
    attempt(lambda: add_chat(db, "long " * 100_000))
    limit(resource.RLIM_INFINITY)
    add_chat(db, "after")
"""
COPYING = """
with Database.open(path) as db:
    limit(20_000)
    attempt(lambda: make_daily_copy(db))
    limit(resource.RLIM_INFINITY)
    print(make_daily_copy(db).name)
"""
OPENING = """
limit(int(sys.argv[2]))
attempt(lambda: Database.open(path, check=True).close())
"""


def run(script: str, path: Path, *given: object) -> list[str]:
    """The lines that the child prints."""
    command = [sys.executable, "-c", CHILD + script, str(path), *map(str, given)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_message_that_finds_no_room_is_told_and_later_ones_are_stored(path: Path) -> None:
    with Database.open(path) as db:
        add_chat(db, "before")
    (said,) = run(WRITING, path)
    assert said.startswith(f"The disk did not take what was written: the history ({path}) could not be saved.")
    assert "Make some room" in said
    with Database.open(path, check=True) as db:
        assert db.report.sentences == ()
        assert [len(search_history(db, word)) for word in ("before", "long", "after")] == [1, 0, 1]
        assert db.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"


def test_a_copy_that_finds_no_room_is_told_and_leaves_nothing(path: Path) -> None:
    with Database.open(path) as db:
        add_chat(db, "bee " * 20_000)
    said, later = run(COPYING, path)
    assert said.startswith("No copy of the history could be made: ")
    assert [file.name for file in (path.parent / "backups").iterdir()] == [later]


def test_an_update_that_finds_no_room_is_told_and_changes_nothing(path: Path) -> None:
    load_version(3, path)
    before = path.read_bytes()
    (said,) = run(OPENING, path, 20_000)
    assert "room" in said
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir() if "update" in file.name] == []
    with Database.open(path) as db:
        assert schema_version(db.connection) == LATEST


@pytest.mark.parametrize("most_bytes", [20_000, 40_000, 100_000, 150_000])
def test_a_rescue_that_finds_no_room_is_told_and_keeps_the_damaged_file(path: Path, most_bytes: int) -> None:
    with Database.open(path) as db:
        for number in range(60):
            add_chat(db, f"bee {number} " * 50, f"wasp {number} " * 50)
    overwrite(path, leaf_pages(path, "messages")[3:6])
    before = path.read_bytes()
    assert len(before) > most_bytes
    (said,) = run(OPENING, path, most_bytes)
    assert "room" in said or "Check the disk" in said
    assert path.read_bytes() == before
    with Database.open(path, check=True) as db:
        assert db.report.damaged is not None
        assert len(list_conversations(db)) == 60

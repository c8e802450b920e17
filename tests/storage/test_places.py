"""What may stand in the place of a history, and one that may not be read or written: told with a next step."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.storage.checkup import check_history
from llamachat.storage.daily_copy import make_copy, make_daily_copy
from llamachat.storage.database import Database
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat

ROOT = Path(__file__).resolve().parent.parent.parent
# As somebody who may not do everything: root may read and write whatever the permissions say.
READER = """
import os
import sys
from pathlib import Path
from llamachat.core.errors import StorageError
from llamachat.storage.conversations import create_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.broken_off import mark_broken_off
from llamachat.storage.fulltext import search_history
if os.geteuid() == 0:
    os.setuid(65534)
try:
    with Database.open(Path(sys.argv[1]), check=True) as db:
        print(db.read_only, mark_broken_off(db), len(list_conversations(db)), len(search_history(db, "bee")))
        print(*db.report.sentences)
        create_conversation(db)
except StorageError as error:
    print(error)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may look into, unlike `tmp_path`."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


def read(path: Path) -> list[str]:
    """What the reader prints."""
    command = [sys.executable, "-c", READER, str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["a folder", "a pipe"])
def test_what_is_no_file_is_told(path: Path, make: Callable[[Path], None], check: bool) -> None:
    make(path)
    with pytest.raises(StorageError, match="is not a file") as caught:
        Database.open(path, check=check)
    assert "--data-dir" in caught.value.next_step
    with pytest.raises(StorageError, match="is not a file"):
        check_history(path)
    assert not path.is_file()


@pytest.mark.slow
@pytest.mark.parametrize("leftover", [False, True])
@pytest.mark.parametrize(("file", "folder"), [(0o444, 0o777), (0o666, 0o555), (0o444, 0o555)])
def test_a_write_protected_history_can_be_read(open_folder: Path, leftover: bool, file: int, folder: int) -> None:
    path = open_folder / "llamachat.db"
    with Database.open(path) as db:
        add_chat(db, "bee")
        log = Path(f"{path}-wal").read_bytes()
    if leftover:
        Path(f"{path}-wal").write_bytes(log)
    before = path.read_bytes()
    path.chmod(file)
    open_folder.chmod(folder)
    first, sentences, failure = read(path)
    assert first == "True 0 1 1"
    assert "The history can be read, but nothing is saved" in sentences
    assert "Check the permissions" in sentences
    assert "cannot be written to" in failure
    assert path.read_bytes() == before


def test_a_history_that_may_not_be_read_is_told(open_folder: Path) -> None:
    path = open_folder / "llamachat.db"
    with Database.open(path) as db:
        add_chat(db, "bee")
    before = path.read_bytes()
    path.chmod(0)
    open_folder.chmod(0o777)
    (said,) = read(path)
    assert said.startswith(f"The history ({path}) may not be read.")
    assert "Check the permissions" in said
    assert path.read_bytes() == before


def test_a_damaged_history_names_its_newest_copy(path: Path, clock: StillClock) -> None:
    with Database.open(path, clock=clock) as db:
        add_chat(db, "bee")
        daily = make_daily_copy(db)
        assert daily is not None
        os.utime(daily, (1, 1))
        newest = make_copy(db)
    path.write_text("Dear diary, " * 1000)
    with Database.open(path, check=True) as db:
        said = " ".join(db.report.sentences)
    assert "no message in it could be read" in said
    assert f"The newest copy is {newest}." in said
    assert "llamachat history restore" in said

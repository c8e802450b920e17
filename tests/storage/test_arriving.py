"""An import is stored in slices: others write in between, and nothing of it is seen before all of it is there."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from llamachat.core.errors import StorageError
from llamachat.core.messages import Role
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.arriving import drop_unfinished_import
from llamachat.storage.conversations import create_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.fulltext import search_history
from llamachat.storage.imported import Fate, take_in
from llamachat.storage.index_queue import refresh_index
from llamachat.storage.messages import add_message, load_branch, load_messages
from llamachat.storage.purge import purge_deleted
from llamachat.storage.tags import list_tags, tag_chats, tag_names
from tests.storage.test_imported import chat

ROOT = Path(__file__).resolve().parent.parent.parent


def many(count: int) -> Iterator[WholeChat]:
    """Chats of ten messages each."""
    for number in range(count):
        yield chat(*((None, f"wasp{line}") for line in range(10)), uid=chr(0x4E00 + number))


def rows(db: Database) -> list[list[tuple[object, ...]]]:
    """All rows that an import can add."""
    tables = ("conversations", "messages", "arriving", "index_queue")
    return [[tuple(row) for row in db.rows(f"SELECT * FROM {table} ORDER BY 1")] for table in tables]


def test_another_writer_gets_in_between_and_sees_nothing_of_the_import(path: Path) -> None:
    waited_ms = 50  # less than any import of a thousand messages takes
    with Database.open(path) as db, closing(Database.open(path, busy_timeout_s=waited_ms / 1000)) as other:
        seen = list[int]()

        def chats() -> Iterator[WholeChat]:
            for whole in many(100):
                create_conversation(other, title="mine")
                seen.append(len(list_conversations(other)) + len(search_history(other, "wasp1")))
                yield whole

        arrivals = take_in(db, chats())
        assert seen == list(range(1, 101))
        assert (len(arrivals), len(list_conversations(other))) == (100, 200)
        assert len(search_history(other, "wasp1", limit=200)) == 100


def test_what_a_chat_gets_is_seen_at_the_end_alone(path: Path) -> None:
    with Database.open(path) as db, closing(Database.open(path)) as other:
        take_in(db, [chat((None, "a"))])

        def chats() -> Iterator[WholeChat]:
            yield chat((None, "a"), (1, "b"))
            yield from many(40)
            assert [message.content for message in load_messages(other, 1)] == ["a"]
            assert [message.content for message in load_branch(other, 1)] == ["a"]
            yield from many(1)

        assert [arrival.fate for arrival in take_in(db, chats())].count(Fate.GROWN) == 1
        assert [message.content for message in load_branch(other, 1)] == ["a", "b"]


def test_a_chat_that_goes_on_meanwhile_shows_what_was_said_in_it(path: Path) -> None:
    with Database.open(path) as db, closing(Database.open(path)) as other:
        take_in(db, [chat((None, "a"))])

        def chats() -> Iterator[WholeChat]:
            yield chat((None, "a"), (1, "b"))
            yield from many(40)
            add_message(other, conversation_id=1, parent_id=1, role=Role.USER, content="mine")

        take_in(db, chats())
        assert [message.content for message in load_branch(db, 1)] == ["a", "mine"]
        assert {message.content for message in load_messages(db, 1)} == {"a", "b", "mine"}


def test_a_chat_that_is_in_it_twice_is_stored_once_with_all_that_is_new(path: Path) -> None:
    with Database.open(path) as db:
        arrivals = take_in(db, [chat((None, "a")), *many(40), chat((None, "a"), (1, "b")), chat((None, "a"))])
        assert [arrivals[at].fate for at in (0, -2, -1)] == [Fate.NEW, Fate.GROWN, Fate.KNOWN]
        assert [message.content for message in load_branch(db, 1)] == ["a", "b"]
        assert rows(db)[2] == []


def test_a_deleted_chat_that_is_in_it_twice_is_brought_back_once(path: Path) -> None:
    with Database.open(path) as db:
        take_in(db, [chat((None, "a"))])
        delete_chats(db, [1])
        again = chat((None, "a")), chat((None, "a")), chat((None, "a"), (1, "b"))
        assert [arrival.fate for arrival in take_in(db, again)] == [Fate.RESTORED, Fate.KNOWN, Fate.GROWN]
        assert [message.content for message in load_branch(db, 1)] == ["a", "b"]
        assert list_conversations(db) != []


def test_what_is_broken_off_after_some_slices_leaves_no_row(path: Path) -> None:
    with Database.open(path) as db:
        take_in(db, [chat((None, "a"))])
        search_history(db, "a")
        before = rows(db)

        def chats() -> Iterator[WholeChat]:
            yield chat((None, "a"), (1, "b"))
            yield from many(100)
            raise KeyboardInterrupt

        with suppress(KeyboardInterrupt):
            take_in(db, chats())
        assert rows(db) == before
        assert search_history(db, "wasp1") == []


def test_a_tag_that_came_with_a_broken_off_import_goes_with_it(path: Path) -> None:
    with Database.open(path) as db:
        take_in(db, [chat((None, "a"))])
        tag_chats(db, [1], "mine")

        def chats() -> Iterator[WholeChat]:
            for whole in many(60):
                yield replace(whole, conversation=replace(whole.conversation, tags=("mine", "theirs")))
            assert tag_names(db) == ("mine", "theirs")
            raise KeyboardInterrupt

        with suppress(KeyboardInterrupt):
            take_in(db, chats())
        assert [(tag.name, tag.chats) for tag in list_tags(db)] == [("mine", 1)]


def test_deleting_for_good_leaves_an_import_alone(path: Path) -> None:
    with Database.open(path) as db, closing(Database.open(path)) as other:

        def chats() -> Iterator[WholeChat]:
            yield from many(60)
            assert (purge_deleted(other).chats, purge_deleted(other).messages) == (0, 0)

        assert len(take_in(db, chats())) == len(list_conversations(db)) == 60


READER = """
import os, sys
from pathlib import Path
from llamachat.core.errors import StorageError
from llamachat.storage.arriving import drop_unfinished_import
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.imported import expected_arrivals, take_in
from tests.storage.test_arriving import many

if os.geteuid() == 0:
    os.setuid(65534)  # root may write whatever the permissions say
with Database.open(Path(sys.argv[1])) as db:
    drop_unfinished_import(db)
    print(len(list(expected_arrivals(db, many(3)))))
    try:
        take_in(db, many(3))
    except StorageError as error:
        print(error)
"""


def test_a_write_protected_history_is_told_of_as_always() -> None:
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "llamachat.db"
        Database.open(path).close()
        path.chmod(0o444)
        command = [sys.executable, "-c", READER, str(path)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    expected, refused = done.stdout.splitlines()
    assert expected == "3"
    assert "cannot be written to" in refused


def test_a_second_import_at_once_is_refused(path: Path) -> None:
    with Database.open(path) as db, closing(Database.open(path)) as other:

        def chats() -> Iterator[WholeChat]:
            yield from many(40)
            with pytest.raises(StorageError, match="Another import is under way"):
                take_in(other, [chat((None, "a"))])
            drop_unfinished_import(other)

        assert len(take_in(db, chats())) == len(list_conversations(db)) == 40


KILLED = """
import os, signal, sys
from pathlib import Path
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.imported import take_in
from tests.storage.test_arriving import many

def chats():
    yield from many(int(sys.argv[2]))
    os.kill(os.getpid(), signal.SIGKILL)

with Database.open(Path(sys.argv[1])) as db:
    take_in(db, chats())
"""


@pytest.mark.parametrize("count", [1, 45, pytest.param(200, marks=pytest.mark.slow)])
def test_what_a_killed_import_left_is_never_seen_and_deleted_at_the_next_start(path: Path, count: int) -> None:
    with Database.open(path) as db:
        take_in(db, [chat((None, "a"))])
        while refresh_index(db):
            pass
        before = rows(db)
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), str(count)], cwd=ROOT, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    with Database.open(path, check=True) as db:
        assert (len(list_conversations(db)), search_history(db, "wasp1")) == (1, [])
        drop_unfinished_import(db)
        assert rows(db) == before
        assert db.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"
        assert len(take_in(db, many(count))) == len(list_conversations(db)) - 1 == count

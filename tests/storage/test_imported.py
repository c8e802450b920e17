"""Chats from files in the history: each once, with what is new in it, and all or nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from llamachat.core.conversation import Conversation
from llamachat.core.errors import StorageError
from llamachat.core.messages import Role, StoredMessage
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.conversations import get_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats, list_deleted
from llamachat.storage.fulltext import search_history
from llamachat.storage.imported import Arrival, Fate, expected_arrivals, take_in
from llamachat.storage.index_queue import refresh_index
from llamachat.storage.messages import add_message, load_branch, load_messages
from llamachat.storage.versions import delete_message
from tests.fakes.still_clock import StillClock

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def db() -> Iterator[Database]:
    with Database.in_memory(clock=StillClock()) as db:
        yield db


def chat(*lines: tuple[int | None, str], head: int | None = None, uid: str = "c") -> WholeChat:
    """A chat of messages, each with the number of the one above; the head is the last one where none is given."""
    messages = tuple(
        StoredMessage(
            id=number,
            uid=f"{uid}{text:0>31}",
            conversation_id=0,
            parent_id=parent,
            role=Role.USER,
            content=text,
            created_at=1000.0 + number,
        )
        for number, (parent, text) in enumerate(lines, 1)
    )
    head_id = head or len(messages)
    known = Conversation(id=0, uid=uid * 32, title="T", created_at=1000.0, updated_at=2000.0, head_id=head_id)
    return WholeChat(known, messages)


def taken(db: Database, whole: WholeChat) -> Arrival:
    """Take it in, after saying what that will do."""
    expected = list(expected_arrivals(db, [whole, whole]))
    arrivals = take_in(db, [whole])
    assert arrivals == expected
    return arrivals[0]


def shown(db: Database, conversation_id: int = 1) -> list[str]:
    return [message.content for message in load_branch(db, conversation_id)]


def test_a_new_chat_keeps_its_dates_branches_and_head(db: Database) -> None:
    arrival = taken(db, chat((None, "a"), (1, "b"), (1, "x"), (3, "y"), head=2))
    assert (arrival.fate, arrival.added_messages) == (Fate.NEW, 4)
    (stored,) = list_conversations(db)
    assert (stored.created_at, stored.updated_at, shown(db)) == (1000.0, 2000.0, ["a", "b"])
    messages = load_messages(db, stored.id)
    assert [(message.parent_id, message.created_at) for message in messages] == [
        *((None, 1001.0), (1, 1002.0)),
        *((1, 1003.0), (3, 1004.0)),
    ]


def test_a_second_time_changes_nothing(db: Database) -> None:
    taken(db, chat((None, "a"), (1, "b")))
    before = list_conversations(db), load_messages(db, 1)
    arrival = taken(db, chat((None, "a"), (1, "b")))
    assert (arrival.fate, arrival.added_messages) == (Fate.KNOWN, 0)
    assert (list_conversations(db), load_messages(db, 1)) == before


def test_a_chat_that_went_on_elsewhere_goes_on_here(db: Database) -> None:
    taken(db, chat((None, "a"), (1, "b")))
    arrival = taken(db, chat((None, "a"), (1, "b"), (2, "c"), (3, "d")))
    assert (arrival.fate, arrival.added_messages) == (Fate.GROWN, 2)
    assert shown(db) == ["a", "b", "c", "d"]


def test_a_chat_that_went_on_here_as_well_shows_what_it_showed(db: Database) -> None:
    taken(db, chat((None, "a"), (1, "b")))
    add_message(db, conversation_id=1, parent_id=2, role=Role.USER, content="mine")
    taken(db, chat((None, "a"), (1, "b"), (2, "c")))
    assert shown(db) == ["a", "b", "mine"]
    assert [message.content for message in load_messages(db, 1)] == ["a", "b", "mine", "c"]


def test_a_deleted_chat_comes_back(db: Database) -> None:
    taken(db, chat((None, "a")))
    delete_chats(db, [1])
    assert taken(db, chat((None, "a"))).fate is Fate.RESTORED
    assert get_conversation(db, 1) is not None


def test_messages_that_were_deleted_come_back_with_what_is_new_below_them(db: Database) -> None:
    first = (None, "a"), (1, "b"), (2, "c"), (3, "d"), (2, "x")
    taken(db, chat(*first, head=4))
    c, x = (message.id for message in load_messages(db, 1) if message.content in "cx")
    delete_message(db, x)
    delete_message(db, c)
    assert taken(db, chat(*first, head=4)).fate is Fate.KNOWN
    assert shown(db) == ["a", "b"]
    assert taken(db, chat(*first, (4, "e"))).fate is Fate.GROWN
    assert shown(db) == ["a", "b", "c", "d", "e"]
    assert [message.content for message in load_messages(db, 1)] == ["a", "b", "c", "d", "e"]
    assert [row.text for row in list_deleted(db)] == ["x"]
    refresh_index(db)
    assert [hit.message_id for hit in search_history(db, "c")] == [c]


def test_a_deleted_chat_comes_back_without_what_was_deleted_in_it(db: Database) -> None:
    whole = chat((None, "a"), (1, "b"), (2, "c"))
    taken(db, whole)
    delete_message(db, 3)
    delete_chats(db, [1])
    assert taken(db, whole).fate is Fate.RESTORED
    assert shown(db) == ["a", "b"]


def test_a_chat_that_was_emptied_shows_what_is_new(db: Database) -> None:
    taken(db, chat((None, "a"), (1, "b"), (1, "x"), head=3))
    delete_message(db, 1)
    assert shown(db) == []
    taken(db, chat((None, "a"), (1, "b"), (1, "x"), (2, "c"), head=3))
    assert shown(db) == ["a", "b", "c"]


def test_messages_of_another_chat_are_refused(db: Database) -> None:
    taken(db, chat((None, "a")))
    stolen = chat((None, "a"))
    stolen = replace(stolen, conversation=replace(stolen.conversation, uid="d" * 32))
    with pytest.raises(StorageError, match="part of another chat"):
        list(expected_arrivals(db, [stolen]))
    with pytest.raises(StorageError, match="part of another chat"):
        take_in(db, [chat((None, "b"), uid="e"), stolen])
    assert len(list_conversations(db)) == 1


def test_what_is_broken_off_leaves_nothing(db: Database) -> None:
    taken(db, chat((None, "a")))

    def chats() -> Iterator[WholeChat]:
        yield chat((None, "a"), (1, "b"))
        yield chat((None, "a"), uid="d")
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        take_in(db, chats())
    assert (len(list_conversations(db)), shown(db)) == (1, ["a"])


KILLED = """
import os, signal, sys
from pathlib import Path
from llamachat.storage.database import Database
from llamachat.storage.imported import take_in
from tests.storage.test_imported import chat

def chats():
    for number in range(2000):
        yield chat(*((None, str(line)) for line in range(10)), uid=chr(0x4E00 + number))
    os.kill(os.getpid(), signal.SIGKILL)

with Database.open(Path(sys.argv[1])) as db:
    take_in(db, chats())
"""


def test_a_killed_import_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "llamachat.db"
    with Database.open(path) as db:
        take_in(db, [chat((None, "a"))])
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    with Database.open(path, check=True) as db:
        assert (db.report.sentences, len(list_conversations(db)), shown(db)) == ((), 1, ["a"])


def test_a_full_disk_leaves_what_was(db: Database) -> None:
    taken(db, chat((None, "a")))
    pages = db.connection.execute("PRAGMA page_count").fetchone()[0]
    db.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StorageError, match="disk is full"):
        take_in(db, (chat((None, "b" * 5000), uid=uid) for uid in "defghijk"))
    assert (len(list_conversations(db)), shown(db)) == (1, ["a"])


def test_times_that_are_not_known_are_now(db: Database) -> None:
    whole = chat((None, "a"))
    arrival = taken(
        db,
        WholeChat(
            replace(whole.conversation, created_at=0.0, updated_at=0.0),
            (replace(whole.messages[0], created_at=0.0),),
        ),
    )
    (stored,) = list_conversations(db)
    assert {arrival.updated_at, stored.created_at, stored.updated_at, load_messages(db, 1)[0].created_at} == {
        1_800_000_000.0
    }


def test_what_was_imported_is_found(db: Database) -> None:
    taken(db, chat((None, "bumblebee")))
    while refresh_index(db):
        pass
    assert [hit.conversation_id for hit in search_history(db, "bumble")] == [1]


def test_of_an_endless_title_no_more_is_told_than_fits_a_line(db: Database) -> None:
    whole = chat((None, "a"))
    arrival = taken(db, WholeChat(replace(whole.conversation, title="\n" + "x y " * 1000), whole.messages))
    assert arrival.title == "x y " * 25
    assert list_conversations(db)[0].title == "\n" + "x y " * 1000


def test_half_of_a_pair_is_stored_as_what_can_be(db: Database) -> None:
    whole = chat((None, "a"))
    odd = replace(whole.messages[0], content="\ud83d", wire=({"role": "user", "content": "\udc1d"},))
    taken(db, WholeChat(replace(whole.conversation, title="\ud83d"), (odd,)))
    (message,) = load_messages(db, 1)
    assert (message.content, message.wire[0]["content"], list_conversations(db)[0].title) == ("\ufffd",) * 3

"""Transactions, errors in sentences, and several writers at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.errors import BugError, StorageError
from llamachat.core.messages import Role, Status
from llamachat.storage.conversations import create_conversation, list_conversations, set_state
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import add_message, get_message, load_branch, load_messages, update_message
from tests.storage.stories import add_chat


def test_the_pragmas_are_set(db: Database) -> None:
    def pragma(name: str) -> object:
        return db.connection.execute(f"PRAGMA {name}").fetchone()[0]

    assert (pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")) == ("wal", 1, 1)
    assert pragma("busy_timeout") == 5000


def test_a_transaction_is_all_or_nothing(db: Database) -> None:
    def fail_halfway() -> None:
        with db.transaction():
            add_chat(db, "bee")
            with db.transaction():
                add_chat(db, "wasp")
            raise KeyError

    with pytest.raises(KeyError):
        fail_halfway()
    assert list_conversations(db) == []
    with db.transaction():
        add_chat(db, "bee")
    assert len(list_conversations(db)) == 1


def test_a_closed_database_and_a_foreign_thread_are_bugs(path: Path) -> None:
    with Database.open(path) as db:
        caught: list[BaseException] = []

        def use() -> None:
            try:
                list_conversations(db)
            except BugError as error:
                caught.append(error)

        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        assert len(caught) == 1
    db.close()
    with pytest.raises(BugError):
        list_conversations(db)


def test_while_another_program_writes_for_long_saving_says_try_again(db: Database, path: Path) -> None:
    chat, (message,) = add_chat(db, "bee")
    db.connection.execute("PRAGMA busy_timeout = 20")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError, match="Another program is writing") as caught:
            update_message(db, message.id, content="wasp")
        assert caught.value.next_step == "Try again in a moment."
        assert load_branch(db, chat.id) == [message]
        assert list_conversations(db)[0].id == chat.id
        other.execute("COMMIT")
    update_message(db, message.id, content="wasp")
    changed = get_message(db, message.id)
    assert changed is not None
    assert changed.content == "wasp"


def test_a_short_wait_for_another_writer_loses_nothing(db: Database, path: Path) -> None:
    _, (message,) = add_chat(db, "bee")
    locked, release = threading.Event(), threading.Event()

    def hold() -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            locked.set()
            release.wait(30)
            other.execute("COMMIT")

    holder = threading.Thread(target=hold)
    holder.start()
    locked.wait(30)
    threading.Timer(0.1, release.set).start()
    update_message(db, message.id, content="wasp")
    holder.join()
    assert search_history(db, "wasp")[0].message_id == message.id


def test_a_full_disk_is_told_and_saving_works_again_later(db: Database) -> None:
    chat, (question,) = add_chat(db, "bee")
    answer = add_message(
        db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, status=Status.STREAMING
    )
    pages = db.connection.execute("PRAGMA page_count").fetchone()[0]
    db.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    long_text = "long " * 20_000
    with pytest.raises(StorageError, match="disk is full") as caught:
        update_message(db, answer.id, content=long_text)
    assert "room" in caught.value.next_step
    assert load_branch(db, chat.id) == [question, answer]
    db.connection.execute("PRAGMA max_page_count = 1000000")
    update_message(db, answer.id, content=long_text, status=Status.COMPLETE)
    assert [message.content for message in load_branch(db, chat.id)] == ["bee", long_text]
    assert db.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"


def test_a_full_disk_in_a_transaction_leaves_nothing_of_it(db: Database) -> None:
    pages = db.connection.execute("PRAGMA page_count").fetchone()[0]
    db.connection.execute(f"PRAGMA max_page_count = {pages + 5}")

    def store_much() -> None:
        with db.transaction():
            add_chat(db, "bee")
            add_chat(db, "long " * 20_000)

    with pytest.raises(StorageError, match="disk is full"):
        store_much()
    assert not db.connection.in_transaction
    assert list_conversations(db) == []


ROOT = Path(__file__).resolve().parent.parent.parent
WRITER = """
import sys
from pathlib import Path
from tests.storage.test_database import write_many
write_many(Path(sys.argv[1]), int(sys.argv[2]))
"""


def write_many(path: Path, chats: int) -> None:
    """Write as a turn does: a question, an answer that grows, its end."""
    with Database.open(path) as db:
        for _ in range(chats):
            chat, (question,) = add_chat(db, "bee")
            answer = add_message(
                db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, status=Status.STREAMING
            )
            for size in range(1, 4):
                update_message(db, answer.id, content="wasp " * size)
            update_message(db, answer.id, status=Status.COMPLETE)


def test_threads_and_processes_write_at_once_without_losing_a_row(path: Path) -> None:
    errors: list[BaseException] = []

    def write() -> None:
        try:
            write_many(path, 15)
        except StorageError as error:
            errors.append(error)

    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), "15"], cwd=ROOT) for _ in range(2)]
    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in processes] == [0, 0]
    assert errors == []
    with Database.open(path) as db:
        chats = list_conversations(db)
        assert len(chats) == 6 * 15
        assert {len(load_messages(db, chat.id)) for chat in chats} == {2}
        assert len(search_history(db, "wasp wasp wasp", limit=1000)) == 90
        assert db.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"


def test_two_connections_see_each_others_writes(db: Database, path: Path) -> None:
    with Database.open(path) as other:
        chat = create_conversation(other, title="there")
        assert [conversation.id for conversation in list_conversations(db)] == [chat.id]
        set_state(db, "k", "v")
        add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content="bee")
        assert len(load_messages(other, chat.id)) == 1


def test_a_database_in_memory_has_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Database.in_memory() as db:
        add_chat(db, "bee")
        assert search_history(db, "bee")
        assert len(list_conversations(db)) == 1
    assert list(tmp_path.iterdir()) == []


def test_what_another_connection_writes_is_noticed_once(db: Database, path: Path) -> None:
    with Database.open(path) as other:
        add_chat(other, "before the first look")
        assert not db.changed_elsewhere()
        add_chat(other, "after it")
        assert db.changed_elsewhere()
        assert not db.changed_elsewhere()
        add_chat(db, "its own")
        assert not db.changed_elsewhere()

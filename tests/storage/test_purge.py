"""What is deleted for good is in none of the files any more, nor in the copies; all else stays as it was."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.egress import Egress
from llamachat.core.errors import StorageError
from llamachat.core.messages import Role, Status
from llamachat.storage.backup import one_copy_at_a_time, write_copy
from llamachat.storage.conversations import (
    NEW_CHAT_DRAFT,
    create_conversation,
    get_state,
    list_conversations,
    rename_conversation,
    set_draft,
    set_state,
)
from llamachat.storage.daily_copy import make_copy, make_daily_copy
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats, list_deleted
from llamachat.storage.forks import fork_chat
from llamachat.storage.fulltext import search_history
from llamachat.storage.journal import Journal, list_journal
from llamachat.storage.messages import MessageFields, add_message, load_branch, update_message
from llamachat.storage.purge import Purge, purge_chat, purge_deleted
from llamachat.storage.queued import enqueue
from llamachat.storage.tags import tag_chats, tag_names
from llamachat.storage.versions import delete_message
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat
from tests.storage.version_dumps import load_version

RARE = "zygomorphic"


def holding(folder: Path, word: str) -> list[str]:
    """The files below the folder in which the word stands, in whatever case."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [file.name for file in files if word.encode() in file.read_bytes().lower()]


def add_secret_chat(db: Database, word: str) -> int:
    """A chat with the word wherever a chat can have one, written as the program writes: an answer that grows."""
    chat, (question,) = add_chat(db, f"what is {word}?", title=f"About {word.title()}")
    fields: MessageFields = {"reasoning": f"hm, {word}", "prompt": f"think of {word}", "error": word}
    answer = add_message(
        db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, status=Status.STREAMING
    )
    for size in (1, 400, 900):
        update_message(db, answer.id, content=f"{word} is a word. " * size)
    fields |= {"content": "A word.", "status": Status.COMPLETE, "wire": ({"content": word},)}
    update_message(db, answer.id, **fields)
    set_draft(db, chat.id, f"and {word}")
    journal = Journal(lambda: Database.open(db.path, clock=db.clock), wanted=lambda: True)
    journal.record(Egress(at=1.0, host="s.example", what="search", query=word, message_id=answer.id))
    journal.record(Egress(at=1.0, host="s.example", what="search", query="other", message_id=0))
    journal.flush()
    return chat.id


def test_one_chat_is_deleted_for_good(db: Database, path: Path) -> None:
    for number in range(30):
        add_chat(db, f"bee {number}", f"wasp {number} " * 100, title=f"Chat {number}")
    number = add_secret_chat(db, RARE)
    delete_chats(db, [add_secret_chat(db, "syzygy")])
    assert search_history(db, RARE)
    chats, bees = list_conversations(db), search_history(db, "bee")
    assert holding(path.parent, RARE) != []
    purge = purge_chat(db, number)
    assert (purge.chats, purge.not_cleaned) == (1, ())
    assert holding(path.parent, RARE) == []
    assert holding(path.parent, "syzygy") != []
    assert [chat for chat in chats if chat.id != number] == list_conversations(db)
    assert search_history(db, "bee") == bees
    assert search_history(db, RARE) == []
    assert "other" in [entry.egress.query for entry in list_journal(db)]
    assert db.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"


def test_every_column_of_a_chat_goes(db: Database, path: Path) -> None:
    """Also those that later versions of the program add, and what other tables know of the chat."""
    number = add_secret_chat(db, "syzygy")
    tag_chats(db, [number], "Words")
    enqueue(db, number, "and then?")
    fork = fork_chat(db, load_branch(db, number)[0].id)
    delete_message(db, load_branch(db, number)[-1].id)
    delete_chats(db, [number])
    for table, own in (
        *(("conversations", "id"), ("messages", "conversation_id"), ("queued", "conversation_id")),
        ("deletions", "conversation_id"),
    ):
        for column in db.rows(f"PRAGMA table_info({table})"):
            if column["type"] == "TEXT" and column["name"] not in ("role", "kind"):
                db.write(f"UPDATE {table} SET {column['name']} = '{RARE}' || id WHERE {own} = ?", (number,))
    make_copy(db)
    assert len(holding(path.parent, RARE)) >= 2
    assert purge_chat(db, number).not_cleaned == ()
    assert holding(path.parent, RARE) == []
    assert [chat.id for chat in list_conversations(db)] == [fork.id]
    assert [message.content for message in load_branch(db, fork.id)] == ["what is syzygy?"]
    assert tag_names(db) == ("Words",)
    assert list_deleted(db) == []
    assert db.rows("PRAGMA foreign_key_check") == []


def test_copies_hold_it_no_longer(db: Database, path: Path, clock: StillClock) -> None:
    kept, _ = add_chat(db, "bees stay", title="Kept")
    number = add_secret_chat(db, RARE)
    copies = [make_daily_copy(db), make_copy(db)]
    clock.move(86400)
    purge = purge_chat(db, number)
    assert holding(path.parent, RARE) == []
    assert purge.not_cleaned == ()
    for copy in copies:
        assert copy is not None
        with Database.open(copy) as there:
            assert [chat.id for chat in list_conversations(there)] == [kept.id]
            while True:
                try:
                    assert [hit.title for hit in search_history(there, "bees")] == ["Kept"]
                    break
                except StorageError:
                    continue


def test_a_copy_shows_the_rest_of_a_branch_whose_end_went_for_good(db: Database) -> None:
    chat, (_, answer, end) = add_chat(db, "why", "because", "and then")
    other, (alone,) = add_chat(db, "alone")
    copy = make_copy(db)
    for message in (end, alone):
        delete_message(db, message.id)
    assert purge_deleted(db).messages == 2
    with Database.open(copy) as there:
        heads = {one.id: one.head_id for one in list_conversations(there)}
        assert heads == {chat.id: answer.id, other.id: None}


@pytest.mark.parametrize("version", [1, 4, 6])
def test_copies_from_before_an_update_hold_it_no_longer(path: Path, version: int) -> None:
    load_version(version, path)
    with Database.open(path) as db:
        copy = db.report.copy
        assert copy is not None
        assert b"insect" in copy.read_bytes()
        assert purge_chat(db, 1).not_cleaned == ()
        assert [chat.id for chat in list_conversations(db)] == [2]
    assert b"insect" not in copy.read_bytes()
    assert b"deleted chat" in copy.read_bytes()


def test_what_killed_programs_left_of_copies_goes_too(db: Database, path: Path) -> None:
    number = add_secret_chat(db, RARE)
    copy = make_copy(db)
    leftovers = [copy.with_name(f"{copy.name}.part"), path.with_suffix(".restoring")]
    for leftover in leftovers:
        leftover.write_bytes(copy.read_bytes())
    assert purge_chat(db, number).not_cleaned == ()
    assert [leftover for leftover in leftovers if leftover.exists()] == []
    assert holding(path.parent, RARE) == []


def test_a_copy_that_is_being_made_is_waited_for(db: Database, path: Path) -> None:
    number = add_secret_chat(db, RARE)
    with ThreadPoolExecutor() as pool:
        make_copy(db)
        with one_copy_at_a_time(path):
            purge = pool.submit(_purge_in_thread, path, number)
            copy = write_copy(db.connection, path, path.parent / "backups" / "llamachat-2026-01-01.db")
            assert RARE.encode() in copy.read_bytes()
            assert not purge.done()
        assert purge.result().not_cleaned == ()
    assert holding(path.parent, RARE) == []


def _purge_in_thread(path: Path, number: int) -> Purge:
    with Database.open(path) as db:
        return purge_chat(db, number)


def test_files_that_cannot_be_cleaned_are_told(db: Database, path: Path) -> None:
    chat, _ = add_chat(db, "bee")
    broken = path.with_stem(f"{path.stem}-damaged-20260101-000000")
    broken.write_bytes(b"what is left of a history" * 100)
    assert purge_chat(db, chat.id).not_cleaned == (broken,)
    assert broken.read_bytes() == b"what is left of a history" * 100


def test_a_reader_that_keeps_the_log_alive_is_told(path: Path) -> None:
    with Database.open(path, busy_timeout_s=0.01) as db, Database.open(path) as reader:
        number = add_secret_chat(db, RARE)
        reader.connection.execute("BEGIN")
        reader.rows("SELECT count(*) FROM messages")
        with pytest.raises(StorageError, match="its log still holds it") as caught:
            purge_chat(db, number)
        assert "llamachat history purge" in caught.value.next_step
        reader.connection.execute("ROLLBACK")
        purge_deleted(db)
        assert holding(path.parent, RARE) == []


def test_a_replaced_file_is_cleaned_and_one_with_a_log_left_alone(db: Database, path: Path) -> None:
    chat = add_secret_chat(db, RARE)
    clean, with_log = (make_copy(db, path.with_stem(f"{path.stem}-replaced-{n}")) for n in (1, 2))
    Path(f"{with_log}-wal").write_bytes(b"a log")
    before = with_log.read_bytes()
    assert purge_chat(db, chat).not_cleaned == (with_log,)
    assert with_log.read_bytes() == before
    assert RARE.encode() not in clean.read_bytes()


def test_what_was_deleted_before_goes_for_good(db: Database, path: Path) -> None:
    delete_chats(db, [add_secret_chat(db, RARE)])
    chat, (_, answer, follow) = add_chat(db, "why", "because of syzygy", "and then syzygy")
    delete_message(db, answer.id)
    kept = load_branch(db, chat.id)
    purge = purge_deleted(db)
    assert (purge.chats, purge.messages) == (1, 2)
    assert holding(path.parent, RARE) == holding(path.parent, "syzygy") == []
    assert load_branch(db, chat.id) == kept
    assert follow.id not in [row["id"] for row in db.rows("SELECT id FROM messages")]
    assert (purge_deleted(db).chats, purge_deleted(db).messages) == (0, 0)


def test_a_deleted_message_with_something_shown_below_it_stays(db: Database) -> None:
    _, (question, answer) = add_chat(db, "bee", "an insect")
    db.write("UPDATE messages SET deleted_at = 1 WHERE id = ?", (question.id,))
    assert purge_deleted(db).messages == 0
    assert [row["id"] for row in db.rows("SELECT id FROM messages")] == [question.id, answer.id]


def test_old_words_of_a_chat_that_changed_go_too(db: Database, path: Path) -> None:
    db.connection.execute(
        "PRAGMA secure_delete = OFF"
    )  # many builds of SQLite begin so, and leave text in free pages
    chat, (message,) = add_chat(db, f"{RARE} " * 20_000, title=RARE)
    update_message(db, message.id, content="bee")
    rename_conversation(db, chat.id, "bee")
    copy = make_copy(db)
    assert RARE.encode() in copy.read_bytes()
    purge_chat(db, chat.id)
    assert holding(path.parent, RARE) == []


def test_first_words_that_a_copy_has_as_a_draft_go_too(db: Database, path: Path) -> None:
    set_state(db, NEW_CHAT_DRAFT, f"what is {RARE}")
    copy = make_copy(db)
    set_state(db, NEW_CHAT_DRAFT, "something else")
    chat, _ = add_chat(db, f"what is {RARE}?")
    assert RARE.encode() in copy.read_bytes()
    purge_chat(db, chat.id)
    assert holding(path.parent, RARE) == []
    assert get_state(db, NEW_CHAT_DRAFT) == "something else"


def test_a_very_long_chat_can_be_deleted_for_good(db: Database) -> None:
    chat = create_conversation(db)
    with db.transaction() as connection:
        connection.executemany(
            "INSERT INTO messages (uid, conversation_id, parent_id, role, content, created_at) "
            "VALUES (?, ?, ?, 'user', 'bee', 1)",
            [(f"m{number}", chat.id, number - 1 or None) for number in range(1, 3001)],
        )
    purge_chat(db, chat.id)
    assert db.rows("SELECT id FROM messages") == []


def test_a_chat_that_is_not_there_is_told(db: Database) -> None:
    with pytest.raises(StorageError, match="no longer exists"):
        purge_chat(db, 77)


def test_a_temporary_chat_leaves_nothing_anywhere(path: Path, clock: StillClock) -> None:
    with closing(Database.open(path, clock=clock)), Database.in_memory(clock=clock) as db:
        chat, _ = add_chat(db, RARE, title=RARE)
        assert search_history(db, RARE)
        assert [one.id for one in list_conversations(db)] == [chat.id]
        assert make_daily_copy(db) is None
    assert holding(path.parent, RARE) == []

"""A damaged file is kept under another name, and what can be read of it goes on in a fresh one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.core.messages import StoredMessage
from llamachat.storage.arriving import drop_unfinished_import, note_arrival
from llamachat.storage.conversations import get_state, list_conversations, set_state
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import get_message, load_branch
from llamachat.storage.migrations import LATEST
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat
from tests.storage.test_migrations import tables
from tests.storage.version_dumps import load_version

PAGE = 4096


@pytest.fixture
def history(path: Path, clock: StillClock) -> dict[int, StoredMessage]:
    """A closed database of 60 chats with long messages at `path`; its messages by id."""
    stored: dict[int, StoredMessage] = {}
    with Database.open(path, clock=clock) as db:
        set_state(db, "draft", "half a thought")
        for number in range(60):
            _, messages = add_chat(db, f"bee {number} " * 50, f"wasp {number} " * 50, title=f"Chat {number}")
            stored |= {message.id: message for message in messages}
    return stored


def leaf_pages(path: Path, table: str) -> list[int]:
    """The numbers of the pages that hold a table's rows."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (table,))
        return [row[0] for row in rows.fetchall()]


def overwrite(path: Path, pages: list[int], *, offset: int = 0, length: int = 200) -> None:
    """Damage pages as a broken disk would."""
    content = bytearray(path.read_bytes())
    for page in pages:
        start = (page - 1) * PAGE + offset
        content[start : start + length] = b"\xa5" * length
    path.write_bytes(content)


def check_rescued(db: Database, history: dict[int, StoredMessage], damaged_bytes: bytes) -> set[int]:
    """What was rescued is as it was, linked and searchable, and the damaged file is kept; returns the ids."""
    damaged = db.report.damaged
    assert damaged is not None
    assert damaged.read_bytes() == damaged_bytes
    assert str(damaged) in " ".join(db.report.sentences)
    rescued = {row["id"] for row in db.rows("SELECT id FROM messages")}
    reached = {message.id for chat in list_conversations(db) for message in load_branch(db, chat.id)}
    assert reached == rescued
    for message_id in rescued:
        found = get_message(db, message_id)
        assert found is not None
        assert (found.uid, found.role) == (history[message_id].uid, history[message_id].role)
        assert found.content == history[message_id].content or _is_cut(found, history[message_id], damaged_bytes)
    assert {hit.message_id for hit in search_history(db, "bee", limit=1000)} == {i for i in rescued if i % 2}
    assert db.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"
    assert db.rows("PRAGMA foreign_key_check") == []
    return rescued


def _is_cut(found: StoredMessage, whole: StoredMessage, damaged: bytes) -> bool:
    """Whether the end of a long text is missing because it lay behind the end of the file."""
    return found.content != "" and whole.content.startswith(found.content) and whole.content.encode() not in damaged


def test_damaged_rows_are_lost_and_all_others_rescued(path: Path, history: dict[int, StoredMessage]) -> None:
    pages = leaf_pages(path, "messages")
    overwrite(path, pages[3:6])
    damaged = path.read_bytes()
    with Database.open(path, check=True) as db:
        rescued = check_rescued(db, history, damaged)
        assert len(history) - 3 * 15 < len(rescued) < len(history)
        assert f"{len(rescued)} messages of it were rescued" in db.report.sentences[0]
        assert get_state(db, "draft") == "half a thought"
        add_chat(db, "life goes on")
    with Database.open(path, check=True) as db:
        assert db.report.sentences == ()


def test_messages_without_their_conversation_get_another(path: Path, history: dict[int, StoredMessage]) -> None:
    overwrite(path, leaf_pages(path, "conversations")[:1])
    damaged = path.read_bytes()
    with Database.open(path, check=True) as db:
        assert check_rescued(db, history, damaged) == set(history)
        assert "Rescued chat" in {chat.title for chat in list_conversations(db)}


def test_half_a_file_gives_what_is_in_it(path: Path, history: dict[int, StoredMessage]) -> None:
    with Database.open(path) as db:
        for number in range(60):
            _, messages = add_chat(db, f"bee {number} " * 50, f"wasp {number} " * 50)
            history |= {message.id: message for message in messages}
    whole = path.read_bytes()
    damaged = whole[: len(whole) // 2]
    path.write_bytes(damaged)
    with Database.open(path, check=True) as db:
        rescued = check_rescued(db, history, damaged)
        assert 0 < len(rescued) < len(history)


def test_damage_that_shows_late_is_told_and_mended_at_the_next_start(
    path: Path, history: dict[int, StoredMessage]
) -> None:
    overwrite(path, leaf_pages(path, "messages")[3:6])
    damaged = path.read_bytes()
    with Database.open(path) as db:
        with pytest.raises(StorageError, match="is damaged") as caught:
            _ = [get_message(db, message_id) for message_id in history]
        assert "Start the program again" in caught.value.next_step
    with Database.open(path, check=True) as db:
        check_rescued(db, history, damaged)


def test_a_search_that_meets_damaged_messages_says_so(path: Path, history: dict[int, StoredMessage]) -> None:
    overwrite(path, leaf_pages(path, "messages")[3:6])
    with Database.open(path) as db:
        for _ in range(2):
            with pytest.raises(StorageError, match="is damaged"):
                search_history(db, "bee", limit=1000)


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    "content",
    [b"Dear diary", b"Dear diary\n" * 5000, b"SQLite format 3\0" + b"\xff" * 9000],
    ids=["short", "long", "head"],
)
def test_what_is_no_database_is_set_aside(path: Path, content: bytes, check: bool) -> None:
    path.write_bytes(content)
    with Database.open(path, check=check) as db:
        damaged = db.report.damaged
        assert damaged is not None
        assert damaged.read_bytes() == content
        assert "no message in it could be read" in db.report.sentences[0]
        add_chat(db, "bee")
    with Database.open(path, check=check) as db:
        assert db.report.sentences == ()
        assert len(list_conversations(db)) == 1


def test_a_log_goes_with_its_damaged_file(path: Path, history: dict[int, StoredMessage]) -> None:
    with Database.open(path) as db:
        _, messages = add_chat(db, "bee late", "wasp late")
        files = {ending: Path(f"{path}{ending}").read_bytes() for ending in ("", "-wal")}
    path.write_bytes(files[""])
    overwrite(path, leaf_pages(path, "messages")[3:6])
    damaged = path.read_bytes()
    Path(f"{path}-wal").write_bytes(files["-wal"])
    with Database.open(path, check=True) as db:
        assert db.report.damaged is not None
        assert Path(f"{db.report.damaged}-wal").read_bytes() == files["-wal"]
        rescued = check_rescued(db, history | {message.id: message for message in messages}, damaged)
        assert {message.id for message in messages} <= rescued


def test_two_damages_are_kept_apart(path: Path, clock: StillClock) -> None:
    kept = set()
    for content in (b"one", b"two"):
        path.write_bytes(content)
        with Database.open(path, clock=clock) as db:
            assert db.report.damaged is not None
            kept.add(db.report.damaged.read_bytes())
    assert kept == {b"one", b"two"}
    assert len(list(path.parent.glob("llamachat-damaged-20270115-080000*.db"))) == 2


def test_a_damaged_database_of_an_old_version_is_rescued(path: Path) -> None:
    load_version(1, path)
    overwrite(path, leaf_pages(path, "conversations"))
    with Database.open(path, check=True) as db:
        assert db.report.damaged is not None
        assert [message.content for message in load_branch(db, 1)] == ["What is a bee? 蜜蜂", "An insect.", "Tha"]


def test_every_table_is_rescued(path: Path) -> None:
    load_version(LATEST, path)
    with closing(sqlite3.connect(path)) as connection:
        names = [name for name in tables(connection) if name not in ("index_queue", "arriving")]
        before = {name: connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in names}
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'messages_created'").fetchone()
    assert all(before.values())
    overwrite(path, [root])
    with Database.open(path, check=True) as db:
        assert db.report.damaged is not None
        assert {name: list(map(tuple, db.rows(f"SELECT * FROM {name} ORDER BY 1"))) for name in names} == before


def test_what_an_import_had_not_finished_is_known_as_that_after_a_rescue(path: Path) -> None:
    load_version(LATEST, path)
    with Database.open(path) as db:
        chats = list_conversations(db)
        arrived, _ = add_chat(db, "half")
        with db.transaction() as connection:
            connection.execute("UPDATE conversations SET deleted_at = 1 WHERE id = ?", (arrived.id,))
            note_arrival(connection, "conversation", arrived.id)
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'messages_created'").fetchone()
    overwrite(path, [root])
    with Database.open(path, check=True) as db:
        assert db.report.damaged is not None
        drop_unfinished_import(db)
        assert db.row("SELECT 1 FROM conversations WHERE id = ?", (arrived.id,)) is None
        assert list_conversations(db) == chats


def test_a_damaged_database_of_a_newer_version_is_left_alone(path: Path, history: dict[int, StoredMessage]) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {LATEST + 1}")
    overwrite(path, leaf_pages(path, "messages")[:1])
    before = path.read_bytes()
    with pytest.raises(StorageError, match="newer version"):
        Database.open(path, check=True)
    assert path.read_bytes() == before


def test_a_rescue_that_was_killed_before_the_swap_is_finished(path: Path, history: dict[int, StoredMessage]) -> None:
    rescued = path.with_suffix(".rescued")
    rescued.write_bytes(path.read_bytes())
    for damaged in (b"damaged", None):
        if damaged:
            path.write_bytes(damaged)
        else:
            rescued.write_bytes(path.read_bytes())
            path.unlink()
        with Database.open(path, check=True) as db:
            assert len(list_conversations(db)) == 60
            assert "120 messages of it were rescued" in db.report.sentences[0]
        assert not rescued.exists()
    assert [file.read_bytes() for file in path.parent.glob("*-damaged-*.db")] == [b"damaged"]


def test_leftovers_of_a_killed_rescue_are_no_trouble(path: Path, history: dict[int, StoredMessage]) -> None:
    for ending in (".rescuing", ".reading"):
        path.with_suffix(ending).write_bytes(b"half")
        Path(f"{path.with_suffix(ending)}-wal").write_bytes(b"half")
    overwrite(path, leaf_pages(path, "messages")[3:6])
    damaged = path.read_bytes()
    with Database.open(path, check=True) as db:
        check_rescued(db, history, damaged)
    assert [file.name for file in path.parent.iterdir() if "resc" in file.name or "read" in file.name] == []


def test_rows_that_make_no_sense_are_left_out(path: Path) -> None:
    load_version(LATEST, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE messages SET role = x'ff' WHERE id = 2")
        connection.execute("UPDATE messages SET content = CAST(x'61ff62' AS TEXT) WHERE id = 4")
        connection.execute("UPDATE messages SET parent_id = 77 WHERE id = 3")
        connection.execute("UPDATE conversations SET head_id = 99")
    overwrite(path, leaf_pages(path, "state"))
    with Database.open(path, check=True) as db:
        assert db.report.damaged is not None
        assert [message.content for message in load_branch(db, 1)] == ["What is a bee? 蜜蜂", "a�b"]


@pytest.mark.parametrize("check", [True, False])
def test_a_broken_character_is_shown_as_one(path: Path, history: dict[int, StoredMessage], check: bool) -> None:
    content = path.read_bytes()
    broken = content.replace(b"bee 7 bee 7", b"bee \xff bee 7")
    assert broken != content
    path.write_bytes(broken)
    with Database.open(path, check=check) as db:
        assert db.report.damaged is None
        texts = [message.content for chat in list_conversations(db) for message in load_branch(db, chat.id)]
        assert len(texts) == len(history)
        assert any(text.startswith("bee \ufffd bee 7") for text in texts)
        assert search_history(db, "bee")

"""Every schema version there was is brought up to date with its content, whatever interrupts it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.core.messages import Status
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import load_branch
from llamachat.storage.migrations import LATEST, MIGRATIONS, migrate, schema_version
from tests.storage.version_dumps import FOLDER, dump_version, load_version

VERSIONS = range(1, LATEST + 1)


def schema(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Everything that was created, in order of name."""
    return [tuple(row) for row in connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name")]


def content(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Everything that was created, and the rows of every table that can be read (an index holds no text)."""
    names = [row[1] for row in schema(connection) if row[0] == "table" and "VIRTUAL" not in str(row[2])]
    return schema(connection) + [tuple(row) for name in names for row in connection.execute(f"SELECT * FROM {name}")]


def tables(connection: sqlite3.Connection) -> list[str]:
    """Those with rows of ours, not of SQLite's."""
    names = [str(row[1]) for row in schema(connection) if row[0] == "table" and "VIRTUAL" not in str(row[2])]
    return [name for name in names if not name.startswith("sqlite_") and "_fts_" not in name]


def test_the_newest_version_has_a_dump_that_is_current() -> None:
    assert (FOLDER / f"version-{LATEST}.sql").read_text(encoding="utf-8") == dump_version(LATEST)


@pytest.mark.claim("LC-026")
@pytest.mark.parametrize("version", VERSIONS)
def test_a_database_of_any_version_is_brought_up_to_date(version: int, path: Path) -> None:
    load_version(version, path)
    with closing(sqlite3.connect(path)) as connection:
        before = {
            table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for table in tables(connection)
            if table != "index_queue"  # what is to be indexed anew
        }
        old_rows = {
            table: connection.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY 1").fetchall()
            for table, names in before.items()
        }
        assert all(old_rows[table] for table in before if table != "arriving")
    with Database.open(path) as db, closing(sqlite3.connect(":memory:", isolation_level=None)) as new:
        migrate(new)
        assert schema(db.connection) == schema(new)
        for table, names in before.items():
            rows = db.rows(f"SELECT {', '.join(names)} FROM {table} ORDER BY 1")
            assert [tuple(row) for row in rows] == old_rows[table]
        assert [hit.message_id for hit in search_history(db, "蜜")] == [1]
        assert db.row("PRAGMA integrity_check")["integrity_check"] == "ok"  # type: ignore[index]  # it has a row
        assert db.rows("PRAGMA foreign_key_check") == []


@pytest.mark.claim("LC-026", "LC-028")
@pytest.mark.parametrize("version", VERSIONS)
def test_rows_from_before_a_column_read_as_none(version: int, path: Path) -> None:
    load_version(version, path)
    with Database.open(path) as db:
        assert [conversation.title for conversation in list_conversations(db)] == ["", "Bees"]
        question, answer, following = load_branch(db, 1)
        assert (question.content, following.status) == ("What is a bee? 蜜蜂", Status.STREAMING)
        assert answer.reasoning == ("Hm, é." if version >= 2 else "")
        assert answer.prompt == ("Be short." if version >= 3 else "")
        assert [record.query for record in answer.searches] == (["bee"] if version >= 4 else [])
        assert len(answer.wire) == (1 if version >= 5 else 0)
        assert answer.usage.prompt_n == 3


@pytest.mark.parametrize("version", VERSIONS[:-1])
def test_a_copy_is_made_before_an_old_database_is_changed(version: int, path: Path) -> None:
    load_version(version, path)
    with closing(sqlite3.connect(path)) as connection:
        before = content(connection)
    with Database.open(path) as db:
        copy = db.report.copy
    assert copy is not None
    assert [file for file in path.parent.iterdir() if "before-update" in file.name] == [copy]
    with closing(sqlite3.connect(copy)) as connection:
        assert content(connection) == before
        assert schema_version(connection) == version


@pytest.mark.parametrize("version", [6, 7])
def test_a_damaged_index_does_not_stand_in_the_way_of_an_update(version: int, path: Path) -> None:
    load_version(version, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE messages_fts_data")
    with Database.open(path) as db:
        assert schema_version(db.connection) == LATEST
        assert [hit.message_id for hit in search_history(db, "What bee")] == [1]


def test_a_copy_never_takes_the_place_of_another(path: Path) -> None:
    copies = []
    for _ in range(2):
        load_version(1, path)
        with Database.open(path) as db:
            copies.append(db.report.copy)
        path.unlink()
    assert len(set(copies)) == 2
    assert all(copy is not None and copy.exists() for copy in copies)


def test_a_current_database_is_not_copied(path: Path) -> None:
    load_version(LATEST, path)
    with Database.open(path) as db:
        assert db.report.copy is None
    assert [file.name for file in path.parent.glob("*before-update*")] == []


def test_a_new_database_leaves_no_copy(path: Path) -> None:
    with Database.open(path) as db:
        assert db.report.sentences == ()
    assert sorted(file.name for file in path.parent.iterdir()) == ["llamachat.db", "llamachat.db.lock"]


def test_a_newer_database_is_refused_untouched(path: Path) -> None:
    Database.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {LATEST + 1}")
        connection.execute("CREATE TABLE future (x)")
    before = path.read_bytes()
    with pytest.raises(StorageError, match="newer version of this program"):
        Database.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", [0, 3])
def test_a_database_of_another_program_is_refused_untouched(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE messages (id)")
        connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(StorageError, match="another program"):
        Database.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", VERSIONS)
def test_a_step_that_fails_at_any_statement_leaves_the_version_before(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None, factory=Failing)) as connection:
        migrate(connection, up_to=version - 1)
        before = schema(connection)
        for allowed in range(len(MIGRATIONS[version - 1])):
            connection.allowed_changes = allowed
            with pytest.raises(sqlite3.OperationalError, match="failing"):
                migrate(connection, up_to=version)
            assert not connection.in_transaction
            assert (schema_version(connection), schema(connection)) == (version - 1, before)
        connection.allowed_changes = None
        migrate(connection, up_to=version)
        assert schema_version(connection) == version


class Failing(sqlite3.Connection):
    """Fails once `allowed_changes` statements of a migration have run; None: never."""

    allowed_changes: int | None = None

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> sqlite3.Cursor:  # type: ignore[override]  # narrower
        if self.allowed_changes is not None and not sql.startswith(("BEGIN", "ROLLBACK", "SELECT", "PRAGMA user")):
            if self.allowed_changes == 0:
                raise sqlite3.OperationalError("failing")
            self.allowed_changes -= 1
        return super().execute(sql, parameters)

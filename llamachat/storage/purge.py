"""Deleting for good: rows, their words in the index, what is left of them in free pages and the log, and copies.

Everything else deletes by marking. Whoever purges waits: the file is written anew, two or three seconds for 100 MB.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from llamachat.core.errors import StorageError
from llamachat.core.text import tr
from llamachat.storage.backup import all_copies, one_copy_at_a_time, unfinished_copies
from llamachat.storage.conversations import NEW_CHAT_DRAFT
from llamachat.storage.database import Database
from llamachat.storage.deletions import deleted_before
from llamachat.storage.failures import conversation_gone, translated
from llamachat.storage.gone import Gone, all_deleted, chosen_deletions
from llamachat.storage.index_queue import refresh_index, tend_index
from llamachat.storage.index_tables import TABLE_OF_KIND, make_index_anew
from llamachat.storage.migrations import APPLICATION_ID, LATEST, schema_version
from llamachat.storage.start_lock import alone
from llamachat.storage.transactions import immediate

_PAGES_A_MERGE = 1000
_DAY_S = 86_400

_DELETIONS_OF_NO_TAG = """
    DELETE FROM deletions WHERE kind = 'tag' AND json_extract(hidden, '$.tag_id') NOT IN (SELECT id FROM tags)
"""
# A copy may show what was deleted later: there a chat shows the rest of the branch, or its newest message.
_SHOW_WHAT_STAYS = """
    WITH RECURSIVE
        gone (id) AS (SELECT value FROM json_each(:ids)),
        above (chat, id) AS (
            SELECT id, head_id FROM conversations WHERE head_id IN (SELECT id FROM gone)
                AND uid NOT IN (SELECT value FROM json_each(:chats))
            UNION ALL
            SELECT chat, parent_id FROM above JOIN messages ON messages.id = above.id
            WHERE above.id IN (SELECT id FROM gone))
    UPDATE conversations SET head_id = coalesce(
        stays.id,
        (SELECT max(id) FROM messages WHERE conversation_id = conversations.id AND deleted_at IS NULL
            AND id NOT IN (SELECT id FROM gone)))
    FROM (SELECT chat, max(iif(id NOT IN (SELECT id FROM gone), id, NULL)) AS id FROM above GROUP BY chat) AS stays
    WHERE conversations.id = stays.chat
"""


@dataclass(frozen=True, slots=True)
class Purge:
    """How many chats and single messages are gone; `not_cleaned` are files that may still hold them."""

    chats: int
    messages: int
    not_cleaned: tuple[Path, ...]

    @property
    def remarks(self) -> list[str]:
        """What a person has to do about those files, a sentence each."""
        sentence = tr("{path} could not be cleaned and may still hold it: delete that file yourself.")
        return [sentence.format(path=path) for path in self.not_cleaned]


def purge_chat(db: Database, *conversation_ids: int) -> Purge:
    """Delete one chat or several for good, deleted before or not; raises StorageError where one is not there."""
    these = (json.dumps(conversation_ids),)
    rows = db.rows("SELECT uid FROM conversations WHERE id IN (SELECT value FROM json_each(?))", these)
    if len(rows) < len(conversation_ids):
        raise conversation_gone()
    gone = Gone(chats=[row["uid"] for row in rows])
    return _purge(db, lambda: gone)


def take_back_chat(db: Database, conversation_id: int) -> bool:
    """Remove a chat that was begun just now and holds nothing but its question and an answer that never came.

    False, and nothing is removed, where there is more in it. Raises StorageError.
    """
    with db.transaction() as connection:
        rows = db.rows(
            """
            SELECT uid FROM conversations WHERE id = :id AND draft = ''
            AND (SELECT count(*) FROM messages WHERE conversation_id = :id) = 2
            AND NOT EXISTS (SELECT 1 FROM queued WHERE conversation_id = :id)
            AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = :id AND role = 'assistant'
                AND (content <> '' OR reasoning <> '' OR status = 'streaming'))
            """,
            {"id": conversation_id},
        )
        _delete(connection, Gone(chats=[row["uid"] for row in rows]))
    tend_index(db)
    return bool(rows)


def purge_deleted(db: Database) -> Purge:
    """Delete for good whatever is deleted by now: nothing of it can be brought back. Raises StorageError."""
    return _purge(db, lambda: all_deleted(db))


def purge_deletions(db: Database, deletion_ids: Sequence[int]) -> Purge:
    """Delete for good these things of `list_deleted`, messages with all below them. Raises StorageError."""
    purge = _purge(db, lambda: chosen_deletions(db, deletion_ids))
    # Those of messages that have to stay are not looked at again, unless an import, which may break off, needs them.
    db.write(
        "DELETE FROM deletions WHERE kind = 'messages' AND id IN (SELECT value FROM json_each(?)) "
        "AND NOT EXISTS (SELECT 1 FROM arriving)",
        (json.dumps(deletion_ids),),
    )
    return purge


def purge_expired(db: Database, *, keep_days: int) -> Purge | None:
    """Delete for good what was deleted longer ago than so many days; None where there is nothing of the kind."""
    ids = deleted_before(db, db.clock.now() - keep_days * _DAY_S)
    return purge_deletions(db, ids) if ids else None


def _purge(db: Database, find: Callable[[], Gone]) -> Purge:
    """Delete what `find` finds, now and once more when the copies are done: what came back meanwhile stays."""
    # The copies first: they are looked through for what the history itself still names.
    with one_copy_at_a_time(db.path):
        gone = find()
        copies = [*_leftovers(db.path)]
        copies += [copy for copy in _copies(db.path) if not _is_clean(copy, gone)]
        with translated(db.path):
            db.connection.execute("PRAGMA secure_delete = ON")
        with db.transaction() as connection:
            gone = gone.both(find())
            _delete(connection, gone)
            connection.execute(_DELETIONS_OF_NO_TAG)
    while refresh_index(db):
        pass
    for table in TABLE_OF_KIND.values():
        _merge(db, table)
    with translated(db.path):
        db.connection.execute("VACUUM")
        if db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise StorageError(
                tr("It is deleted, but another program is reading the history, and its log still holds it."),
                tr("Close the windows of the program, then run `llamachat history purge`."),
            )
    # A damaged file is evidence, and nothing opens it for writing.
    damaged = sorted(db.path.parent.glob(f"{db.path.stem}-damaged-*{db.path.suffix}"))
    return Purge(len(gone.chats), len(gone.messages), (*copies, *damaged))


def _delete(connection: sqlite3.Connection, gone: Gone) -> None:
    rows = connection.execute(
        "SELECT id FROM messages WHERE uid IN (SELECT value FROM json_each(?)) OR conversation_id IN "
        "(SELECT id FROM conversations WHERE uid IN (SELECT value FROM json_each(?)))",
        (json.dumps(gone.messages), json.dumps(gone.chats)),
    )
    names = {"ids": json.dumps([row[0] for row in rows]), "chats": json.dumps(gone.chats)}
    ids = "(SELECT value FROM json_each(:ids))"
    connection.execute(_SHOW_WHAT_STAYS, names)
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'journal'").fetchone():
        connection.execute(f"DELETE FROM journal WHERE message_id IN {ids}", names)
    # Without parents first: SQLite follows a chain of a thousand messages, and no longer one.
    connection.execute(f"UPDATE messages SET parent_id = NULL WHERE id IN {ids} OR parent_id IN {ids}", names)
    connection.execute(f"DELETE FROM messages WHERE id IN {ids}", names)
    connection.execute("DELETE FROM conversations WHERE uid IN (SELECT value FROM json_each(:chats))", names)
    if gone.tags and connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'tags'").fetchone():
        connection.executemany("DELETE FROM tags WHERE id = ? AND key = ?", gone.tags)  # another history's differs


def _merge(db: Database, table: str) -> None:
    """Write the index anew, slice by slice: words that are deleted stand in it until then."""
    pages = -_PAGES_A_MERGE  # negative once: all parts of the index shall become one
    while True:
        before = db.connection.total_changes
        db.write(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (pages,))
        if db.connection.total_changes - before < 2:  # as https://sqlite.org/fts5.html#the_merge_command tells
            return
        pages = _PAGES_A_MERGE


def _leftovers(path: Path) -> Iterator[Path]:
    """Remove what killed programs have left of copies, while none is made or put in place; yields what stays."""
    ready = path.with_suffix(".restoring")
    with alone(path):
        for part in (*unfinished_copies(path), ready, ready.with_name(f"{ready.name}.part")):
            try:
                part.unlink(missing_ok=True)
            except OSError:
                yield part


def _copies(path: Path) -> list[Path]:
    return [*all_copies(path), *path.parent.glob(f"{path.stem}-replaced-*{path.suffix}")]


def _is_clean(copy: Path, gone: Gone) -> bool:
    """Delete the rows in a copy, of whatever version; False where that cannot be done.

    One with a log beside it was damaged when it was set aside: SQLite might throw the log away.
    """
    if Path(f"{copy}-wal").exists():
        return False
    with suppress(sqlite3.Error), closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        application: int = connection.execute("PRAGMA application_id").fetchone()[0]
        if application != APPLICATION_ID or schema_version(connection) > LATEST:
            return False
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            return False
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        with immediate(connection):
            before = connection.total_changes
            _delete(connection, gone)
            if gone.chats and connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'state'").fetchone():
                # Perhaps its first words, in a copy from before it was sent.
                connection.execute("DELETE FROM state WHERE key = ? AND value <> ''", (NEW_CHAT_DRAFT,))
            if connection.total_changes == before:
                return True
            if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'messages_fts'").fetchone():
                make_index_anew(connection)
        connection.execute("VACUUM")
        connection.execute("PRAGMA journal_mode = DELETE")
        return True
    return False

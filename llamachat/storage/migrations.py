"""The schema, as numbered steps: each is applied once, in one transaction with its record.

The record is `user_version`. A step that has been released is never changed; a new database is made by running all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TypeAlias

from llamachat.storage.index_tables import INDEX_ALL_ANEW, INDEX_TABLES, make_index_anew
from llamachat.storage.title_key import make_title_keys
from llamachat.storage.transactions import immediate

APPLICATION_ID = 0x6C6C6D63  # "llmc": tells the file from other programs' databases

_FIRST_SCHEMA = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    """CREATE TABLE conversations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL DEFAULT '',
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        deleted_at REAL,
        model TEXT NOT NULL DEFAULT '',
        head_id INTEGER REFERENCES messages(id) ON DELETE SET NULL
    )""",
    """CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL UNIQUE,
        conversation_id INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
        parent_id INTEGER REFERENCES messages(id) ON DELETE CASCADE,
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
        content TEXT NOT NULL DEFAULT '',
        model TEXT NOT NULL DEFAULT '',
        status TEXT NOT NULL DEFAULT 'complete',
        finish_reason TEXT NOT NULL DEFAULT '',
        error TEXT NOT NULL DEFAULT '',
        usage TEXT,
        created_at REAL NOT NULL,
        deleted_at REAL,
        CHECK (parent_id < id)  -- no circles
    )""",
    "CREATE INDEX conversations_newest ON conversations (updated_at DESC, id DESC) WHERE deleted_at IS NULL",
    "CREATE INDEX conversations_head ON conversations (head_id)",
    "CREATE INDEX messages_of_conversation ON messages (conversation_id)",
    "CREATE INDEX messages_of_parent ON messages (parent_id)",
    "CREATE INDEX messages_streaming ON messages (id) WHERE status = 'streaming'",
)

_REASONING = ("ALTER TABLE messages ADD COLUMN reasoning TEXT",)
_PROMPT = ("ALTER TABLE messages ADD COLUMN prompt TEXT",)
_SEARCHES = ("ALTER TABLE messages ADD COLUMN searches TEXT",)

_TURNS = (
    "ALTER TABLE messages ADD COLUMN wire TEXT",
    "ALTER TABLE messages ADD COLUMN stream_id TEXT",
    "ALTER TABLE messages ADD COLUMN stream_offset INTEGER",
    "ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE conversations ADD COLUMN archived INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE conversations ADD COLUMN prompt TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE conversations ADD COLUMN search_mode TEXT NOT NULL DEFAULT 'auto'",
    "ALTER TABLE conversations ADD COLUMN settings TEXT",
    "ALTER TABLE conversations ADD COLUMN draft TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)

_FULL_TEXT = (
    *INDEX_TABLES,
    "CREATE TABLE index_queue (kind TEXT NOT NULL, id INTEGER NOT NULL, indexed TEXT, PRIMARY KEY (kind, id))",
    """CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
        INSERT INTO index_queue VALUES ('message', new.id, NULL) ON CONFLICT DO NOTHING;
    END""",
    """CREATE TRIGGER message_changed AFTER UPDATE OF content, deleted_at ON messages
        WHEN old.content IS NOT new.content OR old.deleted_at IS NOT new.deleted_at BEGIN
        INSERT INTO index_queue VALUES ('message', old.id, CASE WHEN old.deleted_at IS NULL THEN old.content END)
        ON CONFLICT DO NOTHING;
    END""",
    """CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
        INSERT INTO index_queue VALUES ('message', old.id, CASE WHEN old.deleted_at IS NULL THEN old.content END)
        ON CONFLICT DO NOTHING;
    END""",
    """CREATE TRIGGER title_added AFTER INSERT ON conversations BEGIN
        INSERT INTO index_queue VALUES ('title', new.id, NULL) ON CONFLICT DO NOTHING;
    END""",
    """CREATE TRIGGER title_changed AFTER UPDATE OF title ON conversations WHEN old.title IS NOT new.title BEGIN
        INSERT INTO index_queue VALUES ('title', old.id, old.title) ON CONFLICT DO NOTHING;
    END""",
    """CREATE TRIGGER title_removed AFTER DELETE ON conversations BEGIN
        INSERT INTO index_queue VALUES ('title', old.id, old.title) ON CONFLICT DO NOTHING;
    END""",
    *INDEX_ALL_ANEW,
)

_JOURNAL = (
    """CREATE TABLE journal (
        id INTEGER PRIMARY KEY,
        at REAL NOT NULL,
        message_id INTEGER NOT NULL DEFAULT 0,
        host TEXT NOT NULL,
        what TEXT NOT NULL,
        query TEXT NOT NULL DEFAULT '',
        bytes_out INTEGER NOT NULL DEFAULT 0,
        bytes_in INTEGER NOT NULL DEFAULT 0,
        seconds REAL NOT NULL DEFAULT 0,
        outcome TEXT NOT NULL DEFAULT ''
    )""",
)

# The list shows pinned chats first and leaves archived ones out. The rest is for the operators of the search.
_LISTS = (
    "DROP INDEX conversations_newest",
    """CREATE INDEX conversations_listed ON conversations (archived, pinned DESC, updated_at DESC, id DESC)
        WHERE deleted_at IS NULL""",
    "CREATE INDEX messages_model ON messages (model)",
    "CREATE INDEX messages_created ON messages (created_at)",
    "CREATE INDEX messages_searched ON messages (id) WHERE searches IS NOT NULL",
    "CREATE INDEX messages_with_code ON messages (id) WHERE instr(content, '```') > 0",
    make_index_anew,  # beginnings of four letters are words of their own
)

# What an import has added so far: hidden until all of it is there, and deleted again where it does not get there.
_ARRIVING = ("CREATE TABLE arriving (kind TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID",)

# What was deleted before: each chat by itself, messages with those below them that went at the same time.
_DELETIONS_FROM_BEFORE = """
    WITH RECURSIVE gone (root, id, at) AS (
        SELECT messages.id, messages.id, messages.deleted_at
        FROM messages LEFT JOIN messages AS parent ON parent.id = messages.parent_id
        WHERE messages.deleted_at IS NOT NULL AND messages.deleted_at IS NOT parent.deleted_at
        UNION ALL
        SELECT gone.root, messages.id, gone.at FROM gone JOIN messages ON messages.parent_id = gone.id
        WHERE messages.deleted_at = gone.at)
    INSERT INTO deletions (act, at, kind, conversation_id, message_id, hidden)
    SELECT 0, deleted_at AS at, 'chat', id, NULL, NULL FROM conversations WHERE deleted_at IS NOT NULL
    UNION ALL
    SELECT 0, gone.at, 'messages', messages.conversation_id, root, json_group_array(gone.id)
    FROM gone JOIN messages ON messages.id = gone.root GROUP BY root
    ORDER BY at
"""

# Deletions can be undone after a restart too; a chat knows its fork's source, an answer that a person wrote it.
_DELETIONS = (
    """CREATE TABLE deletions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        act INTEGER NOT NULL,
        at REAL NOT NULL,
        kind TEXT NOT NULL,
        conversation_id INTEGER REFERENCES conversations(id) ON DELETE CASCADE,
        message_id INTEGER REFERENCES messages(id) ON DELETE CASCADE,
        head_id INTEGER,
        hidden TEXT
    )""",
    "CREATE INDEX deletions_of_conversation ON deletions (conversation_id)",
    "CREATE INDEX deletions_of_message ON deletions (message_id)",
    _DELETIONS_FROM_BEFORE,
    "UPDATE deletions SET act = id",
    "ALTER TABLE conversations ADD COLUMN forked_from INTEGER REFERENCES messages(id) ON DELETE SET NULL",
    "CREATE INDEX conversations_forked ON conversations (forked_from) WHERE forked_from IS NOT NULL",
    "ALTER TABLE messages ADD COLUMN edited INTEGER NOT NULL DEFAULT 0",
)

# Questions that wait for the answer before them; what the settings call a chat's prompt, and whether it is its own.
_QUEUE_AND_PROMPTS = (
    """CREATE TABLE queued (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation_id INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
        text TEXT NOT NULL,
        created_at REAL NOT NULL
    )""",
    "CREATE INDEX queued_of_conversation ON queued (conversation_id)",
    "ALTER TABLE conversations ADD COLUMN prompt_name TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE conversations ADD COLUMN prompt_edited INTEGER NOT NULL DEFAULT 0",
)

# Tags of chats, and orders of the list besides that of time. A deleted tag keeps its chats, for the undo.
_TAGS = (
    """CREATE TABLE tags (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        deleted_at REAL
    )""",
    "CREATE UNIQUE INDEX tags_key ON tags (key) WHERE deleted_at IS NULL",
    """CREATE TABLE conversation_tags (
        id INTEGER PRIMARY KEY,
        conversation_id INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
        tag_id INTEGER NOT NULL REFERENCES tags(id) ON DELETE CASCADE,
        UNIQUE (conversation_id, tag_id)
    )""",
    "CREATE INDEX conversation_tags_of_tag ON conversation_tags (tag_id, conversation_id)",
    "ALTER TABLE conversations ADD COLUMN title_key TEXT NOT NULL DEFAULT ''",
    make_title_keys,
    """CREATE INDEX conversations_made ON conversations (archived, pinned DESC, created_at DESC, id DESC)
        WHERE deleted_at IS NULL""",
    """CREATE INDEX conversations_titled ON conversations (archived, pinned DESC, title_key, id)
        WHERE deleted_at IS NULL""",
)

# How far an answer has been stored that the server keeps for a while: see `StreamMark`.
_STREAMS = ("ALTER TABLE messages ADD COLUMN stream_state TEXT",)

# Single characters of scripts without spaces are words of their own.
_SINGLES = (make_index_anew,)

# The tree of a chat, to be walked without reading what is said in it.
_TREE = (
    "DROP INDEX messages_of_conversation",
    "CREATE INDEX messages_tree ON messages (conversation_id, parent_id, role, deleted_at)",
)

Step: TypeAlias = "str | Callable[[sqlite3.Connection], None]"
MIGRATIONS: tuple[tuple[Step, ...], ...] = (
    *(_FIRST_SCHEMA, _REASONING, _PROMPT, _SEARCHES, _TURNS, _FULL_TEXT),
    *(_JOURNAL, _LISTS, _ARRIVING, _DELETIONS, _QUEUE_AND_PROMPTS, _TAGS, _STREAMS, _SINGLES, _TREE),
)
LATEST = len(MIGRATIONS)


def schema_version(connection: sqlite3.Connection) -> int:
    """How many migrations the database has had."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def migrate(connection: sqlite3.Connection, *, up_to: int = LATEST) -> None:
    """Apply what is missing. Safe when several processes do so at once: one works, the others wait for the lock."""
    while schema_version(connection) < up_to:
        with immediate(connection):
            _apply_next(connection, up_to)


def _apply_next(connection: sqlite3.Connection, up_to: int) -> None:
    version = schema_version(connection)  # again: another process may have been faster
    if version >= up_to:
        return
    for step in MIGRATIONS[version]:
        if callable(step):
            step(connection)
        else:
            connection.execute(step)
    connection.execute(f"PRAGMA user_version = {version + 1}")

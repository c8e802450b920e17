"""Searching the whole history: messages and titles, newest first. What a person types is words, never FTS syntax."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from llamachat.core.conversation import SearchHit
from llamachat.core.errors import StorageError
from llamachat.core.text import clean, tr
from llamachat.storage.database import Database
from llamachat.storage.failures import storage_error, translated
from llamachat.storage.index_health import is_index_damage
from llamachat.storage.index_queue import empty_index, refresh_index
from llamachat.storage.index_text import Term, query_terms
from llamachat.storage.snippets import snippet

# CROSS JOIN: the index decides the order, and reading stops at the limit.
_TITLES = (
    "FROM titles_fts AS f CROSS JOIN conversations AS c ON c.id = f.rowid "
    "WHERE titles_fts MATCH ? AND c.deleted_at IS NULL"
)
_TITLE_COUNT = f"SELECT count(*) {_TITLES}"
_TITLE_HITS = (
    "SELECT c.id AS conversation_id, NULL AS message_id, c.title, c.title AS text, c.created_at "
    f"{_TITLES} ORDER BY f.rowid DESC LIMIT ? OFFSET ?"
)
_MESSAGE_HITS = (
    "SELECT c.id AS conversation_id, m.id AS message_id, c.title, m.content AS text, m.created_at "
    "FROM messages_fts AS f CROSS JOIN messages AS m ON m.id = f.rowid "
    "CROSS JOIN conversations AS c ON c.id = m.conversation_id "
    "WHERE messages_fts MATCH ? AND m.deleted_at IS NULL AND c.deleted_at IS NULL "
    "ORDER BY f.rowid DESC LIMIT ? OFFSET ?"
)


class IndexRebuilding(StorageError):
    """The index is being built; `remaining` changes are not in it yet. Searching again goes on with it."""

    def __init__(self, remaining: int) -> None:
        super().__init__(
            tr("The search index is being rebuilt: {count} entries are left.").format(count=remaining),
            tr("Search again in a moment."),
        )
        self.remaining = remaining


def search_history(db: Database, text: str, *, limit: int = 50, offset: int = 0) -> list[SearchHit]:
    """Where all words of `text` are found: titles first, then messages, the newest first in each.

    Raises IndexRebuilding while the index is incomplete, StorageError when the history cannot be read.
    """
    terms = query_terms(clean(text))
    if not terms:
        return []
    _bring_up_to_date(db)
    try:
        return _search(db, terms, limit=limit, offset=offset)
    except sqlite3.Error as error:
        if db.read_only or not is_index_damage(error):
            raise storage_error(error, db.path) from error
    empty_index(db)
    _bring_up_to_date(db)
    with translated(db.path):
        return _search(db, terms, limit=limit, offset=offset)


def _bring_up_to_date(db: Database) -> None:
    remaining = refresh_index(db)
    if remaining:
        raise IndexRebuilding(remaining)


def _search(db: Database, terms: Sequence[Term], *, limit: int, offset: int) -> list[SearchHit]:
    match = " AND ".join(term.phrase for term in terms)
    rows = db.connection.execute(_TITLE_HITS, (match, limit, offset)).fetchall()
    if len(rows) < limit:
        titles = 0 if rows or not offset else db.connection.execute(_TITLE_COUNT, (match,)).fetchone()[0]
        messages = (match, limit - len(rows), 0 if rows else offset - titles)
        rows += db.connection.execute(_MESSAGE_HITS, messages).fetchall()
    return [
        SearchHit(
            conversation_id=row["conversation_id"],
            message_id=row["message_id"],
            title=row["title"],
            snippet=snippet(row["text"], terms),
            created_at=row["created_at"],
        )
        for row in rows
    ]

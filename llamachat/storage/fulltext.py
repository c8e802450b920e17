"""Searching the whole history: messages and titles, newest first. What a person types never reaches FTS as syntax."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace

from llamachat.core.conversation import ChatHits, SearchHit
from llamachat.core.errors import StorageError
from llamachat.core.tag import tag_key
from llamachat.core.text import clean, tr
from llamachat.storage.common_words import newest_messages
from llamachat.storage.database import Database
from llamachat.storage.failures import storage_error, translated
from llamachat.storage.index_queue import empty_index, refresh_index
from llamachat.storage.index_tables import is_index_damage
from llamachat.storage.query import HAS_CODE, HAS_SEARCH, ROLES, TODAY, YESTERDAY, Query, parse_query
from llamachat.storage.search_sql import message_search, title_search
from llamachat.storage.snippets import snippet
from llamachat.storage.tags import tag_names

_FEW_CHATS = 50

# Each name once, by leaps through its index: as many steps as there are names.
_MODELS = """
    WITH RECURSIVE names (name) AS (
        SELECT min(model) FROM messages WHERE model > ''
        UNION ALL
        SELECT (SELECT min(model) FROM messages WHERE model > name) FROM names WHERE name IS NOT NULL)
    SELECT name FROM names WHERE name IS NOT NULL
"""


class IndexRebuilding(StorageError):
    """The index is being built; `remaining` changes are not in it yet. Searching again goes on with it."""

    def __init__(self, remaining: int) -> None:
        super().__init__(
            tr("The search index is being rebuilt: {count} entries are left.").format(count=remaining),
            tr("Search again in a moment."),
        )
        self.remaining = remaining


def search_history(db: Database, text: str, *, limit: int = 50, offset: int = 0) -> list[SearchHit]:
    """What `text`, with the operators of `query`, finds: titles first, then messages, the newest first in each.

    Raises IndexRebuilding while the index is incomplete, StorageError when the history cannot be read.
    """
    text = clean(text)
    _bring_up_to_date(db)
    try:
        return _search(db, text, limit=limit, offset=offset)
    except sqlite3.Error as error:
        if db.read_only or not is_index_damage(error):
            raise storage_error(error, db.path) from error
    empty_index(db)
    _bring_up_to_date(db)
    with translated(db.path):
        return _search(db, text, limit=limit, offset=offset)


def by_chat(hits: Sequence[SearchHit]) -> list[ChatHits]:
    """Hits of `search_history` grouped by chat: chats and what was found in each keep their order."""
    groups: dict[int, list[SearchHit]] = {}
    for hit in hits:
        groups.setdefault(hit.conversation_id, []).append(hit)
    return [ChatHits(number, found[0].title, tuple(found)) for number, found in groups.items()]


def operator_values(db: Database) -> Mapping[str, tuple[str, ...]]:
    """The values of operators that have a choice of them, to be offered while a person types; raises StorageError."""
    with translated(db.path):
        return {
            "role": ROLES,
            "has": (HAS_CODE, HAS_SEARCH),
            "model": tuple(_models(db.connection)),
            "tag": tag_names(db),
            "before": (TODAY, YESTERDAY),
            "after": (TODAY, YESTERDAY),
        }


def _models(connection: sqlite3.Connection) -> list[str]:
    return [row["name"] for row in connection.execute(_MODELS)]


def _bring_up_to_date(db: Database) -> None:
    remaining = refresh_index(db)
    if remaining:
        raise IndexRebuilding(remaining)


def _search(db: Database, text: str, *, limit: int, offset: int) -> list[SearchHit]:
    query = _as_stored(db, parse_query(text, now=db.clock.now()))
    if query is None:
        return []
    titles, messages = title_search(query), message_search(query)
    rows = titles.page(db.connection, limit=limit, offset=offset) if titles else []
    if messages and len(rows) < limit:
        before = titles.count(db.connection) if titles and offset and not rows else 0
        page = {"limit": limit - len(rows), "offset": 0 if rows else offset - before}
        newest = newest_messages(db.connection, query, **page)
        rows += messages.page(db.connection, **page) if newest is None else newest
    return [
        SearchHit(
            conversation_id=row["conversation_id"],
            message_id=row["message_id"],
            title=row["title"],
            snippet=snippet(row["text"], query.terms or query.title_terms),
            created_at=row["created_at"],
            role=row["role"],
            archived=bool(row["archived"]),
            model=row["model"],
        )
        for row in rows
    ]


def _as_stored(db: Database, query: Query) -> Query | None:
    """The query with whole names of models and tags; None where there are no such.

    What was typed is any part of a model's name (the whole of it in quotation marks), and a tag or how several begin.
    """
    if query.models:
        names = [name for name in _models(db.connection) if any(part in _quoted_names(name) for part in query.models)]
        query = replace(query, models=tuple(names))
        if not names:
            return None
    if query.tags:
        stored = [tag_key(name) for name in tag_names(db)]
        tags = [keys if keys[0] in stored else _beginning_with(keys[0], stored) for keys in query.tags]
        if not all(tags):
            return None
        query = replace(query, tags=tuple(tags), few_tagged=_are_few_tagged(db, tags))
    return query


def _quoted_names(model: str) -> str:
    """What a model is called: its name, and that without its folder and file type, each in quotation marks."""
    name = model.lower()
    return f'"{name}" "{name.rsplit("/", 1)[-1].removesuffix(".gguf")}"'


def _are_few_tagged(db: Database, tags: Sequence[tuple[str, ...]]) -> bool:
    first = "SELECT 1 FROM conversation_tags WHERE tag_id = tags.id LIMIT ?"
    rows = db.rows(
        f"SELECT key, (SELECT count(*) FROM ({first})) AS chats FROM tags WHERE deleted_at IS NULL", (_FEW_CHATS,)
    )
    chats = {row["key"]: int(row["chats"]) for row in rows}
    return any(sum(chats.get(key, 0) for key in keys) < _FEW_CHATS for keys in tags)  # one may be gone by now


def _beginning_with(beginning: str, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name.startswith(beginning))

"""A query of the history as SQL: one statement for titles, one for messages, each read only as far as needed.

Here `query.models` and `query.tags` hold what is stored, and no longer parts of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llamachat.storage.index_text import Term
from llamachat.storage.query import HAS_CODE, HAS_SEARCH, Query

_FEW_MESSAGES = 20_000  # it takes longer to find the first of more than these than to pass by the later ones

_Condition = tuple[str, Sequence[str | float]]


@dataclass(frozen=True, slots=True)
class Search:
    """A statement without its head: what is read, from where, under which conditions, in which order."""

    columns: str
    tables: str
    conditions: tuple[_Condition, ...]
    order: str

    def page(self, connection: sqlite3.Connection, *, limit: int, offset: int) -> list[sqlite3.Row]:
        """The rows from `offset` on, the newest first."""
        return self.rows(connection, limit=limit, offset=offset).fetchall()

    def rows(self, connection: sqlite3.Connection, *, limit: int, offset: int = 0) -> sqlite3.Cursor:
        """The same, read one by one."""
        sql = f"SELECT {self.columns} {self._body} ORDER BY {self.order} DESC LIMIT ? OFFSET ?"
        return connection.execute(sql, (*self._values, limit, offset))

    def count(self, connection: sqlite3.Connection) -> int:
        """How many rows there are."""
        number: int = connection.execute(f"SELECT count(*) {self._body}", self._values).fetchone()[0]
        return number

    @property
    def _body(self) -> str:
        return f"FROM {self.tables} WHERE {' AND '.join(f'({sql})' for sql, _ in self.conditions)}"

    @property
    def _values(self) -> tuple[str | float, ...]:
        return tuple(value for _, values in self.conditions for value in values)


def title_search(query: Query) -> Search | None:
    """The chats whose titles are found; None where only messages can be."""
    terms = (*query.title_terms, *query.terms)
    if query.asks_of_messages or not (terms or query.tags):
        return None
    # CROSS JOIN, here and below: the index decides the order, and reading stops at the limit.
    source = "titles_fts AS f CROSS JOIN conversations AS c ON c.id = f.rowid" if terms else "conversations AS c"
    return Search(
        "c.id AS conversation_id, NULL AS message_id, c.title, c.title AS text, c.created_at, "
        "'' AS role, '' AS model, c.archived",
        source,
        (
            *_words("titles_fts", terms, query.without, column="c.id"),
            ("c.deleted_at IS NULL", ()),
            *_tagged(query, "c.id"),
            *_times(query, "c.created_at"),
        ),
        "f.rowid" if terms else "c.id",
    )


def message_search(query: Query) -> Search | None:
    """The messages that are found; None where only chats are asked for, or nothing."""
    of_chats = query.title_terms or query.tags
    if not query.terms and not query.asks_of_messages and (of_chats or query.asks_nothing):
        return None
    source = "messages_fts AS f CROSS JOIN messages AS m ON m.id = f.rowid" if query.terms else "messages AS m"
    return Search(
        "c.id AS conversation_id, m.id AS message_id, c.title, m.content AS text, m.created_at, "
        "m.role, m.model, c.archived",
        f"{source} CROSS JOIN conversations AS c ON c.id = m.conversation_id",
        (
            *_words("messages_fts", query.terms, query.without, column="m.id"),
            *_ids(query),
            ("m.deleted_at IS NULL", ()),
            ("c.deleted_at IS NULL", ()),
            *_tagged(query, "c.id"),
            *_choices(query),
            *_times(query, "m.created_at"),
        ),
        "f.rowid" if query.terms else "m.id",
    )


def _words(index: str, terms: Sequence[Term], without: Sequence[Term], *, column: str) -> Iterator[_Condition]:
    if terms:
        yield f"{index} MATCH ?", (_match(terms, without),)
    elif without:
        yield f"{column} NOT IN (SELECT rowid FROM {index} WHERE {index} MATCH ?)", (_any(without),)


def _tagged(query: Query, column: str) -> Iterator[_Condition]:
    for keys in query.tags:
        tags = f"SELECT id FROM tags WHERE deleted_at IS NULL AND key IN ({_slots(keys)})"
        yield f"{column} IN (SELECT conversation_id FROM conversation_tags WHERE tag_id IN ({tags}))", keys


def _ids(query: Query) -> Iterator[_Condition]:
    """What indexes tell about messages, so that the rows of those with the words need not be read to find out.

    The plus keeps SQLite from asking FTS5 for one message after the other.
    """
    number, one_of = ("f.rowid", "+f.rowid") if query.terms else ("m.id", "m.id")
    if query.title_terms:
        chats = "SELECT rowid FROM titles_fts WHERE titles_fts MATCH ?"
        in_them = f"SELECT id FROM messages WHERE conversation_id IN ({chats})"
        yield f"{one_of} IN ({in_them})", (_match(query.title_terms, ()),)
    for chats, keys in _tagged(query, "conversation_id") if query.few_tagged else ():
        yield f"{number} IN (SELECT id FROM messages WHERE {chats})", keys
    if HAS_SEARCH in query.has:
        yield f"{one_of} IN (SELECT id FROM messages INDEXED BY messages_searched WHERE searches IS NOT NULL)", ()
    if HAS_CODE in query.has:
        code = "SELECT id FROM messages INDEXED BY messages_with_code WHERE instr(content, '```') > 0"
        yield f"{one_of} IN ({code})", ()
    times = tuple(_times(query, "created_at"))
    written = f"FROM messages INDEXED BY messages_created WHERE {' AND '.join(sql for sql, _ in times)}"
    moments = [moment for _, values in times for moment in values]
    if query.after is not None:
        few = f"SELECT id {written} LIMIT {_FEW_MESSAGES}"
        yield (
            f"{number} >= (SELECT CASE WHEN count(*) < {_FEW_MESSAGES} THEN min(id) ELSE 0 END FROM ({few}))",
            moments,
        )
    if query.before is not None:
        yield f"{number} <= (SELECT max(id) {written})", moments


def _choices(query: Query) -> Iterator[_Condition]:
    if query.roles:
        yield f"m.role IN ({_slots(query.roles)})", query.roles
    if query.models:
        yield f"m.model IN ({_slots(query.models)})", query.models


def _slots(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def _times(query: Query, column: str) -> Iterator[_Condition]:
    if query.before is not None:
        yield f"{column} < ?", (query.before,)
    if query.after is not None:
        yield f"{column} >= ?", (query.after,)


def _match(terms: Sequence[Term], without: Sequence[Term]) -> str:
    """As FTS5 reads it: all of the terms, none of the others."""
    wanted = " AND ".join(term.phrase for term in terms)
    return f"({wanted}) NOT ({_any(without)})" if without else wanted


def _any(terms: Sequence[Term]) -> str:
    return " OR ".join(term.phrase for term in terms)

"""Messages with words that very many messages have, without reading all that the index knows of such a word.

FTS5 finds a beginning of a word by joining the lists of all words that begin so: where several words are common, that
takes longer than a person who types should wait. Short beginnings stand in the index as words of their own, whose
lists are read only as far as needed. So where hits must be frequent, the newest messages with those are looked at one
by one.
"""

from __future__ import annotations

import math
import sqlite3
from dataclasses import replace

from llamachat.storage.index_text import Term, begin_words
from llamachat.storage.query import Query
from llamachat.storage.search_sql import message_search

_NEWEST = 20_000
_MOST_LOOKED_AT = 300
_FIRST_LOOK = 60
_SAMPLE = 20


def newest_messages(
    connection: sqlite3.Connection, query: Query, *, limit: int, offset: int
) -> list[sqlite3.Row] | None:
    """The page that `message_search` has; None where its words are not common enough, or seldom stand together."""
    long = [term for term in query.terms if term.shortened]
    loose = message_search(replace(query, terms=tuple(term.shortened or term for term in query.terms)))
    row = connection.execute("SELECT max(id) AS id FROM messages").fetchone()
    if loose is None or len(long) < 2 or _expected(connection, query, newest=row["id"] or 0) < limit + offset:
        return None
    near = replace(loose, conditions=(*loose.conditions, ("f.rowid > ?", (row["id"] - _NEWEST,))))
    beginnings = [term.words[0] for term in long]
    found: list[sqlite3.Row] = []
    for number, candidate in enumerate(near.rows(connection, limit=_MOST_LOOKED_AT), 1):
        if begin_words(candidate["text"], beginnings):
            found.append(candidate)
            if len(found) == offset + limit:
                return found[offset:]
        if number == _FIRST_LOOK and len(found) * _MOST_LOOKED_AT < number * (limit + offset):
            return None
    return None


def _expected(connection: sqlite3.Connection, query: Query, *, newest: int) -> float:
    """How many of the newest messages have all the words, if words had nothing to do with each other."""
    return _NEWEST * math.prod(_share(connection, term, newest) for term in query.terms)


def _share(connection: sqlite3.Connection, term: Term, newest: int) -> float:
    """The share of messages with the words of a term in whole, by how close together the newest are."""
    whole = replace(term, is_beginning=False) if term.shortened else term
    row = connection.execute(
        "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? AND rowid > ? "
        "ORDER BY rowid DESC LIMIT 1 OFFSET ?",
        (whole.phrase, newest - _NEWEST, _SAMPLE - 1),
    ).fetchone()
    return _SAMPLE / (newest - row["rowid"] + 1) if row else 0

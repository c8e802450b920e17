"""Messages with several common words are found by looking at the newest ones, the same as through the index."""

from __future__ import annotations

import random

import pytest

from llamachat.core.messages import Role
from llamachat.storage.common_words import newest_messages
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import add_message
from llamachat.storage.query import parse_query
from llamachat.storage.search_sql import message_search

WORDS = ("search", "searching", "engine", "engines", "Straße", "loadEngine", "config_engine", "蜜蜂", "the", "of")


@pytest.fixture
def history(db: Database) -> Database:
    """Some hundred messages of few words, of which some begin alike."""
    chance = random.Random(4)
    chat = create_conversation(db)
    with db.transaction():
        for number in range(400):
            text = " ".join(chance.sample(WORDS, 4))
            add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=f"{text} {number}")
    search_history(db, "x")  # brings the index up to date
    return db


@pytest.mark.parametrize(
    "text", ["search engine", "engines searching", "strasse engine the", "engine search -config"]
)
@pytest.mark.parametrize(("limit", "offset"), [(5, 0), (20, 0), (5, 10)])
def test_the_newest_messages_are_those_that_the_index_tells(
    history: Database, text: str, limit: int, offset: int
) -> None:
    query = parse_query(text, now=0)
    search = message_search(query)
    assert search is not None
    wanted = [row["message_id"] for row in search.page(history.connection, limit=limit, offset=offset)]
    found = newest_messages(history.connection, query, limit=limit, offset=offset)
    assert found is not None
    assert [row["message_id"] for row in found] == wanted
    assert len(wanted) == limit


@pytest.mark.parametrize(
    "text",
    [
        "engine",  # one word: its list is short enough
        "engine missing",
        "engines searching strasse",  # too seldom for so many hits
        "蜜蜂 engine",
        "",
    ],
)
def test_all_else_is_left_to_the_index(history: Database, text: str) -> None:
    assert newest_messages(history.connection, parse_query(text, now=0), limit=60, offset=0) is None


def test_pages_have_no_gaps_where_the_way_changes(history: Database) -> None:
    pages: list[int | None] = []
    while page := search_history(history, "search engine", limit=9, offset=len(pages)):
        pages += [hit.message_id for hit in page]
    assert pages == [hit.message_id for hit in search_history(history, "search engine", limit=999)]
    assert len(pages) > 60

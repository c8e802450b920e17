"""Searching the history: what is found, what is not, in which order."""

from __future__ import annotations

import pytest

from llamachat.core.conversation import SearchHit
from llamachat.core.messages import Role, Status
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.storage.conversations import rename_conversation
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats, show_chats
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import add_message, update_message
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat

TICKET = (
    "ticket KAB-417: NOTE fix C++ near the std::map, 2031-02-09, a.b@example.org, foo(bar), rock AND roll NOT jazz"
)


def found(db: Database, query: str) -> list[int | None]:
    """The ids of the messages found; None for a title."""
    return [hit.message_id for hit in search_history(db, query)]


@pytest.mark.parametrize(
    "query",
    [
        "KAB-417",
        "NOTE:",
        "std::map",
        "C++",
        "2031-02-09",
        "a.b@example.org",
        "foo(bar)",
        "AND",
        "NOT jazz",
        "NEAR(rock roll)",
        "^rock",
        "ro*",
        "rock -jaz-z",
        "rock --jazz",
        "r*",
        '"rock and"',
        '"fix c++ near"',
        "tick",
        "417",
        "KAB 41",
    ],
)
def test_what_looks_like_syntax_is_words(db: Database, query: str) -> None:
    _, (message, _) = add_chat(db, TICKET, "nothing of the kind")
    assert found(db, query) == [message.id]


@pytest.mark.parametrize(
    "query", ["*", "{x} : y", '"', "'", "\0", "", "  ", ")", "XOR", "\udc81", "rock missing", '"rock roll"']
)
def test_what_is_not_there_finds_nothing(db: Database, query: str) -> None:
    add_chat(db, TICKET)
    assert found(db, query) == []


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("花园灌溉与种植计划，更新cfg-lawn后完成", "灌溉 | 种植计划 | 花 | lawn | 更新cfg | 计划，更新 | ｌａｗｎ"),
        ("キーボード配列変更メモ", "キーボード | メモ | ボード | ｷｰﾎﾞｰﾄﾞ"),
        ("부산의 해변", "해변 | 부산 | 변"),
        ("Ångström café STRASSE", "cafe | angstrom | straße | STRASSE | CAFÉ | ångstr"),
        (
            "def load_http_config(): loadHttpConfig, HTTPServer",
            "http_config | config | load | HttpConf | server | loadhttp",
        ),
        ("สวัสดีชาวโลก", "ชาวโลก | สวัสดี"),
        ("a 🎉 for you", "🎉"),
    ],
)
def test_words_of_all_scripts_are_found(db: Database, text: str, queries: str) -> None:
    _, (message, _) = add_chat(db, text, "something else 别的 다른 ほか")
    for query in queries.split(" | "):
        assert found(db, query) == [message.id], query


def test_a_hit_tells_where_it_is(db: Database, clock: StillClock) -> None:
    add_chat(db, "other")
    clock.move(60)
    chat, (_, answer) = add_chat(db, "What is a bee?", "A bee is an insect.", title="Questions")
    assert search_history(db, "insec") == [
        SearchHit(chat.id, answer.id, "Questions", ("A bee is an ", "insec", "t."), clock.now(), "assistant")
    ]


def test_titles_come_first_then_the_newest_messages(db: Database) -> None:
    _, (old,) = add_chat(db, "bee one")
    titled, (new,) = add_chat(db, "bee two", title="About bees")
    hits = search_history(db, "bee")
    assert [(hit.conversation_id, hit.message_id) for hit in hits[:1]] == [(titled.id, None)]
    assert [hit.message_id for hit in hits[1:]] == [new.id, old.id]
    assert hits[0].snippet == ("About ", "bee", "s")


def test_pages_of_hits_have_no_gaps(db: Database) -> None:
    for number in range(5):
        add_chat(db, f"bee {number}", "no", f"bees {number}", title=f"bee title {number}" if number % 2 else "")
    whole = search_history(db, "bee")
    assert len(whole) == 12
    for size in (1, 2, 3, 5):
        pages: list[SearchHit] = []
        while page := search_history(db, "bee", limit=size, offset=len(pages)):
            pages += page
        assert pages == whole


def test_changed_text_is_found_by_its_new_words_only(db: Database) -> None:
    chat, (message,) = add_chat(db, "first words", title="first title")
    assert found(db, "first") == [None, message.id]
    update_message(db, message.id, content="second words")
    rename_conversation(db, chat.id, "second title")
    assert found(db, "first") == []
    assert found(db, "second words") == [message.id]
    assert found(db, "second title") == [None]


def test_text_that_still_streams_is_found(db: Database) -> None:
    chat, (question,) = add_chat(db, "why")
    answer = add_message(
        db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, status=Status.STREAMING
    )
    for text in ("bec", "because", "because of bees"):
        update_message(db, answer.id, content=text)
        assert found(db, text) == [answer.id]
    update_message(db, answer.id, content="because of wasps", status=Status.COMPLETE)
    assert found(db, "bees") == []


def test_deleted_is_gone_at_once_and_comes_back(db: Database) -> None:
    chat, (message,) = add_chat(db, "bee", title="bee")
    _, (kept,) = add_chat(db, "bee")
    delete_chats(db, [chat.id])
    assert found(db, "bee") == [kept.id]
    show_chats(db, [chat.id])
    assert found(db, "bee") == [None, kept.id, message.id]
    db.write("UPDATE messages SET deleted_at = 1 WHERE id = ?", (message.id,))
    assert found(db, "bee") == [None, kept.id]
    db.write("UPDATE messages SET deleted_at = NULL WHERE id = ?", (message.id,))
    assert found(db, "bee") == [None, kept.id, message.id]
    db.write("DELETE FROM conversations WHERE id = ?", (chat.id,))
    assert found(db, "bee") == [kept.id]


@pytest.mark.claim("LC-029")
def test_only_what_was_said_is_searched(db: Database) -> None:
    chat, (question,) = add_chat(db, "why")
    record = SearchRecord(query="zebra", results=(SearchResult("zebra", "https://zebra.example", "zebra"),))
    add_message(
        db,
        conversation_id=chat.id,
        parent_id=question.id,
        role=Role.ASSISTANT,
        content="because",
        reasoning="zebra",
        prompt="zebra",
        error="zebra",
        model="zebra",
        searches=(record,),
        wire=({"content": "zebra"},),
    )
    assert found(db, "zebra") == []
    assert found(db, "because") != []


def test_hostile_text_is_stored_and_found(db: Database) -> None:
    _, (message,) = add_chat(db, "half \udc81 an \ud83d\ude00 emoji\0 bee\u2028s '; DROP TABLE messages; --")
    for query in ("emoji", "😀", "\ud83d\ude00", "drop table", "bee"):
        assert found(db, query) == [message.id], ascii(query)

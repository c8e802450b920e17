"""Messages form a tree; the branch that ends at the head is what is shown."""

from __future__ import annotations

import json

import pytest

from llamachat.core.errors import BugError, StorageError
from llamachat.core.messages import Role, Status, Usage, WireMessage
from llamachat.core.search_record import STORED_PAGE_CHARS, SearchRecord, SearchResult
from llamachat.storage.broken_off import mark_broken_off
from llamachat.storage.conversations import create_conversation, get_conversation, list_conversations, set_archived
from llamachat.storage.database import Database
from llamachat.storage.messages import (
    add_message,
    get_message,
    load_branch,
    load_messages,
    reveal_message,
    update_message,
)
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat

SEARCHES = (
    SearchRecord(
        query="bees",
        results=(SearchResult("Bee", "https://example.org/bee", "A bee"),),
        engines=(("wiki", "timeout"),),
        cached_age_s=1.5,
        seconds=0.25,
    ),
    SearchRecord(query="wasps", error="It failed.", cause="timeout", first_number=2),
)
WIRE: tuple[WireMessage, ...] = (
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"arguments": '{"q": "ü"}'}}]},
    {"role": "tool", "tool_call_id": "1", "content": "z a"},
)


def test_a_message_is_read_back_as_it_was_added(db: Database, clock: StillClock) -> None:
    chat = create_conversation(db)
    clock.move(5)
    added = add_message(
        db,
        conversation_id=chat.id,
        parent_id=None,
        role=Role.ASSISTANT,
        content="A bee.",
        reasoning="Hm.",
        prompt="Be short.",
        searches=SEARCHES,
        wire=WIRE,
        model="m",
        status=Status.STOPPED,
        finish_reason="stop",
        error="e",
        usage=Usage(prompt_tokens=3, prompt_ms=1.5),
    )
    assert get_message(db, added.id) == added
    assert (added.content, added.reasoning, added.prompt, added.model) == ("A bee.", "Hm.", "Be short.", "m")
    assert (added.searches, added.wire) == (SEARCHES, WIRE)
    assert (added.status, added.finish_reason, added.error) == (Status.STOPPED, "stop", "e")
    assert added.usage == Usage(prompt_tokens=3, prompt_ms=1.5)
    assert added.created_at == clock.now()


def test_adding_moves_head_and_time(db: Database, clock: StillClock) -> None:
    chat = create_conversation(db)
    clock.move(5)
    added = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content="hi")
    (listed,) = list_conversations(db)
    assert (listed.head_id, listed.updated_at) == (added.id, clock.now())


def test_the_wire_keeps_the_order_of_its_keys(db: Database) -> None:
    chat = create_conversation(db)
    added = add_message(
        db,
        conversation_id=chat.id,
        parent_id=None,
        role=Role.USER,
        wire=({"z": 1, "a": {"y": "é", "b": [1.5, None]}},),
    )
    assert str(added.wire[0]) == "{'z': 1, 'a': {'y': 'é', 'b': [1.5, None]}}"


def test_only_given_fields_are_written(db: Database) -> None:
    _, (message,) = add_chat(db, "hi")
    db.write("UPDATE messages SET reasoning = 'from elsewhere' WHERE id = ?", (message.id,))
    update_message(db, message.id, content="hi there", status=Status.STREAMING)
    changed = get_message(db, message.id)
    assert changed is not None
    assert (changed.content, changed.status, changed.reasoning) == ("hi there", Status.STREAMING, "from elsewhere")
    update_message(db, message.id)
    assert get_message(db, message.id) == changed


def test_a_stored_search_has_of_each_result_what_is_known_and_no_more_of_a_page_than_is_kept(db: Database) -> None:
    chat = create_conversation(db)
    snippet = SearchResult("Bee", "https://example.org/bee", "A bee")
    page = SearchResult("Wasp", "https://example.org/wasp", "w" * (STORED_PAGE_CHARS + 1), read_via="direct")
    add_message(
        db,
        conversation_id=chat.id,
        parent_id=None,
        role=Role.ASSISTANT,
        searches=(SearchRecord("bees", (snippet, page)),),
    )
    (row,) = db.rows("SELECT searches FROM messages")
    first, second = json.loads(row["searches"])[0]["results"]
    assert first == {"title": "Bee", "url": "https://example.org/bee", "content": "A bee"}
    assert (second["read_via"], len(second["content"])) == ("direct", STORED_PAGE_CHARS)


@pytest.mark.claim("LC-028")
def test_no_searches_and_no_wire_are_null(db: Database) -> None:
    _, (message,) = add_chat(db, "hi")
    update_message(db, message.id, searches=SEARCHES, wire=WIRE)
    update_message(db, message.id, searches=(), wire=())
    row = db.row("SELECT searches, wire, reasoning FROM messages")
    assert row is not None
    assert tuple(row) == (None, None, None)


def test_a_message_that_is_gone_is_told(db: Database) -> None:
    chat = create_conversation(db)
    with pytest.raises(StorageError, match="message no longer exists"):
        update_message(db, 5, content="x")
    with pytest.raises(StorageError, match="message no longer exists"):
        reveal_message(db, 5)
    with pytest.raises(StorageError, match="message no longer exists"):
        add_message(db, conversation_id=chat.id, parent_id=5, role=Role.USER, content="x")
    with pytest.raises(StorageError, match="chat no longer exists"):
        add_message(db, conversation_id=9, parent_id=None, role=Role.USER, content="x")
    assert get_message(db, 5) is None
    assert len(load_messages(db, chat.id)) == 0


def test_a_parent_in_another_conversation_is_a_bug(db: Database) -> None:
    _, (message,) = add_chat(db, "hi")
    other = create_conversation(db)
    with pytest.raises(BugError):
        add_message(db, conversation_id=other.id, parent_id=message.id, role=Role.USER, content="x")
    assert len(load_messages(db, other.id)) == 0


def test_the_branch_ends_at_the_head(db: Database) -> None:
    chat, (question, first) = add_chat(db, "why?", "because")
    second = add_message(
        db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="no, because"
    )
    add_chat(db, "another conversation")
    assert load_branch(db, chat.id) == [question, second]
    assert load_messages(db, chat.id) == [question, first, second]
    assert len(load_messages(db, chat.id)) == 3
    reveal_message(db, first.id)
    assert load_branch(db, chat.id) == [question, first]


def test_revealing_shows_the_newest_branch_through_a_message(db: Database) -> None:
    chat, (root, _, question, _) = add_chat(db, "1", "2", "3", "4")
    newer = add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="4b")
    other_root = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content="0")
    reveal_message(db, root.id)
    assert load_branch(db, chat.id)[-1] == newer
    reveal_message(db, question.id)
    assert load_branch(db, chat.id)[-1] == newer
    reveal_message(db, other_root.id)
    assert load_branch(db, chat.id) == [other_root]


def test_the_branch_comes_in_pages(db: Database) -> None:
    chat, messages = add_chat(db, *(str(number) for number in range(10)))
    assert load_branch(db, chat.id) == messages
    assert load_branch(db, chat.id, limit=3) == messages[7:]
    assert load_branch(db, chat.id, limit=3, before_id=messages[7].id) == messages[4:7]
    assert load_branch(db, chat.id, limit=30, before_id=messages[4].id) == messages[:4]
    assert load_branch(db, chat.id, before_id=messages[0].id) == []
    assert load_branch(db, create_conversation(db).id) == []


def test_loading_the_end_of_a_long_chat_reads_only_that(db: Database) -> None:
    chat, _ = add_chat(db, *("x" for _ in range(300)))
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    db.connection.set_progress_handler(count, 1)
    load_branch(db, chat.id, limit=10)
    page = steps
    load_branch(db, chat.id)
    db.connection.set_progress_handler(None, 1)
    assert page * 15 < steps - page


def test_what_a_killed_program_left_is_marked_once(db: Database) -> None:
    chat, (question,) = add_chat(db, "why?")
    answer = add_message(
        db,
        conversation_id=chat.id,
        parent_id=question.id,
        role=Role.ASSISTANT,
        content="bec",
        status=Status.STREAMING,
    )
    assert mark_broken_off(db) == 1
    assert mark_broken_off(db) == 0
    marked = get_message(db, answer.id)
    assert marked is not None
    assert (marked.status, marked.content) == (Status.INTERRUPTED, "bec")
    assert get_message(db, question.id) == question


def test_text_that_nothing_can_carry_is_mended_at_the_door(db: Database) -> None:
    chat = create_conversation(db)
    bad, good = "ok \ud83d\ude00 \udc81\0end", "ok 😀 �end"
    added = add_message(
        db,
        conversation_id=chat.id,
        parent_id=None,
        role=Role.ASSISTANT,
        content=bad,
        reasoning=bad,
        error=bad,
        searches=(SearchRecord(query=bad, results=(SearchResult(bad, bad, bad),)),),
        wire=({bad: [bad, {"arguments": bad}, 1, None]},),
    )
    assert (added.content, added.reasoning, added.error) == (good, good, good)
    assert added.searches == (SearchRecord(query=good, results=(SearchResult(good, good, good),)),)
    assert added.wire == ({good: [good, {"arguments": good}, 1, None]},)


def test_a_conversation_that_is_removed_takes_its_messages_along(db: Database) -> None:
    chat, (message, _) = add_chat(db, "why?", "because")
    db.write("DELETE FROM conversations WHERE id = ?", (chat.id,))
    assert get_conversation(db, chat.id) is None
    assert get_message(db, message.id) is None


def test_rows_with_broken_values_can_still_be_read(db: Database) -> None:
    _, (message,) = add_chat(db, "hi")
    db.write(
        "UPDATE messages SET wire = '[1, {', usage = '[]', searches = '{', status = '?' WHERE id = ?", (message.id,)
    )
    assert get_message(db, message.id) == message
    db.write('UPDATE messages SET wire = \'[1, {"a": 2}]\', usage = \'{"prompt_n": "x", "new": 1}\'')
    found = get_message(db, message.id)
    assert found is not None
    assert (found.wire, found.usage) == (({"a": 2},), Usage())


def test_a_chat_that_was_put_away_is_back_with_its_next_message(db: Database) -> None:
    chat, (message,) = add_chat(db, "bee")
    set_archived(db, chat.id, archived=True)
    add_message(db, conversation_id=chat.id, parent_id=message.id, role=Role.ASSISTANT, content="an insect")
    found = get_conversation(db, chat.id)
    assert found is not None
    assert not found.archived

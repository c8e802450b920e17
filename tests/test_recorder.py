"""Recorded turns: what is stored when, and that it reads back as it was shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import ContentDelta, ReasoningDelta, UsageDelta
from llamachat.core.conversation import SearchMode
from llamachat.core.errors import StorageError
from llamachat.core.events import Kind
from llamachat.core.messages import Role, Status, Usage
from llamachat.core.search_record import record_from_json
from llamachat.recorder import start_turn
from llamachat.storage.conversations import get_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.messages import get_message, load_branch
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import ScriptedCompleter, calls, says
from tests.fakes.scripted_search import ScriptedSearch
from tests.recorder_parts import SEND, begin, row, shown, wait_until


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database lies."""
    return tmp_path / "history.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(path) as database:
        yield database


def test_question_and_answer_are_stored_before_the_turn_runs(db: Database, path: Path) -> None:
    turn = begin(db, SEND, says("Noon."))
    assert turn.user is not None
    stored = [row(path, turn.user.id), row(path, turn.answer.id)]
    assert [(r.role, r.content, r.status, r.parent_id) for r in stored] == [
        (Role.USER, SEND.text, Status.COMPLETE, None),
        (Role.ASSISTANT, "", Status.STREAMING, turn.user.id),
    ]
    assert (turn.answer.model, turn.answer.prompt) == ("qwen", "Be brief.")
    conversation = turn.conversation
    assert (conversation.title, conversation.prompt, conversation.model) == (
        "When is high tide?",
        "Be brief.",
        "qwen",
    )
    assert (conversation.head_id, conversation.search_mode) == (turn.answer.id, SearchMode.AUTO)


@pytest.mark.claim("LC-027", "LC-005")
def test_a_stored_turn_reads_back_as_it_was_shown(db: Database, path: Path) -> None:
    first = [
        ReasoningDelta("I should look."),
        ContentDelta("One moment."),
        *calls({"query": "tide"}, {"query": "broken"}),
    ]
    second = [
        *says("Noon [1].", thinking="Found."),
        UsageDelta(Usage(prompt_tokens=9, cache_n=4)),
    ]
    turn = begin(db, SEND, first, second, search=ScriptedSearch())
    events = list(turn.events())
    stored = row(path, turn.answer.id)
    assert stored.content == shown(events, Kind.CONTENT) == "One moment.\n\nNoon [1]."
    assert stored.reasoning == shown(events, Kind.REASONING)
    assert list(stored.searches) == [record_from_json(str(data)) for kind, data in events if kind is Kind.SEARCH_DONE]
    assert list(stored.wire) == [data for kind, data in events if kind is Kind.MESSAGE]
    assert [message["role"] for message in stored.wire] == ["assistant", "tool", "tool", "assistant"]
    assert stored.usage == Usage(prompt_tokens=9, cache_n=4)
    assert (stored.status, stored.finish_reason, stored.error) == (Status.COMPLETE, "stop", "")
    assert stored == turn.stored_answer()


def test_the_next_turn_sends_what_this_one_sent(db: Database) -> None:
    first = begin(db, SEND, calls({"query": "tide"}), says("Noon."), search=ScriptedSearch())
    list(first.events())
    completer = ScriptedCompleter(says("Yes."))
    request = TurnRequest("send", conversation_id=first.conversation.id, text="Sure?", prompt="Another one.")
    second = start_turn(db, request, prepare=lambda: TurnParts(completer, keeps_reasoning=True), cancel=CancelToken())
    list(second.events())
    assert completer.requests[0].messages == (
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": SEND.text},
        *first.stored_answer().wire,
        {"role": "user", "content": "Sure?"},
    )
    assert completer.requests[0].model == "qwen"
    assert second.answer.prompt == "Be brief."
    assert [message.id for message in load_branch(db, first.conversation.id)] == [1, 2, 3, 4]


def test_model_and_search_mode_are_the_conversations(db: Database) -> None:
    turn = begin(db, SEND, says("Noon."))
    list(turn.events())
    changed = TurnRequest(
        "send", conversation_id=turn.conversation.id, text="x", model="gemma", search_mode=SearchMode.OFF
    )
    assert begin(db, changed, says("y")).conversation.search_mode is SearchMode.OFF
    kept = begin(db, TurnRequest("send", conversation_id=turn.conversation.id, text="x"), says("y"))
    assert (kept.conversation.model, kept.conversation.search_mode) == ("gemma", SearchMode.OFF)
    assert kept.answer.model == "gemma"


def test_text_is_on_disk_although_nothing_follows_it(db: Database, path: Path) -> None:
    def look() -> None:
        wait_until(lambda: row(path, turn.answer.id).content == "The first half")
        assert row(path, turn.answer.id).reasoning == "Hm."
        assert row(path, turn.answer.id).status is Status.STREAMING

    turn = begin(db, SEND, [ReasoningDelta("Hm."), ContentDelta("The first"), ContentDelta(" half"), look])
    list(turn.events())


def test_text_is_on_disk_before_searches_and_their_records_right_after_them(db: Database, path: Path) -> None:
    seen: list[tuple[str, int, int]] = []

    def look() -> None:
        stored = row(path, turn.answer.id)
        seen.append((stored.content, len(stored.searches), len(stored.wire)))

    first = [ContentDelta("One moment."), *calls({"query": "a"}, {"query": "b"})]
    turn = begin(db, SEND, first, [look, *says("Noon.")], search=ScriptedSearch(before=look))
    list(turn.events())
    assert seen == [("One moment.", 0, 1), ("One moment.", 0, 1), ("One moment.", 2, 3)]


def test_thinking_that_came_as_content_is_stored_as_thinking(db: Database) -> None:
    turn = begin(db, SEND, says("Count the letters.</think>\n\nThree."))
    list(turn.events())
    assert (turn.stored_answer().content, turn.stored_answer().reasoning) == ("Three.", "Count the letters.")
    assert get_message(db, turn.answer.id) == turn.stored_answer()


def test_half_an_emoji_and_a_zero_byte_are_stored_and_sent_on(db: Database) -> None:
    turn = begin(db, TurnRequest("send", text="a\ud83d\0b"), says("ok"))
    list(turn.events())
    assert [message.content for message in load_branch(db, turn.conversation.id)] == ["a\ufffdb", "ok"]


def test_a_question_to_a_conversation_that_is_gone_stores_nothing(db: Database) -> None:
    with pytest.raises(StorageError):
        begin(db, TurnRequest("send", conversation_id=7, text="Hi"), says("x"))
    assert list_conversations(db) == []
    assert get_conversation(db, 7) is None

"""Out as JSON and into an empty history: what comes out of that is the same, byte for byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from llamachat.core.conversation import Conversation, SearchMode
from llamachat.core.messages import Role, Status, StoredMessage, Usage
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.core.tag import tag_key
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.imported import take_in
from llamachat.storage.messages import load_messages
from llamachat.transfer.chat_reader import read_chats
from llamachat.transfer.json_export import conversation_json, joined_json
from tests.transfer.chats import ANSWER, CONVERSATION, QUESTION
from tests.transfer.importers.reading import IMPORTS

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
TIMES = st.floats(1, 4e9)
COUNTS = st.none() | st.integers(0, 2**31)
UIDS = st.uuids().map(lambda name: name.hex)
VALUES = st.recursive(TEXT | st.none() | st.booleans() | st.integers(-9, 9), st.lists, max_leaves=3)
WIRES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool"]), "content": TEXT | st.none()},
    optional={"tool_calls": st.lists(st.dictionaries(TEXT, VALUES, max_size=2), max_size=2)},
)
RESULTS = st.builds(SearchResult, TEXT, TEXT, TEXT, read_error=TEXT, read_chars=st.integers(0, 99), snippet=TEXT)
SEARCHES = st.builds(
    SearchRecord,
    query=TEXT,
    results=st.lists(RESULTS, max_size=2).map(tuple),
    error=TEXT,
    route=st.sampled_from(["model", "router", "user"]),
    cached_age_s=st.none() | TIMES,
    engines=st.lists(st.tuples(TEXT, TEXT), max_size=2).map(tuple),
    first_number=st.integers(1, 99),
    seconds=TIMES,
    at=TIMES,
)
MESSAGES = st.builds(
    StoredMessage,
    id=st.just(0),
    uid=UIDS,
    conversation_id=st.just(0),
    parent_id=st.none() | st.integers(0, 99),  # becomes one of the messages before
    role=st.sampled_from(Role),
    content=TEXT,
    reasoning=TEXT,
    prompt=TEXT,
    searches=st.lists(SEARCHES, max_size=2).map(tuple),
    wire=st.lists(WIRES, max_size=2).map(tuple),
    model=TEXT,
    status=st.sampled_from([status for status in Status if status is not Status.STREAMING]),
    finish_reason=TEXT,
    error=TEXT,
    usage=st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, st.none() | TIMES, COUNTS, st.none() | TIMES),
    created_at=TIMES,
    edited=st.booleans(),
)
CONVERSATIONS = st.builds(
    Conversation,
    id=st.just(1),
    uid=UIDS,
    title=TEXT,
    created_at=TIMES,
    updated_at=TIMES,
    model=TEXT,
    prompt=TEXT,
    search_mode=st.sampled_from(SearchMode),
    head_id=st.none() | st.integers(0, 99),
    draft=TEXT,
    pinned=st.booleans(),
    archived=st.booleans(),
    prompt_name=TEXT,
    prompt_edited=st.booleans(),
    results_kept_from=st.integers(0, 9),
    tags=st.sets(st.sampled_from(["école", "Two words", "work", "蜜蜂"])).map(
        lambda tags: (*sorted(tags, key=tag_key),)
    ),
)


def tree(conversation: Conversation, drawn: list[StoredMessage]) -> str:
    """The export of a chat of these messages, each below any of those before it."""
    messages = [
        replace(message, id=number, parent_id=(message.parent_id or 0) % number or None)
        for number, message in enumerate(drawn, 1)
    ]
    head_id = conversation.head_id % len(messages) + 1 if conversation.head_id is not None and messages else None
    whole = [message for message in messages if message.id < conversation.results_kept_from]
    kept_from = conversation.results_kept_from if whole else 0
    return conversation_json(replace(conversation, head_id=head_id, results_kept_from=kept_from), messages)


def exported(db: Database) -> list[str]:
    """Everything in the history."""
    chats = [*list_conversations(db), *list_conversations(db, archived=True)]
    return [conversation_json(chat, load_messages(db, chat.id)) for chat in chats]


def imported(db: Database, path: Path) -> None:
    take_in(db, read_chats(path))


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(CONVERSATIONS, st.lists(MESSAGES, max_size=6, unique_by=lambda message: message.uid))
@pytest.mark.slow
def test_any_chat_comes_back_as_it_was(conversation: Conversation, drawn: list[StoredMessage]) -> None:
    text = tree(conversation, drawn)
    with TemporaryDirectory() as folder, Database.in_memory() as db:
        path = Path(folder, "chat.json")
        path.write_text(text, encoding="utf-8")
        imported(db, path)
        assert exported(db) == [text]
        imported(db, path)
        assert exported(db) == [text]


def test_a_chat_with_everything_in_it_comes_back(tmp_path: Path) -> None:
    branch = replace(ANSWER, id=13, uid="d" * 32, content="A fly.")
    text = conversation_json(CONVERSATION, [QUESTION, ANSWER, branch])
    (tmp_path / "chat.json").write_text(text, encoding="utf-8")
    with Database.in_memory() as db:
        imported(db, tmp_path / "chat.json")
        assert exported(db) == [text]


def test_several_chats_in_one_file_come_back(tmp_path: Path) -> None:
    first = conversation_json(CONVERSATION, [])
    other = conversation_json(replace(CONVERSATION, uid="e" * 32, updated_at=1.0, created_at=1.0), [])
    (tmp_path / "chats.json").write_text("".join(joined_json([first, other])), encoding="utf-8")
    with Database.in_memory() as db:
        imported(db, tmp_path / "chats.json")
        assert sorted(exported(db)) == sorted(text.replace(f'"{ANSWER.uid}"', "null") for text in (first, other))


def test_an_answer_that_was_being_written_was_cut_off(tmp_path: Path) -> None:
    text = conversation_json(CONVERSATION, [QUESTION, replace(ANSWER, status=Status.STREAMING)])
    (tmp_path / "chat.json").write_text(text, encoding="utf-8")
    (chat,) = read_chats(tmp_path / "chat.json")
    assert chat.messages[1].status is Status.INTERRUPTED


@pytest.mark.parametrize(
    "name", ["conversations.json", "open_webui.json", "llama_cpp.json", "llama_cpp.jsonl", "jan.json", "jan_threads"]
)
def test_what_came_from_other_programs_comes_back_too(tmp_path: Path, name: str) -> None:
    with Database.in_memory() as db:
        imported(db, IMPORTS / name)
        texts = exported(db)
        imported(db, IMPORTS / name)
        assert exported(db) == texts != []
    (tmp_path / "all.json").write_text("".join(joined_json(texts)), encoding="utf-8")
    with Database.in_memory() as db:
        imported(db, tmp_path / "all.json")
        assert exported(db) == texts

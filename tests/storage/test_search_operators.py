"""Operators of the history search narrow down what is found; titles and messages are told apart."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from llamachat.core.messages import Role
from llamachat.core.search_record import SearchRecord
from llamachat.storage.conversations import create_conversation, set_archived
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.fulltext import by_chat, operator_values, search_history
from llamachat.storage.messages import MessageFields, add_message
from llamachat.storage.tags import delete_tag, tag_chats
from tests.fakes.still_clock import StillClock
from tests.storage.stories import acting_at, add_chat


@pytest.fixture
def bees(db: Database, clock: StillClock) -> Database:
    """Two chats about bees; ids of messages in order of writing are 1 to 5."""
    clock.move(datetime(2026, 3, 10, 12).timestamp() - clock.now())
    garden = create_conversation(db, title="Garden bees")
    question = _add(db, garden.id, None, Role.USER, content="which bees sting?")
    answer = _add(
        db, garden.id, question, Role.ASSISTANT, content="few bees sting", model="Qwen3-8B", searches=_SEARCH
    )
    clock.move(40 * 86400)
    code = _add(db, garden.id, answer, Role.USER, content="count bees: ```py\nbees += 1\n```")
    other = create_conversation(db, title="Wasps")
    asked = _add(db, other.id, None, Role.USER, content="do wasps and bees sting?")
    said = _add(db, other.id, asked, Role.ASSISTANT, content="bees do, once", model="gemma-3")
    assert (question, answer, code, asked, said) == (1, 2, 3, 4, 5)
    tag_chats(db, [garden.id], "Field")
    tag_chats(db, [other.id], "Field trip")
    delete_tag(db, tag_chats(db, [garden.id], "yard"))
    return db


_SEARCH = (SearchRecord(query="bees", results=()),)


def _add(db: Database, chat: int, parent: int | None, role: Role, **fields: object) -> int:
    given: MessageFields = {**fields}  # type: ignore[typeddict-item]  # each call names fields of a message
    return add_message(db, conversation_id=chat, parent_id=parent, role=role, **given).id


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("bees", [None, 5, 4, 3, 2, 1]),
        ("bees -sting", [None, 5, 3]),
        ('bees -"bees sting" -count', [None, 5]),
        ("-bees", []),
        ("-sting", [5, 3]),
        ("bees role:assistant", [5, 2]),
        ("role:assistant", [5, 2]),
        ("role:user sting", [4, 1]),
        ("bees model:qwen", [2]),
        ("model:gemma model:qwen", [5, 2]),
        ("model:3-8b role:user", []),
        ('model:"Qwen3"', []),
        ('model:"qwen3-8b" model:"gemma"', [2]),
        ("has:search", [2]),
        ("bees has:code", [3]),
        ("has:code has:search", []),
        ("bees before:2026-03-11", [None, 2, 1]),
        ("bees after:2026-03-11", [5, 4, 3]),
        ("after:2026-03 before:2026-04", [2, 1]),
        ("title:garden", [None]),
        ("title:garden sting", [2, 1]),
        ("title:garden bees", [None, 3, 2, 1]),
        ("title:garden role:user", [3, 1]),
        ("title:garden title:wasps", []),
        ("title:bees -garden", []),
        ("tag:field", [None]),
        ("tag:FIELD tag:yard", []),
        ("tag:f", [None, None]),
        ("tag:f -garden", [None]),
        ("tag:field bees", [None, 3, 2, 1]),
        ("tag:field role:assistant", [2]),
        ('tag:"field trip" sting', [4]),
        ("tag:fields bees", []),
    ],
)
def test_operators_narrow_down(bees: Database, query: str, ids: list[int | None]) -> None:
    assert [hit.message_id for hit in search_history(bees, query)] == ids
    pages = [hit.message_id for n in range(len(ids)) for hit in search_history(bees, query, limit=1, offset=n)]
    assert pages == ids


def test_a_tag_of_many_chats_finds_the_same_as_one_of_few(db: Database) -> None:
    chats = [add_chat(db, f"bee {number}", "none", title=f"Chat {number}")[0].id for number in range(130)]
    tag_chats(db, chats[::2], "many")
    tag_chats(db, chats[::10], "few")
    for query, wanted in (
        ("bee tag:many", chats[::2]),
        ("bee tag:few", chats[::10]),
        ("bee tag:few tag:many", chats[::10]),
        ("role:user tag:many", chats[::2]),
        ("tag:many", chats[::2]),
    ):
        assert [hit.conversation_id for hit in search_history(db, query, limit=200)] == wanted[::-1], query


def test_a_model_in_quotation_marks_is_called_so_with_or_without_its_folder(bees: Database) -> None:
    number = _add(bees, 1, None, Role.ASSISTANT, content="sixth", model="/models/Big-Bee.gguf")
    for query in ('model:"big-bee"', 'model:"/models/big-bee.gguf"'):
        assert [hit.message_id for hit in search_history(bees, query)] == [number]
    assert search_history(bees, 'model:"bee"') == []


def test_a_hit_without_words_shows_how_its_text_begins(bees: Database) -> None:
    (hit,) = search_history(bees, "model:gemma")
    assert hit.snippet == ("bees do, once",)


def test_archived_is_found_and_deleted_is_not(bees: Database) -> None:
    set_archived(bees, 1, archived=True)
    assert [(hit.role, hit.model, hit.archived) for hit in search_history(bees, "sting")] == [
        ("user", "", False),
        ("assistant", "Qwen3-8B", True),
        ("user", "", True),
    ]
    assert [(hit.role, hit.archived) for hit in search_history(bees, "title:garden")] == [("", True)]
    assert [hit.message_id for hit in search_history(bees, "role:assistant")] == [5, 2]
    delete_chats(bees, [1])
    assert [hit.message_id for hit in search_history(bees, "role:assistant")] == [5]
    assert search_history(bees, "title:garden") == []


def test_hits_are_grouped_by_chat(bees: Database) -> None:
    groups = by_chat(search_history(bees, "bees"))
    assert [(group.conversation_id, group.title) for group in groups] == [(1, "Garden bees"), (2, "Wasps")]
    assert [[hit.message_id for hit in group.hits] for group in groups] == [[None, 3, 2, 1], [5, 4]]
    assert by_chat([]) == []


def test_values_to_choose_from_are_told(bees: Database) -> None:
    assert operator_values(bees) == {
        "role": ("user", "assistant"),
        "has": ("code", "search"),
        "model": ("Qwen3-8B", "gemma-3"),
        "tag": ("Field", "Field trip"),
        "before": ("today", "yesterday"),
        "after": ("today", "yesterday"),
    }


def test_a_history_without_models_offers_none(db: Database) -> None:
    add_chat(db, "bee", "an insect")
    assert operator_values(db)["model"] == ()


def test_a_tag_that_another_window_deletes_meanwhile_is_no_fault(bees: Database, path: Path) -> None:
    with (
        Database.open(path, clock=bees.clock) as other,
        acting_at(bees, "SELECT key, (SELECT count(*)", lambda: delete_tag(other, "field")),
    ):
        assert search_history(bees, "bees tag:field") == []

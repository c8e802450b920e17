"""Conversations are made, listed, changed, deleted and brought back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from llamachat.core.conversation import Conversation, ListOrder, SearchMode
from llamachat.core.errors import StorageError
from llamachat.core.messages import Role
from llamachat.storage.conversations import (
    create_conversation,
    get_conversation,
    get_state,
    list_conversations,
    rename_conversation,
    set_archived,
    set_draft,
    set_model,
    set_pinned,
    set_search_mode,
    set_state,
)
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats, show_chats
from llamachat.storage.messages import add_message
from llamachat.storage.tags import tag_chats
from tests.fakes.still_clock import StillClock


def test_a_new_conversation_is_read_back_as_it_was_made(db: Database, clock: StillClock) -> None:
    made = create_conversation(db, title="Bees", prompt="Be short.", model="m", search_mode=SearchMode.OFF)
    assert get_conversation(db, made.id) == made
    assert (made.title, made.prompt, made.model, made.search_mode) == ("Bees", "Be short.", "m", SearchMode.OFF)
    assert made.created_at == made.updated_at == clock.now()
    assert (made.head_id, made.draft) == (None, "")
    assert len(made.uid) == 32


def test_uids_differ_and_a_given_one_is_kept(db: Database) -> None:
    assert create_conversation(db).uid != create_conversation(db).uid
    assert create_conversation(db, uid="ab" * 16).uid == "ab" * 16


def test_the_list_has_the_one_used_last_first(db: Database, clock: StillClock) -> None:
    made = []
    for title in ("a", "b", "c"):
        made.append(create_conversation(db, title=title))
        clock.move(1)
    add_message(db, conversation_id=made[0].id, parent_id=None, role=Role.USER, content="again")
    assert [conversation.title for conversation in list_conversations(db)] == ["a", "c", "b"]


def test_the_list_comes_in_pages_without_gaps_also_at_equal_times(db: Database, clock: StillClock) -> None:
    for number in range(7):
        create_conversation(db, title=str(number))
        clock.move(number % 2)
    whole = list_conversations(db)
    pages = list_conversations(db, limit=3)
    while page := list_conversations(db, limit=3, before=pages[-1]):
        pages += page
    assert pages == whole
    assert len(whole) == 7


def test_pinned_ones_come_first_and_archived_ones_not_at_all(db: Database, clock: StillClock) -> None:
    made = {}
    for title in ("a", "b", "c", "d", "e"):
        made[title] = create_conversation(db, title=title).id
        clock.move(1)
    set_pinned(db, made["b"], pinned=True)
    set_pinned(db, made["d"], pinned=True)
    set_archived(db, made["c"], archived=True)
    listed = list_conversations(db)
    assert [(one.title, one.pinned) for one in listed] == [("d", True), ("b", True), ("e", False), ("a", False)]
    assert [(one.title, one.archived) for one in list_conversations(db, archived=True)] == [("c", True)]
    for number, last in enumerate(listed):
        assert list_conversations(db, before=last) == listed[number + 1 :]
    set_pinned(db, made["d"], pinned=False)
    set_archived(db, made["c"], archived=False)
    assert [one.title for one in list_conversations(db)] == ["b", "e", "d", "c", "a"]


@pytest.mark.parametrize("order", ListOrder)
def test_each_page_of_a_list_reads_its_own_rows_and_no_others(
    db: Database, clock: StillClock, order: ListOrder
) -> None:
    for number in range(800):
        create_conversation(db, title=f"Chat {number * 7 % 800}")
        clock.move(number % 3)
    listed: list[Conversation] = []

    def read_page() -> None:
        before = listed[-1] if listed else None
        listed.extend(list_conversations(db, limit=50, before=before, order=order))

    work = [steps(db, read_page) for _ in range(16)]
    assert len({chat.id for chat in listed}) == 800
    assert listed == list_conversations(db, order=order)
    assert max(work) < 1.2 * min(work)


def steps(db: Database, act: Callable[[], object]) -> int:
    """How many instructions SQLite carries out."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    db.connection.set_progress_handler(step, 1)
    act()
    db.connection.set_progress_handler(None, 0)
    return count


def test_the_list_is_sorted_as_asked(db: Database, clock: StillClock) -> None:
    made = {}
    for title in ("Übung 10", "zebra", "apple", "ubung 9", "Zebra", ""):
        made[title] = create_conversation(db, title=title).id
        clock.move(1)
    set_pinned(db, made["zebra"], pinned=True)
    add_message(db, conversation_id=made["Übung 10"], parent_id=None, role=Role.USER, content="again")
    by = {order: [chat.title for chat in list_conversations(db, order=order)] for order in ListOrder}
    assert by[ListOrder.ACTIVITY] == ["zebra", "Übung 10", "", "Zebra", "ubung 9", "apple"]
    assert by[ListOrder.CREATED] == ["zebra", "", "Zebra", "ubung 9", "apple", "Übung 10"]
    assert by[ListOrder.TITLE] == ["zebra", "", "apple", "ubung 9", "Übung 10", "Zebra"]
    rename_conversation(db, made["apple"], "Žižka")
    assert [chat.title for chat in list_conversations(db, order=ListOrder.TITLE)][-1] == "Žižka"
    for order in ListOrder:
        whole = list_conversations(db, order=order)
        for number, last in enumerate(whole):
            assert list_conversations(db, order=order, before=last) == whole[number + 1 :]


def test_the_list_of_a_tag_has_its_chats(db: Database) -> None:
    made = [create_conversation(db, title=str(number)).id for number in range(6)]
    tag_chats(db, made[1:5], "Work")
    set_archived(db, made[1], archived=True)
    set_pinned(db, made[2], pinned=True)
    listed = list_conversations(db, tag="WORK")
    assert [chat.title for chat in listed] == ["2", "4", "3"]
    assert [chat.title for chat in list_conversations(db, tag="work", archived=True)] == ["1"]
    assert list_conversations(db, tag="work", limit=1, before=listed[0]) == listed[1:2]
    assert list_conversations(db, tag="play") == []


def test_what_is_put_away_is_no_longer_at_the_top(db: Database) -> None:
    made = [create_conversation(db).id for _ in range(3)]
    set_pinned(db, *made[:2], pinned=True)
    assert set_archived(db, *made[1:], archived=True) == (made[1],)
    assert [(chat.id, chat.pinned) for chat in list_conversations(db, archived=True)] == [
        (made[2], False),
        (made[1], False),
    ]
    set_archived(db, *made[1:], archived=False)
    assert next((chat.id, chat.pinned) for chat in list_conversations(db)) == (made[0], True)


def test_a_deleted_conversation_is_gone_and_comes_back(db: Database) -> None:
    kept, deleted = create_conversation(db, title="kept"), create_conversation(db, title="deleted")
    delete_chats(db, [deleted.id])
    assert list_conversations(db) == [kept]
    assert get_conversation(db, deleted.id) is None
    show_chats(db, [deleted.id])
    assert get_conversation(db, deleted.id) == deleted


def test_changes_are_stored(db: Database) -> None:
    made = create_conversation(db, title="old")
    rename_conversation(db, made.id, "new")
    set_draft(db, made.id, "half a thou")
    set_model(db, made.id, "other")
    set_search_mode(db, made.id, SearchMode.OFF)
    changed = get_conversation(db, made.id)
    assert changed is not None
    assert (changed.title, changed.draft, changed.model) == ("new", "half a thou", "other")
    assert changed.search_mode is SearchMode.OFF
    assert changed.updated_at == made.updated_at


def test_a_search_mode_of_a_newer_program_reads_as_auto(db: Database) -> None:
    made = create_conversation(db)
    db.write("UPDATE conversations SET search_mode = 'sometimes' WHERE id = ?", (made.id,))
    found = get_conversation(db, made.id)
    assert found is not None
    assert found.search_mode is SearchMode.AUTO


def test_changing_one_that_is_not_there_is_told(db: Database) -> None:
    with pytest.raises(StorageError, match="no longer exists"):
        rename_conversation(db, 77, "x")


def test_text_that_nothing_can_carry_is_mended_at_the_door(db: Database) -> None:
    made = create_conversation(db, title="ok \ud83d\ude00 \udc81\0!", prompt="\udc81", model="\0m")
    set_draft(db, made.id, "\ud83d")
    found = get_conversation(db, made.id)
    assert found is not None
    assert (found.title, found.prompt, found.model, found.draft) == ("ok 😀 �!", "�", "m", "�")


def test_state_is_kept_and_replaced(db: Database) -> None:
    assert get_state(db, "draft") is None
    set_state(db, "draft", "one")
    set_state(db, "draft", "two\0\udc81")
    set_state(db, "geometry", "{}")
    assert get_state(db, "draft") == "two�"
    assert get_state(db, "geometry") == "{}"

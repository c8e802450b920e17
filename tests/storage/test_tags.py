"""Tags are given, renamed, merged, deleted and brought back."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.core.tag import MOST_CHARS, tag_key, tag_name
from llamachat.storage.conversations import (
    create_conversation,
    get_conversation,
    list_conversations,
)
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.tags import delete_tag, list_tags, rename_tag, restore_tag, tag_chats, tag_names, untag_chats
from tests.storage.test_rescue import leaf_pages, overwrite


@pytest.fixture
def chats(db: Database) -> list[int]:
    """Three chats without tags."""
    return [create_conversation(db, title=title).id for title in ("Bees", "Bread", "Tides")]


def tags(db: Database, chat: int) -> tuple[str, ...]:
    """What a chat has now."""
    conversation = get_conversation(db, chat)
    assert conversation is not None
    return conversation.tags


def test_a_chat_has_several_tags_by_name(db: Database, chats: list[int]) -> None:
    tag_chats(db, chats[:2], "Garden")
    tag_chats(db, chats[:1], "école")
    tag_chats(db, chats[:1], "Food")
    assert [tags(db, chat) for chat in chats] == [("Food", "Garden", "école"), ("Garden",), ()]
    assert [(tag.name, tag.chats) for tag in list_tags(db)] == [("Food", 1), ("Garden", 2), ("école", 1)]
    untag_chats(db, chats, "GARDEN")
    assert [tags(db, chat) for chat in chats] == [("Food", "école"), (), ()]
    assert tag_names(db) == ("Food", "Garden", "école")


def test_a_name_is_one_tag_whatever_its_case(db: Database, chats: list[int]) -> None:
    assert tag_chats(db, chats[:1], "Straße") == "Straße"
    assert tag_chats(db, chats[:2], "STRASSE") == "Straße"
    assert tag_chats(db, chats[:2], "  #strasse ") == "Straße"
    assert [(tag.name, tag.chats) for tag in list_tags(db)] == [("Straße", 2)]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("  two   words\n", "two words"),
        ("##work", "work"),
        ('the "best"', "the 'best'"),
        ("x" * 99, "x" * MOST_CHARS),
        ("\udc81", "\ufffd"),
        ("\0 # ", ""),
    ],
)
def test_a_name_is_one_short_line(typed: str, name: str) -> None:
    assert tag_name(typed) == name


def test_what_cannot_be_seen_makes_no_other_name() -> None:
    assert tag_name("\u202ewo\u00adrk\u200b") == "work"
    assert tag_name("\U0001f469\u200d\U0001f680 می\u200cخواهم") == "\U0001f469\u200d\U0001f680 می\u200cخواهم"


def test_the_key_is_one_for_all_ways_to_write_a_letter() -> None:
    assert tag_key("E\u0301cole") == tag_key("école")


@pytest.mark.parametrize("name", ["", "  ", "#", "\0", "\u200b", "\u200d", "\u00ad\u202e", "\ufeff", "\u3164 \u3164"])
def test_a_tag_needs_a_name(db: Database, chats: list[int], name: str) -> None:
    tag_chats(db, chats, "a")
    with pytest.raises(StorageError, match="needs a name"):
        tag_chats(db, chats, name)
    with pytest.raises(StorageError, match="needs a name"):
        rename_tag(db, "a", name)
    assert tag_names(db) == ("a",)


def test_a_tag_is_renamed_for_all_its_chats(db: Database, chats: list[int]) -> None:
    tag_chats(db, chats[:2], "wrok")
    assert rename_tag(db, "Wrok", "work") is None
    assert rename_tag(db, "work", "Work") is None
    assert [tags(db, chat) for chat in chats] == [("Work",), ("Work",), ()]
    with pytest.raises(StorageError, match="no such tag"):
        rename_tag(db, "wrok", "x")


def test_a_name_that_is_taken_joins_two_tags_and_undo_takes_them_apart(db: Database, chats: list[int]) -> None:
    tag_chats(db, chats[:2], "job")
    tag_chats(db, chats[1:], "Work")
    merged = rename_tag(db, "job", "work")
    assert merged is not None
    assert [tags(db, chat) for chat in chats] == [("Work",)] * 3
    restore_tag(db, merged)
    assert [tags(db, chat) for chat in chats] == [("job",), ("job", "Work"), ("Work",)]


def test_a_deleted_tag_is_gone_and_comes_back_to_its_chats(db: Database, chats: list[int]) -> None:
    tag_chats(db, chats[:2], "a")
    tag_chats(db, chats[1:], "b")
    deletion = delete_tag(db, "a")
    assert [tags(db, chat) for chat in chats] == [(), ("b",), ("b",)]
    assert tag_names(db) == ("b",)
    restore_tag(db, deletion)
    assert [tags(db, chat) for chat in chats] == [("a",), ("a", "b"), ("b",)]
    with pytest.raises(StorageError, match="no such tag"):
        restore_tag(db, deletion)


def test_a_tag_that_comes_back_joins_the_one_that_has_its_name_now(db: Database, chats: list[int]) -> None:
    tag_chats(db, chats[:1], "a")
    deletion = delete_tag(db, "a")
    tag_chats(db, chats[1:2], "A")
    assert tags(db, chats[0]) == ()
    restore_tag(db, deletion)
    assert [tags(db, chat) for chat in chats] == [("A",), ("A",), ()]


def test_deleted_chats_do_not_count_and_keep_their_tags(db: Database, chats: list[int]) -> None:
    tag_chats(db, chats, "a")
    delete_chats(db, [chats[0]])
    assert [(tag.name, tag.chats) for tag in list_tags(db)] == [("a", 2)]
    db.write("DELETE FROM conversations WHERE id = ?", (chats[1],))
    tag_chats(db, [chats[1], 99], "a")  # deleted for good meanwhile
    assert db.rows("PRAGMA foreign_key_check") == []
    assert [(tag.name, tag.chats) for tag in list_tags(db)] == [("a", 1)]


def test_what_can_be_read_of_tags_in_a_damaged_file_is_kept(path: Path) -> None:
    with Database.open(path) as db:
        chats = [create_conversation(db, title=f"Chat {number}").id for number in range(400)]
        tag_chats(db, chats, "all")
        tag_chats(db, chats[::2], "even")
    overwrite(path, [*leaf_pages(path, "conversation_tags")[:1], *leaf_pages(path, "conversations")[2:4]])
    with Database.open(path, check=True) as db:
        assert db.report.damaged is not None
        assert db.rows("PRAGMA foreign_key_check") == []
        counts = {tag.name: tag.chats for tag in list_tags(db)}
        kept = {chat.id: chat.tags for chat in list_conversations(db)}
    assert set(counts) == {"all", "even"}
    assert 0 < counts["all"] <= len(kept) < 400
    for number, names in kept.items():
        assert set(names) <= ({"all", "even"} if number % 2 else {"all"})
    assert sum("even" in names for names in kept.values()) == counts["even"] > 0

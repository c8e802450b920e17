"""`llamachat history deleted` and `undelete`."""

from __future__ import annotations

import pytest

from llamachat.storage.database import Database
from llamachat.storage.tags import delete_tag, tag_chats
from llamachat.storage.versions import delete_message
from tests.cli.test_history_care import Commands, history
from tests.storage.stories import add_chat

__all__ = ["history"]


@pytest.fixture
def commands(history: Commands) -> Commands:
    """One more chat, with four messages."""
    with Database.open(history.path) as db:
        chat, _ = add_chat(db, "What is a bee?", "An insect.", "And a\nwasp?", "Another.", title="Insects")
        tag_chats(db, [chat.id], "Work")
    return history


def test_what_was_deleted_is_listed_and_comes_back(commands: Commands) -> None:
    assert commands.run("deleted") == (0, "", "Nothing is deleted.\n")
    assert commands.run("undelete") == (0, "", "Nothing is deleted.\n")
    code, _, beside = commands.run("delete", "60")
    assert (code, beside) == (0, "Deleted: Chat 59\n`llamachat history undelete` brings it back.\n")
    with Database.open(commands.path) as db:
        delete_message(db, 123)
        delete_tag(db, "Work")
    code, said, _ = commands.run("deleted")
    lines = [line.strip().split("  ", 2) for line in said.splitlines()]
    assert [line[2] for line in lines] == [
        "Tag of 1 chat: Work",
        "Question and 1 more in Insects: And a wasp?",
        "Chat, 2 messages: Chat 59",
    ]
    assert commands.run("deleted", "--limit", "1")[1:] == (
        said.splitlines(keepends=True)[0],
        "2 more with --limit.\n",
    )
    assert commands.run("undelete") == (0, "", "The tag is back.\n")
    assert commands.run("undelete", "1") == (0, "", "Brought back: Chat 59\n")
    assert "Chat 59" in commands.titles()
    assert commands.run("undelete", "2") == (0, "", "Brought back in Insects\n")
    assert commands.run("deleted") == (0, "", "Nothing is deleted.\n")


def test_several_chats_are_deleted_at_once_and_come_back_at_once(commands: Commands) -> None:
    titles = commands.titles()
    code, _, beside = commands.run("delete", "7", "9", "999")
    assert (code, "There is no chat 999." in beside, commands.titles()) == (1, True, titles)
    said = "Deleted: Chat 6\nDeleted: Chat 8\n`llamachat history undelete` brings them back.\n"
    assert commands.run("delete", "7", "9", "7") == (0, "", said)
    assert [title for title in titles if title not in commands.titles()] == ["Chat 6", "Chat 8"]
    assert commands.run("undelete") == (0, "", "Brought back: Chat 6\nBrought back: Chat 8\n")
    assert commands.run("delete", "--for-good", "7", "9", "7") == (0, "", "Deleted: Chat 6\nDeleted: Chat 8\n")
    assert [title for title in titles if title not in commands.titles()] == ["Chat 6", "Chat 8"]
    assert commands.run("deleted") == (0, "", "Nothing is deleted.\n")


def test_what_is_not_there_cannot_be_brought_back(commands: Commands) -> None:
    code, _, beside = commands.run("undelete", "7")
    assert code == 1
    assert "There is nothing deleted of number 7. `llamachat history deleted` shows the numbers." in beside

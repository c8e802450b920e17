"""Acts on chats and messages that are there: each is one transaction."""

from __future__ import annotations

from llamachat.core.conversation import SearchMode
from llamachat.storage.conversations import (
    delete_conversation,
    rename_conversation,
    restore_conversation,
    set_archived,
    set_draft,
    set_model,
    set_pinned,
    set_search_mode,
)
from llamachat.storage.messages import reveal_message
from llamachat.storage.versions import delete_message, undelete
from tests.kills.play import Act, Play


def delete_message_below(play: Play) -> None:
    """Delete a message with what follows."""
    if found := play.message():
        delete_message(play.db, found[0])


def delete_and_undo(play: Play) -> None:
    """Delete a message and take that back."""
    if found := play.message():
        undelete(play.db, delete_message(play.db, found[0]))


def show_version(play: Play) -> None:
    """Go to another branch."""
    if found := play.message():
        reveal_message(play.db, found[0])


def delete_chat(play: Play) -> None:
    """Delete a chat."""
    if chat := play.chat():
        delete_conversation(play.db, chat)


def restore_chat(play: Play) -> None:
    """Take the deletion of a chat back."""
    if chat := play.chat(deleted=True):
        restore_conversation(play.db, chat)


def change_chat(play: Play) -> None:
    """Change one thing of a chat."""
    chat = play.chat()
    if chat is None:
        return
    chance, db = play.chance, play.db
    changes = (
        lambda: rename_conversation(db, chat, play.words(4)),
        lambda: set_draft(db, chat, play.words(4)),
        lambda: set_model(db, chat, chance.choice(("", "m3"))),
        lambda: set_pinned(db, chat, pinned=chance.random() < 0.5),
        lambda: set_archived(db, chat, archived=chance.random() < 0.5),
        lambda: set_search_mode(db, chat, chance.choice(list(SearchMode))),
    )
    chance.choice(changes)()


CHAT_ACTS = (
    Act("delete a message", delete_message_below),
    Act("delete a message and undo", delete_and_undo, in_steps=True),
    Act("show another version", show_version),
    Act("delete a chat", delete_chat),
    Act("restore a chat", restore_chat),
    Act("rename, pin, archive or the like", change_chat),
)

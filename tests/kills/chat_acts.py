"""Acts on chats and messages that are there: each is one transaction."""

from __future__ import annotations

from llamachat.core.conversation import SearchMode
from llamachat.core.messages import Role
from llamachat.edited_answer import edit_answer
from llamachat.storage.conversations import (
    rename_conversation,
    set_archived,
    set_draft,
    set_model,
    set_pinned,
    set_search_mode,
)
from llamachat.storage.deletions import delete_chats, list_deleted
from llamachat.storage.forks import fork_chat
from llamachat.storage.messages import reveal_message
from llamachat.storage.queued import enqueue, list_queued, take_back
from llamachat.storage.tags import delete_tag, rename_tag, tag_chats, tag_names, untag_chats
from llamachat.storage.undo import restore_deleted, undo, undo_last
from llamachat.storage.versions import delete_message
from tests.kills.play import Act, Play


def delete_message_below(play: Play) -> None:
    """Delete a message with what follows."""
    if found := play.message():
        delete_message(play.db, found[0])


def delete_and_undo(play: Play) -> None:
    """Delete a message and take that back."""
    if found := play.message():
        undo(play.db, delete_message(play.db, found[0]).act)


def show_version(play: Play) -> None:
    """Go to another branch."""
    if found := play.message():
        reveal_message(play.db, found[0])


def delete_some_chats(play: Play) -> None:
    """Delete chats at once."""
    chats = [chat for chat in (play.chat() for _ in range(play.chance.randint(1, 3))) if chat]
    if chats:
        delete_chats(play.db, chats)


def undo_latest(play: Play) -> None:
    """Take the latest deletion back, of whatever it was."""
    undo_last(play.db)


def restore_one(play: Play) -> None:
    """Take one deletion back, also of an act that others came after."""
    if deleted := list_deleted(play.db):
        restore_deleted(play.db, play.chance.choice(deleted).id)


def rewrite_answer(play: Play) -> None:
    """Put other words in the place of an answer, as a version of it."""
    if found := play.message(Role.ASSISTANT, "messages.status <> 'streaming'"):
        edit_answer(play.db, found[0], play.words())


def fork(play: Play) -> None:
    """Make a chat of what was said up to a message."""
    if found := play.message():
        fork_chat(play.db, found[0])


def queue(play: Play) -> None:
    """Let a question wait, or take one back."""
    chat = play.chat()
    if chat is None:
        return
    waiting = list_queued(play.db, chat)
    if waiting and play.chance.random() < 0.4:
        take_back(play.db, waiting[-1].id, typed=play.words(2))
    else:
        enqueue(play.db, chat, play.words(5))


def change_tags(play: Play) -> None:
    """Give a tag to chats, take one from them, rename one, which may make one of two, or delete one."""
    chance, db = play.chance, play.db
    chats = [chat for chat in (play.chat() for _ in range(2)) if chat]
    name, known = chance.choice(("Bees", "bees", "garden", "蜜")), tag_names(db)
    change = chance.choice(("tag", "tag", "untag", "rename", "delete"))
    if chats and (change == "tag" or not known):
        tag_chats(db, chats, name)
    elif known and change == "untag":
        untag_chats(db, chats, chance.choice(known))
    elif known and change == "rename":
        rename_tag(db, chance.choice(known), name)
    elif known:
        delete_tag(db, chance.choice(known))


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
    Act("delete chats", delete_some_chats),
    Act("undo the latest deletion", undo_latest),
    Act("undo one deletion", restore_one),
    Act("edit an answer", rewrite_answer),
    Act("fork a chat", fork),
    Act("queue a question, or take it back", queue),
    Act("change tags", change_tags),
    Act("rename, pin, archive or the like", change_chat),
)

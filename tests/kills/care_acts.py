"""Acts on the whole history: in and out of it, its index, its copies, deleting for good."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

from llamachat.core.conversation import Conversation
from llamachat.core.egress import Egress
from llamachat.core.messages import Role, StoredMessage
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.arriving import drop_unfinished_import
from llamachat.storage.backup import all_copies
from llamachat.storage.broken_off import mark_broken_off
from llamachat.storage.conversations import create_conversation
from llamachat.storage.daily_copy import make_copy, make_daily_copy
from llamachat.storage.database import Database
from llamachat.storage.deletions import list_deleted
from llamachat.storage.fulltext import IndexRebuilding, search_history
from llamachat.storage.imported import take_in
from llamachat.storage.index_queue import empty_index, refresh_index
from llamachat.storage.journal import Journal
from llamachat.storage.messages import add_message
from llamachat.storage.purge import purge_chat, purge_deleted, purge_deletions, purge_expired
from llamachat.storage.restore import restore
from llamachat.storage.temporary import keep_temporary_chat, read_temporary_chat
from tests.kills.play import Act, Play
from tests.storage.test_rescue import overwrite


def open_history(play: Play) -> None:
    """Start the program, which updates an old history."""
    play.db = Database.open(play.path, clock=play.clock, check=True)
    mark_broken_off(play.db)
    drop_unfinished_import(play.db)


def open_again(play: Play) -> None:
    """End the program and start it again."""
    play.db.close()
    open_history(play)


def rescue_history(play: Play) -> None:
    """Start the program when the disk has spoilt a page of the file."""
    play.db.close()
    with closing(sqlite3.connect(play.path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'messages_created'").fetchone()
    overwrite(play.path, [page])
    open_history(play)


def import_chats(play: Play) -> None:
    """Take in chats from a file, of which one may be here already; some files are stored slice by slice."""
    length = play.chance.choice((5, 5, 5, 120))
    take_in(play.db, [_whole_chat(play, number, length) for number in play.chance.sample(range(12), 3)])


def save_temporary_chat(play: Play) -> None:
    """Take a chat that was in memory alone into the history."""
    with Database.in_memory(clock=play.clock) as memory:
        chat = create_conversation(memory, title=play.words(3))
        parent: int | None = None
        for role in (Role.USER, Role.ASSISTANT) * play.chance.randint(1, 3):
            added = add_message(memory, conversation_id=chat.id, parent_id=parent, role=role, content=play.words(9))
            parent = added.id
        whole = read_temporary_chat(memory, chat.id)
    keep_temporary_chat(play.db, whole)


def search(play: Play) -> None:
    """Find something, which brings the index up to date."""
    while True:
        try:
            search_history(play.db, play.words(2))
        except IndexRebuilding:
            continue
        return


def build_index(play: Play) -> None:
    """Build the full-text index anew."""
    empty_index(play.db)
    while refresh_index(play.db, max_rows=5):
        pass


def copy_of_the_day(play: Play) -> None:
    """Make the copy of another day."""
    play.clock.move(86400)
    make_daily_copy(play.db)


def back_up(play: Play) -> None:
    """Make a copy that stays."""
    make_copy(play.db)


def go_back(play: Play) -> None:
    """Put a copy in the place of the history."""
    copies = all_copies(play.path)
    if copies:
        play.db.close()
        restore(play.path, play.chance.choice(sorted(copies)), now=play.clock.now())
        open_history(play)


def purge(play: Play) -> None:
    """Delete for good one chat, or what is deleted."""
    chat, deleted = play.chat(), list_deleted(play.db)
    how = play.chance.choice(("a chat", "one deletion", "what is old", "all"))
    if chat is not None and how == "a chat":
        purge_chat(play.db, chat)
    elif deleted and how == "one deletion":
        purge_deletions(play.db, [play.chance.choice(deleted).id])
    elif how == "what is old":
        purge_expired(play.db, keep_days=0)
    else:
        purge_deleted(play.db)


def write_journal(play: Play) -> None:
    """Take down what left."""
    journal = Journal(lambda: Database.open(play.path, clock=play.clock), wanted=lambda: True)
    journal.record(Egress(at=play.clock.now(), host="h.example", what="search", query=play.words(3), message_id=1))
    journal.flush()


def _whole_chat(play: Play, number: int, length: int) -> WholeChat:
    """A chat of a file, about so long; with each look it may have grown."""
    chat = Conversation(1, f"chat {number}", play.words(3), 1.0, 2.0 + number)
    first = StoredMessage(1, f"chat {number} message 1", 1, None, Role.USER, play.words())
    messages = [first]
    for place in range(2, play.chance.randint(length - 2, length + 1)):
        role = Role.USER if place % 2 else Role.ASSISTANT
        parent = play.chance.randint(1, place - 1)
        uid = f"chat {number} message {place}"
        messages.append(replace(first, id=place, uid=uid, parent_id=parent, role=role, content=play.words(9)))
    return WholeChat(replace(chat, head_id=len(messages)), tuple(messages))


OPENING = Act("start", open_history, in_steps=True)
CARE_ACTS = (
    Act("end and start again", open_again),
    Act("rescue a damaged history", rescue_history, damages=True),
    Act("import chats", import_chats),
    Act("save a temporary chat", save_temporary_chat),
    Act("search", search),
    Act("build the index anew", build_index),
    Act("make the copy of the day", copy_of_the_day),
    Act("make a copy", back_up),
    Act("go back to a copy", go_back),
    Act("delete for good", purge, in_steps=True),  # tags before messages
    Act("write the journal", write_journal),
)

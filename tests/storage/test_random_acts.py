"""Chats are shaped, deleted, brought back, imported and purged at random: at each step the history makes sense."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path

import pytest

from llamachat.core.messages import Role, StoredMessage
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats, list_deleted
from llamachat.storage.forks import fork_chat
from llamachat.storage.imported import take_in
from llamachat.storage.messages import add_message, load_branch, load_messages, reveal_message
from llamachat.storage.purge import purge_deleted, purge_deletions
from llamachat.storage.undo import restore_deleted, undo_last
from llamachat.storage.versions import delete_message
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat

STEPS = 60
# Each finds nothing in a history that makes sense.
FAULTS = (
    """SELECT messages.id FROM messages JOIN messages AS parent ON parent.id = messages.parent_id
        WHERE messages.deleted_at IS NULL AND parent.deleted_at IS NOT NULL""",
    """SELECT conversations.id FROM conversations JOIN messages ON messages.id = head_id
        WHERE messages.deleted_at IS NOT NULL OR conversation_id <> conversations.id""",
    """SELECT conversations.id FROM conversations JOIN messages ON conversation_id = conversations.id
        WHERE head_id IS NULL AND messages.deleted_at IS NULL""",
    """SELECT id FROM messages WHERE deleted_at IS NOT NULL AND id NOT IN (
        SELECT value FROM deletions, json_each(deletions.hidden) WHERE kind = 'messages')""",
    "SELECT kind FROM arriving",
    "PRAGMA foreign_key_check",
)


class Person:
    """Does anything that is possible, and remembers chats as they were, for imports."""

    def __init__(self, db: Database, seed: int) -> None:
        self._db, self._chance = db, random.Random(seed)
        self._files: list[WholeChat] = []
        self._numbers = itertools.count(1)
        self._acts = [self.begin, self.write, self.write, self.write, self.delete, self.delete, self.delete_chats]
        self._acts += [self.undo, self.restore, self.fork, self.reveal, self.export, self.take_in, self.take_in]
        self._acts += [self.purge]

    def act(self) -> None:
        self._chance.choice(self._acts)()

    def begin(self) -> None:
        add_chat(self._db, *["q", "a", "q2", "a2"][: self._chance.randint(1, 4)])

    def write(self) -> None:
        for chat in self._one(self._chats()):
            above = [message.id for message in load_messages(self._db, chat)]
            parent = next(iter(self._one(above)), None)
            role = self._chance.choice(list(Role))
            add_message(self._db, conversation_id=chat, parent_id=parent, role=role, content=self._text())

    def delete(self) -> None:
        for number in self._one(self._messages()):
            delete_message(self._db, number)

    def delete_chats(self) -> None:
        if chats := self._one(self._chats()) + self._one(self._chats()):
            delete_chats(self._db, chats)

    def undo(self) -> None:
        undo_last(self._db)

    def restore(self) -> None:
        for number in self._one([row.id for row in list_deleted(self._db)]):
            restore_deleted(self._db, number)

    def fork(self) -> None:
        for number in self._one(self._messages()):
            fork_chat(self._db, number)

    def reveal(self) -> None:
        for number in self._one(self._messages()):
            reveal_message(self._db, number)

    def export(self) -> None:
        for number in self._one(self._chats()):
            chat = get_conversation(self._db, number)
            assert chat is not None
            self._files.append(WholeChat(chat, tuple(load_messages(self._db, number))))

    def take_in(self) -> None:
        """A chat as it was, or as it has gone on elsewhere since."""
        if not self._files:
            return
        whole = self._chance.choice(self._files)
        if self._chance.random() < 0.5:
            numbers = [message.id for message in whole.messages]
            number, uid = max(numbers, default=0) + 1, f"{self._chance.getrandbits(128):032x}"
            parent = next(iter(self._one(numbers)), None)
            more = StoredMessage(number, uid, 0, parent, Role.USER, self._text())
            whole = WholeChat(replace(whole.conversation, head_id=number), (*whole.messages, more))
            self._files.append(whole)
        take_in(self._db, [whole])

    def purge(self) -> None:
        if self._chance.random() < 0.2:
            purge_deleted(self._db)
        else:
            purge_deletions(self._db, self._one([row.id for row in list_deleted(self._db)]))

    def _one(self, numbers: list[int]) -> list[int]:
        return [self._chance.choice(numbers)] if numbers else []

    def _chats(self) -> list[int]:
        return [row["id"] for row in self._db.rows("SELECT id FROM conversations WHERE deleted_at IS NULL")]

    def _messages(self) -> list[int]:
        return [message.id for chat in self._chats() for message in load_messages(self._db, chat)]

    def _text(self) -> str:
        return f"m{next(self._numbers)}"


def check(db: Database) -> None:
    for fault in FAULTS:
        assert [tuple(row) for row in db.rows(fault)] == [], fault
    for row in db.rows("SELECT id FROM conversations"):
        there = {message.id for message in load_messages(db, row["id"])}
        assert {message.id for message in load_branch(db, row["id"])} <= there


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_any_order_of_acts_leaves_a_history_that_makes_sense(path: Path, seed: int) -> None:
    with Database.open(path, clock=StillClock()) as db:
        person = Person(db, seed)
        for _ in range(STEPS):
            person.act()
            check(db)

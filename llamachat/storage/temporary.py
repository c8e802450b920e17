"""A chat that is never written: its store lies in memory, and is gone with the last connection to it."""

from __future__ import annotations

import itertools
import uuid

from llamachat.core.conversation import Conversation, SearchMode, SystemPrompt
from llamachat.core.seams import Clock
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.conversations import create_conversation, get_conversation
from llamachat.storage.database import Database
from llamachat.storage.failures import conversation_gone
from llamachat.storage.imported import take_in
from llamachat.storage.messages import load_messages
from llamachat.storage.unsaved import UnsavedMessages

_NUMBERS = itertools.count(1)
_FIRST_ID = 1_500_000_000  # of its messages: what is meant for one of them finds nothing in the history


class TemporaryHistory:
    """A database in memory with one chat, whose `chat_id` no other chat of this process has.

    Somebody has to keep a connection open for as long as the chat is wanted.
    """

    def __init__(self, *, clock: Clock) -> None:
        self.chat_id = -next(_NUMBERS)
        self._name = f"llamachat-{uuid.uuid4().hex}"
        self._unsaved = UnsavedMessages()
        self._clock = clock

    def database(self) -> Database:
        """A new connection, for the thread that asks and closes it."""
        return Database.in_memory(name=self._name, clock=self._clock, unsaved=self._unsaved)

    def make_chat(
        self, db: Database, *, title: str, prompt: SystemPrompt, model: str, search_mode: SearchMode
    ) -> Conversation:
        """Add the chat, without messages yet. Once."""
        with db.transaction():
            for table in ("conversations", "messages"):
                db.write("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, _FIRST_ID - 1))
            return create_conversation(
                db,
                title=title,
                prompt=prompt.text,
                prompt_name=prompt.name,
                prompt_edited=prompt.edited,
                model=model,
                search_mode=search_mode,
                conversation_id=self.chat_id,
            )


def read_temporary_chat(db: Database, conversation_id: int) -> WholeChat:
    """All of it. Raises StorageError where it is gone."""
    with db.transaction():
        conversation = get_conversation(db, conversation_id)
        if conversation is None:
            raise conversation_gone()
        return WholeChat(conversation, tuple(load_messages(db, conversation_id)))


def keep_temporary_chat(db: Database, whole: WholeChat) -> Conversation | None:
    """Store it in the history; from then on it is like any other. Raises StorageError."""
    (arrival,) = take_in(db, [whole])
    return get_conversation(db, arrival.conversation_id)

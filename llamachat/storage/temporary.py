"""A chat that is never written: its store lies in memory, and is gone with the last connection to it."""

from __future__ import annotations

import itertools
import uuid
from dataclasses import dataclass

from llamachat.core.conversation import Conversation, SearchMode, SystemPrompt
from llamachat.core.errors import StorageError
from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.conversations import create_conversation, get_conversation
from llamachat.storage.database import Database
from llamachat.storage.imported import take_in
from llamachat.storage.kept_results import keep_results_from, results_kept_from
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


@dataclass(frozen=True, slots=True)
class WholeTemporary:
    """A temporary chat with all its branches. shortened: for how many of its messages, from the first one on, prompts
    hold titles and addresses alone of what was found."""

    chat: WholeChat
    shortened: int = 0


def read_temporary_chat(db: Database, conversation_id: int) -> WholeTemporary:
    """All of it. Raises StorageError where it is gone."""
    with db.transaction():
        conversation = get_conversation(db, conversation_id)
        if conversation is None:
            raise StorageError(tr("This conversation no longer exists."), tr("Start a new one."))
        messages = tuple(load_messages(db, conversation_id))
        first = results_kept_from(db, conversation_id)
        return WholeTemporary(WholeChat(conversation, messages), sum(message.id < first for message in messages))


def keep_temporary_chat(db: Database, whole: WholeTemporary) -> Conversation | None:
    """Store it in the history; from then on it is like any other. Raises StorageError."""
    take_in(db, [whole.chat])
    (row,) = db.rows("SELECT id FROM conversations WHERE uid = ?", (whole.chat.conversation.uid,))
    if whole.shortened:
        ids = [message.id for message in load_messages(db, row["id"])]
        keep_results_from(db, row["id"], [*ids, ids[-1] + 1][whole.shortened])
    return get_conversation(db, row["id"])

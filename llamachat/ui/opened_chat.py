"""A chat as it is read from the store: its last messages, or those around one that is looked for. No Qt."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from llamachat.core.conversation import Conversation
from llamachat.core.errors import StorageError
from llamachat.core.messages import StoredMessage
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import branch_ids, load_branch, load_these, reveal_message

FIRST_PAGE = 30
ABOVE_A_HIT = 4  # messages shown above one that was jumped to


@dataclass(frozen=True, slots=True)
class OpenedChat:
    """`conversation` is None for a chat that is no longer there; `has_newer`: there are messages below these."""

    conversation: Conversation | None
    messages: list[StoredMessage]
    has_newer: bool = False

    @property
    def oldest(self) -> int | None:
        """The first message of these."""
        return self.messages[0].id if self.messages else None

    @property
    def last(self) -> StoredMessage | None:
        """The last message of these."""
        return self.messages[-1] if self.messages else None

    @property
    def has_older(self) -> bool:
        """True when there are messages above these."""
        return bool(self.messages) and self.messages[0].parent_id is not None


def read_chat(db: Database, conversation_id: int) -> OpenedChat:
    """The end of a chat."""
    conversation = get_conversation(db, conversation_id)
    messages = load_branch(db, conversation_id, limit=FIRST_PAGE) if conversation else []
    return OpenedChat(conversation, messages)


def read_chat_at(db: Database, conversation_id: int, message_id: int, *, reveal: bool) -> OpenedChat:
    """A chat around one of its messages; `reveal`: show the version of the chat that it stands in."""
    if reveal and not db.read_only:
        with suppress(StorageError):  # the message was deleted meanwhile; the chat is shown all the same
            reveal_message(db, message_id)
    opened = read_chat(db, conversation_id)
    branch, place = _branch_with(db, opened, message_id)
    if place is None:
        return opened
    first = max(0, place - ABOVE_A_HIT)
    end = first + FIRST_PAGE
    return OpenedChat(opened.conversation, load_these(db, branch[first:end]), len(branch) > end)


def read_newer(db: Database, conversation_id: int, message_id: int, count: int) -> OpenedChat:
    """The next messages below one."""
    branch = branch_ids(db, conversation_id)
    first = branch.index(message_id) + 1 if message_id in branch else len(branch)
    end = first + count
    return OpenedChat(None, load_these(db, branch[first:end]), len(branch) > end)


def read_chat_again(db: Database, conversation_id: int, oldest: int | None) -> OpenedChat:
    """A chat that is open already, from the oldest message that is shown."""
    opened = read_chat(db, conversation_id)
    branch, place = _branch_with(db, opened, oldest)
    return opened if place is None else OpenedChat(opened.conversation, load_these(db, branch[place:]))


def same_answer(one: StoredMessage | None, other: StoredMessage | None) -> bool:
    """Whether two readings of a message look the same to the reader."""
    return _looks(one) == _looks(other)


def _looks(message: StoredMessage | None) -> tuple[object, ...]:
    if message is None:
        return ()
    return message.id, message.status, message.content, message.reasoning, message.searches, message.error


def _branch_with(db: Database, opened: OpenedChat, message_id: int | None) -> tuple[list[int], int | None]:
    """The whole branch and the place of a message in it; no place where the message is among those that were read."""
    known = any(message.id == message_id for message in opened.messages)
    if message_id is None or known or opened.conversation is None:
        return [], None
    branch = branch_ids(db, opened.conversation.id)
    return branch, branch.index(message_id) if message_id in branch else None

"""A chat as it is read from the store: its last messages, or those from one that is looked for. No Qt."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from llamachat.core.conversation import Conversation
from llamachat.core.errors import StorageError
from llamachat.core.messages import StoredMessage
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch, reveal_message

FIRST_PAGE = 30
ABOVE_A_HIT = 4  # messages shown above one that was jumped to


@dataclass(frozen=True, slots=True)
class OpenedChat:
    """`conversation` is None for a chat that is no longer there."""

    conversation: Conversation | None
    messages: list[StoredMessage]

    @property
    def oldest(self) -> int | None:
        """The first message of these."""
        return self.messages[0].id if self.messages else None

    @property
    def last(self) -> StoredMessage | None:
        """The last message of the chat."""
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
    """A chat from a little above one of its messages; `reveal`: show the version of the chat that it stands in."""
    if reveal and not db.read_only:
        with suppress(StorageError):  # the message was deleted meanwhile; the chat is shown all the same
            reveal_message(db, message_id)
    opened = read_chat(db, conversation_id)
    return _longer(db, opened, message_id, above=ABOVE_A_HIT)


def read_chat_again(db: Database, conversation_id: int, oldest: int | None) -> OpenedChat:
    """A chat that is open already, from the oldest message that is shown."""
    opened = read_chat(db, conversation_id)
    return opened if oldest is None else _longer(db, opened, oldest, above=0)


def same_answer(one: StoredMessage | None, other: StoredMessage | None) -> bool:
    """Whether two readings of a message look the same to the reader."""
    return _looks(one) == _looks(other)


def _looks(message: StoredMessage | None) -> tuple[object, ...]:
    if message is None:
        return ()
    return message.id, message.status, message.content, message.reasoning, message.searches, message.error


def _longer(db: Database, opened: OpenedChat, message_id: int, *, above: int) -> OpenedChat:
    """The same chat, with more messages where one is looked for that is not among these."""
    if opened.conversation is None or any(message.id == message_id for message in opened.messages):
        return opened
    branch = load_branch(db, opened.conversation.id)
    place = next((at for at, message in enumerate(branch) if message.id == message_id), None)
    return opened if place is None else OpenedChat(opened.conversation, branch[max(0, place - above) :])

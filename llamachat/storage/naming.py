"""The title that a model gives a conversation: from what, and only in place of the first words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llamachat.core.messages import Role, StoredMessage
from llamachat.storage.conversations import get_conversation, rename_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import get_message


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A conversation that has its first words for a title, and what it began with."""

    conversation_id: int
    title: str
    model: str
    question: str
    answer: str


def unnamed(db: Database, answer: StoredMessage, first_words: Callable[[str], str]) -> Unnamed | None:
    """The conversation of an answer; None where this is not the first one, or where it has got a title of its own."""
    conversation = get_conversation(db, answer.conversation_id)
    question = get_message(db, answer.parent_id) if answer.parent_id is not None else None
    if conversation is None or question is None or question.role is not Role.USER or question.parent_id is not None:
        return None
    if conversation.title != first_words(question.content):
        return None
    return Unnamed(conversation.id, conversation.title, conversation.model, question.content, answer.content)


def name_conversation(db: Database, conversation: Unnamed, title: str) -> bool:
    """Give it the title, unless it was given another one or deleted meanwhile; False then."""
    with db.transaction():
        now = get_conversation(db, conversation.conversation_id)
        if now is None or now.title != conversation.title:
            return False
        rename_conversation(db, conversation.conversation_id, title)
        return True

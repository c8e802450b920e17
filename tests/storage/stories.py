"""Small histories for tests, written as the program writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llamachat.core.conversation import Conversation
from llamachat.core.messages import Role, StoredMessage
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.index_queue import empty_index, refresh_index
from llamachat.storage.messages import add_message, load_branch


def add_chat(db: Database, *texts: str, title: str = "") -> tuple[Conversation, list[StoredMessage]]:
    """A conversation whose messages stand one below the other, the user's first."""
    conversation = create_conversation(db, title=title)
    messages: list[StoredMessage] = []
    for number, text in enumerate(texts):
        role = Role.ASSISTANT if number % 2 else Role.USER
        parent = messages[-1].id if messages else None
        messages.append(add_message(db, conversation_id=conversation.id, parent_id=parent, role=role, content=text))
    return conversation, messages


def contents(db: Database, chat_id: int) -> list[str]:
    """What is said on the branch that is shown."""
    return [message.content for message in load_branch(db, chat_id)]


def rebuild_index(db: Database) -> None:
    """Build the full-text index from the messages again."""
    empty_index(db)
    while refresh_index(db):
        pass


@contextmanager
def acting_at(db: Database, statement: str, act: Callable[[], object]) -> Iterator[None]:
    """Do something, once, when the database comes to a statement that begins so."""
    acts = [act]

    def look(sql: str) -> None:
        if sql.startswith(statement) and acts:
            acts.pop()()

    db.connection.set_trace_callback(look)
    yield
    db.connection.set_trace_callback(None)
    assert acts == []

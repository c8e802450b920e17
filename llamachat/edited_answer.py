"""Answers that a person writes or changes: another version beside the one of the model."""

from __future__ import annotations

from llamachat.chat.history import answer_message, shown_text, take_apart
from llamachat.core.errors import StorageError
from llamachat.core.messages import JsonValue, Role, Status, StoredMessage
from llamachat.core.text import clean, tr
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message, get_message


def editable_text(answer: StoredMessage) -> str:
    """What of an answer can be changed: what was said behind its searches."""
    return take_apart(answer).content


def edit_answer(db: Database, message_id: int, text: str) -> StoredMessage:
    """Store an answer with another text beside it, and show it. Raises StorageError.

    Searches and thinking are kept, byte for byte as they were sent: they did happen, what was found still is what the
    text refers to, and the server has read all of it up to the changed text.
    """
    with db.transaction():
        answer = get_message(db, message_id)
        if answer is None or answer.role is not Role.ASSISTANT or answer.status is Status.STREAMING:
            raise StorageError(tr("This answer can no longer be changed."), tr("Open the chat again."))
        parts = take_apart(answer)
        whole = answer.rounds[len(parts.rounds) :] or (answer_message("", parts.reasoning),)
        edited: dict[str, JsonValue] = {**whole[0], "content": clean(text)}
        wire = (*parts.asked, *parts.rounds, edited)
        return add_message(
            db,
            conversation_id=answer.conversation_id,
            parent_id=answer.parent_id,
            role=Role.ASSISTANT,
            content=shown_text(wire, "content"),
            reasoning=answer.reasoning,
            prompt=answer.prompt,
            searches=answer.searches,
            wire=wire,
            model=answer.model,
            edited=True,
        )

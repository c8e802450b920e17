"""Answers that are held until they can be written. How they come there: test_recorder_ends."""

from __future__ import annotations

import pytest

from llamachat.core.errors import StorageError
from llamachat.core.messages import Role, Status
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.growing_message import GrowingMessage
from llamachat.storage.messages import add_message, get_message


class FailsAgain(GrowingMessage):
    """A message whose turn goes on in another thread: its next write fails as soon as one has succeeded."""

    def write(self, db: Database) -> bool:
        done = super().write(db)
        self.add_text("content", " More.")
        self.note_problem(StorageError("The disk is full."))
        return done


def test_what_has_failed_again_since_it_was_written_stays_held(db: Database) -> None:
    chat = create_conversation(db)
    row = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.ASSISTANT, status=Status.STREAMING)
    message = FailsAgain(row)
    message.add_text("content", "Noon.")
    db.unsaved.hold(message)
    with pytest.raises(StorageError, match="disk is full"):
        db.unsaved.save(db)
    assert len(db.unsaved) == 1
    shown = get_message(db, row.id)
    assert shown is not None
    assert shown.content == "Noon. More."

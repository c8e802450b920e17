"""What the commands share: where each declares itself, and chats by their numbers."""

from __future__ import annotations

import argparse
from typing import Protocol

from llamachat.core.conversation import Conversation
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database


class Commands(Protocol):
    """argparse's group of subcommands, by the one method that is used."""

    def add_parser(self, name: str, *, help: str) -> argparse.ArgumentParser:  # noqa: A002 - argparse's own name
        """Add a subcommand and return its parser."""
        ...


def stored_conversation(db: Database, conversation_id: int) -> Conversation:
    """The chat with the number that was typed; raises UserFacingError where there is none."""
    conversation = get_conversation(db, conversation_id)
    if conversation is None:
        raise UserFacingError(
            tr("There is no chat {id}.").format(id=conversation_id), tr("`llamachat history list` shows the numbers.")
        )
    return conversation

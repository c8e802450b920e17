"""What the commands share: where each declares itself, kinds of arguments, and chats by their numbers."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeAlias

from llamachat.core.conversation import Conversation
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database

HistoryAct: TypeAlias = Callable[[Database, argparse.Namespace], None]
"""Reads first and prints then: it is begun again where reading meets damage."""

AddAct: TypeAlias = Callable[[str, HistoryAct, str], argparse.ArgumentParser]
"""Declares an act below `history`: its name, what it does, and that in words."""


class Commands(Protocol):
    """argparse's group of subcommands, by the one method that is used."""

    def add_parser(self, name: str, *, help: str) -> argparse.ArgumentParser:  # noqa: A002 - argparse's own name
        """Add a subcommand and return its parser."""
        ...


def counting_number(text: str) -> int:
    """An argument that counts or numbers something, within what the store can hold."""
    return whole_number(text, low=1, high=2**63 - 1, needed=tr("this needs a whole number from 1 on"))


def whole_number(text: str, *, low: int, high: int, needed: str) -> int:
    """An argument that is a whole number within bounds; `needed` tells people so where it is not."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(needed) from None
    if not low <= number <= high:
        raise argparse.ArgumentTypeError(needed)
    return number


def some_path(text: str) -> Path:
    """An argument that names a file or folder; the empty one that an unset variable leaves would be this folder."""
    if not text:
        raise argparse.ArgumentTypeError(tr("this needs a path"))
    return Path(text)


def stored_conversation(db: Database, conversation_id: int) -> Conversation:
    """The chat with the number that was typed; raises UserFacingError where there is none."""
    conversation = get_conversation(db, conversation_id)
    if conversation is None:
        raise UserFacingError(
            tr("There is no chat {id}.").format(id=conversation_id), tr("`llamachat history list` shows the numbers.")
        )
    return conversation

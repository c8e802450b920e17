"""What the tests of the importers share: the stored files, and chats as a person would list them."""

from __future__ import annotations

import json
from pathlib import Path

from llamachat.core.messages import JsonValue, StoredMessage
from llamachat.core.whole_chat import WholeChat
from llamachat.transfer.chat_reader import read_chats

IMPORTS = Path(__file__).resolve().parent.parent.parent / "data" / "imports"


def read_all(path: Path) -> list[WholeChat]:
    """All chats of a file."""
    return list(read_chats(path))


def written(folder: Path, value: JsonValue) -> Path:
    """A JSON file with the value in it."""
    path = folder / "chats.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def outline(chat: WholeChat) -> list[tuple[int | None, str, str]]:
    """The messages: the number of the one above, who speaks, and what."""
    return [(message.parent_id, message.role.value, message.content) for message in chat.messages]


def times(messages: tuple[StoredMessage, ...]) -> list[float]:
    """When they were written."""
    return [message.created_at for message in messages]

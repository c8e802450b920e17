"""Tags that people give to their chats: several each, unlike folders."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from llamachat.core.text import clean

MOST_CHARS = 40


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag and how many chats have it."""

    id: int
    name: str
    chats: int


def tag_name(text: str) -> str:
    """What was typed as the name of a tag: one line, without a # in front, and no quotation marks (they quote it)."""
    line = " ".join(clean(text).replace('"', "'").split())
    return line.lstrip("# ")[:MOST_CHARS].strip()


def tag_key(name: str) -> str:
    """What two names have in common that differ only in upper and lower case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())

"""Tags that people give to their chats: several each, unlike folders."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from llamachat.core.text import clean

MOST_CHARS = 40
_JOINERS = "\u200c\u200d"  # words of some languages and many emoji have them inside
_BLANKS = " \u115f\u1160\u2800\u3164\uffa0"  # print as nothing; most are no spaces to Unicode


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag and how many chats have it."""

    id: int
    name: str
    chats: int


def tag_name(text: str) -> str:
    """What was typed as the name of a tag: one line, without a # in front, and no quotation marks (they quote it).

    "" where nothing of it can be seen.
    """
    line = " ".join(clean(text).replace('"', "'").split())
    seen = "".join(char for char in line if char.isprintable() or char in _JOINERS)
    name = seen.lstrip("# " + _JOINERS)[:MOST_CHARS].strip()
    return name if any(char.isprintable() and char not in _BLANKS for char in name) else ""


def tag_key(name: str) -> str:
    """What two names have in common that differ only in upper and lower case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())

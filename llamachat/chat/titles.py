"""The title of a new conversation: the first words of its first message. No model is asked."""

from __future__ import annotations

from llamachat.core.plain_text import cut_at_word
from llamachat.core.text import clean

_MAX_CHARS = 60


def title_from(text: str) -> str:
    """The first line that has words, in one line of at most 60 characters, cut between words where it can be."""
    words = next((line for line in (_plain(line) for line in clean(text).split("\n")) if line), "")
    return cut_at_word(words, _MAX_CHARS)


def _plain(line: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in line)
    return " ".join(printable.strip("#>*-`~_ \t").split())

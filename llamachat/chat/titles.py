"""The title of a new conversation: the first words of its first message. No model is asked."""

from __future__ import annotations

from llamachat.core.text import clean

_MAX_CHARS = 60


def title_from(text: str) -> str:
    """The first line that has words, in one line of at most 60 characters, cut between words where it can be."""
    words = next((line for line in (_plain(line) for line in clean(text).split("\n")) if line), "")
    if len(words) <= _MAX_CHARS:
        return words
    head = words[: _MAX_CHARS - 1]
    cut = head.rpartition(" ")[0]
    return (cut if len(cut) > _MAX_CHARS // 2 else head).rstrip(" ,.;:-") + "…"


def _plain(line: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in line)
    return " ".join(printable.strip("#>*-`~_ \t").split())

"""When two queries ask the same: by words in their order. A score of letters would merge Austria with Australia."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Words: TypeAlias = tuple[str, ...]

NEAR_FROM = 4  # words; shorter queries must have the same ones
NEAR_SHARE = 0.8  # of the words that either has
REWORDED_SHARE = 0.6

_WORD = re.compile(r"\w+(?:[.'’:/-]\w+)*(?:[+#]+(?!\w))?|[$€£%]+")
_SHORT_FORM = re.compile(r"['’](?:s|re|m)$")  # what's, they're, i'm
# Words that ask without saying what for. No "who" (the band), no "die" (the verb).
_FILLERS = frozenset(
    {"a", "an", "the", "is", "are", "was", "were", "be", "do", "does", "did", "what", "which", "please", "tell", "me"}
    | {"der", "das", "den", "dem", "ein", "eine", "einen", "ist", "sind", "waren", "bitte", "welche", "welcher"}
)
# Words whose presence makes another question of it; so does every number.
_TURNING = frozenset(
    {"not", "no", "never", "without", "except", "vs", "versus", "from", "to"}
    | {"nicht", "kein", "keine", "ohne", "nie", "von", "nach"}
)


def query_words(query: str) -> Words:
    """The words of a query in order, without case, punctuation and fillers; all of them where only fillers stand."""
    folded = unicodedata.normalize("NFKC", query).casefold()
    words = tuple(_SHORT_FORM.sub("", word) for word in _WORD.findall(folded))
    return tuple(word for word in words if word not in _FILLERS) or words or (folded.strip(),)


def same_question(one: Words, other: Words) -> bool:
    """The same words; from four up, also where one adds a few that change nothing."""
    return one == other or (min(len(one), len(other)) >= NEAR_FROM and _adds_little(one, other, NEAR_SHARE))


def reworded(one: Words, other: Words) -> bool:
    """Within one conversation, where models word the same search anew, less must be shared."""
    return one == other or _adds_little(one, other, REWORDED_SHARE)


def _adds_little(one: Words, other: Words, share: float) -> bool:
    short, long = sorted((one, other), key=len)
    if not _in_order(short, long):
        return False
    added = set(long) - set(short)
    if any(word in _TURNING or any(map(str.isdigit, word)) for word in added):
        return False
    return len(set(short)) >= share * len(set(long))


def _in_order(short: Sequence[str], long: Iterable[str]) -> bool:
    rest = iter(long)
    return all(word in rest for word in short)

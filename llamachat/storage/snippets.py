"""The text around what was searched for, with the hits marked."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from llamachat.storage.index_text import Term, composed, folded_with_origins, is_unspaced

_CHARACTERS_BEFORE = 40
_CHARACTERS = 160
_HUMP = re.compile("[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")


def snippet(text: str, terms: Sequence[Term]) -> tuple[str, ...]:
    """About 160 characters around the first hit, on one line, in pieces: those with an odd index are hits."""
    haystack = _Haystack(composed(text))
    start, end = _window(haystack.text, haystack.first_hit(terms))
    pieces, position = [], start
    for hit_start, hit_end in sorted(hit for term in terms for hit in haystack.hits(term, start, end)):
        if hit_start >= position:
            pieces += [haystack.text[position:hit_start], haystack.text[hit_start:hit_end]]
            position = hit_end
    pieces.append(haystack.text[position:end])
    pieces = [re.sub(r"\s+", " ", piece) for piece in pieces]
    pieces[0] = ("… " if start else "") + pieces[0].lstrip()
    pieces[-1] = pieces[-1].rstrip() + (" …" if end < len(haystack.text) else "")
    return tuple(pieces)


def hits_in(text: str, terms: Sequence[Term]) -> list[tuple[int, int]]:
    """Where each place of the terms begins and ends in a text that is composed (`index_text.composed`)."""
    haystack = _Haystack(text)
    return sorted({hit for term in terms for hit in haystack.hits(term, 0, len(text))})


def _window(text: str, first_hit: int) -> tuple[int, int]:
    """Where the snippet begins and ends: at words where there are any."""
    if len(text) <= _CHARACTERS:
        return 0, len(text)
    start = max(0, first_hit - _CHARACTERS_BEFORE)
    space = text.find(" ", start, first_hit) if start else -1
    start = space + 1 if space >= 0 else start
    end = min(len(text), start + _CHARACTERS)
    space = text.rfind(" ", end - _CHARACTERS_BEFORE, end) if end < len(text) else -1
    return start, space if space > first_hit else end


class _Haystack:
    """A composed text and its folded form, in which terms are looked for as the index does."""

    def __init__(self, text: str) -> None:
        self.text = text  # composed once: marks in an odd order would come in another one the second time
        self._folded, self._origins = folded_with_origins(text)

    def first_hit(self, terms: Sequence[Term]) -> int:
        """Where the first hit of any term begins; 0 where there is none."""
        firsts = (next(self.hits(term, 0, len(self.text)), None) for term in terms)
        return min((hit[0] for hit in firsts if hit), default=0)

    def hits(self, term: Term, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of each place in the text between `start` and `end`."""
        first, last = bisect_left(self._origins, start), bisect_left(self._origins, end)
        for match in _pattern(term.text).finditer(self._folded, first, last):
            if self._starts_word(match.start()) and (term.is_beginning or self._ends_word(match.end())):
                yield self._origins[match.start()], self._origins[match.end() - 1] + 1

    def _starts_word(self, position: int) -> bool:
        before, here = self._folded[position - 1 : position], self._folded[position]
        if before in ("", " ") or is_unspaced(before) or is_unspaced(here):
            return True
        return bool(_HUMP.match(self.text, self._origins[position] - 1))

    def _ends_word(self, position: int) -> bool:
        last, after = self._folded[position - 1], self._folded[position : position + 1]
        return after in ("", " ") or is_unspaced(after) or is_unspaced(last)


@lru_cache(maxsize=64)
def _pattern(term_text: str) -> re.Pattern[str]:
    """The words of a term with anything but words between them."""
    return re.compile(" +".join(re.escape(word) for word in term_text.split()))

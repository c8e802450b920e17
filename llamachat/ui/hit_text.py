"""Which part of a text around hits is shown where there is not room for all of it. No Qt.

A text is given in pieces: those with an odd index are what was found.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

_LEFT_OUT = "…"


def begun_later(pieces: Sequence[str], fits: Callable[[str], bool]) -> list[str]:
    """The pieces without so many words at the beginning that the first hit can be seen whole.

    fits: whether a text has room. Where the hit alone has none, as much as there is.
    """
    if len(pieces) == 1:
        return list(pieces)
    before, hit, *rest = pieces
    starts = [0, *(blank.end() for blank in re.finditer(r"\s+", before))]
    end = f" {_LEFT_OUT}" if any(rest) else ""

    def from_word(number: int) -> str:
        return f"{_LEFT_OUT} {before[starts[number] :]}" if number else before

    first = bisect_left(range(len(starts) - 1), 1, key=lambda number: int(fits(from_word(number) + hit + end)))
    return [from_word(first), hit, *rest]


def ended_before(pieces: Sequence[str], room: int) -> str:
    """The first so many characters, and a sign that some are left out; no part of a hit but of the first."""
    cut = next((start for start, end in list(_hits(pieces))[1:] if start < room < end), room)
    return "".join(pieces)[:cut].rstrip() + _LEFT_OUT


def _hits(pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where each hit begins and ends."""
    ends = [0, *accumulate(map(len, pieces))]
    yield from list(pairwise(ends))[1::2]

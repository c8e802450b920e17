"""How much text of pages a search may bring: a share of the model's context, so that the chat keeps room. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CHARS_PER_TOKEN = 3
_SHARE = 10  # a tenth of the context
_LIFTED_SHARE = 4  # a quarter, where the user set no limit to a page
_UNKNOWN_CONTEXT_CHARS = 5_000  # for each page


@dataclass(frozen=True, slots=True)
class FirstUse:
    """What is set when page reading is first switched on: results of a search, pages read, characters of a page."""

    results: int
    pages: int
    page_chars: int


def search_budget(context_tokens: int | None, *, pages: int, page_limit: int) -> int:
    """Characters that all pages of a search may have together. page_limit: of each page, 0 where it was lifted.

    context_tokens: None or 0 where it is not known.
    """
    if not context_tokens:
        return _UNKNOWN_CONTEXT_CHARS * pages
    return context_tokens * CHARS_PER_TOKEN // (_SHARE if page_limit else _LIFTED_SHARE)


def shares(lengths: Sequence[int], *, total: int, page_limit: int) -> list[int]:
    """How many characters of each page fit: equal shares of `total`; what short pages leave goes to the others."""
    wanted = [min(length, page_limit) if page_limit else length for length in lengths]
    given = [0] * len(wanted)
    left = total
    shortest_first = sorted(range(len(wanted)), key=wanted.__getitem__)
    for position, number in enumerate(shortest_first):
        given[number] = min(wanted[number], left // (len(wanted) - position))
        left -= given[number]
    return given


def first_use(context_tokens: int | None) -> FirstUse:
    """The numbers that suit a context; None or 0 where it is not known."""
    if not context_tokens:
        return FirstUse(5, 1, 5_000)
    if context_tokens >= 262_144:
        return FirstUse(8, 3, 5_000)
    if context_tokens >= 131_072:
        return FirstUse(6, 2, 5_000)
    return FirstUse(4, 1, 3_000)

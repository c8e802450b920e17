"""How much of long messages is drawn at once: all of it would hold the window up. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from llamachat.core.messages import StoredMessage

_LINE_WEIGHT = 40  # what a line costs more than its characters: it is often a block of its own
_CELL_WEIGHT = 15  # and a cell of a table
_AT_ONCE = 40_000
_SHORT = 4_000
FLUSH_WEIGHT = 10_000  # of an answer that comes, at a time
_SLICE = 1_000


def weigh(text: str) -> int:
    """About how long drawing takes; a thousand is about a millisecond, two or three in a table."""
    return len(text) + _LINE_WEIGHT * text.count("\n")


def drawn_later(messages: Sequence[StoredMessage]) -> list[bool]:
    """Which messages are drawn bit by bit, so that the others together are no more than can be drawn at once.

    The last messages come first: the end of the chat is what is seen.
    """
    later, left = [], _AT_ONCE
    for message in reversed(messages):
        weight = weigh(message.content) + _CELL_WEIGHT * message.content.count("|")
        later.append(weight > max(left, _SHORT))
        left -= 0 if later[-1] else weight
    return later[::-1]


def slice_end(text: str, start: int, *, least: int) -> int:
    """Where the next slice of a text ends: after some lines, or inside a very long one.

    least: how much weighs at least; of what is drawn anew with each slice, lest it take the square of its length.
    """
    end, weight = start, 0
    while end < len(text) and weight < max(_SLICE, least):
        line_end = text.find("\n", end, end + _SLICE) + 1 or end + _SLICE
        weight += line_end - end + _LINE_WEIGHT
        end = line_end
    return min(end, len(text))

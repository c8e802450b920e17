"""Where a text stands in the document, in what was said and not in what the program writes around it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QTextCursor, QTextDocument

from llamachat.render.block_kinds import BlockKind, kind_of
from llamachat.ui.transcript.formula_text import formula_around

MOST_MATCHES = 1000
AROUND = frozenset({BlockKind.HEADER, BlockKind.CODE_HEAD, BlockKind.WAITING, BlockKind.FOOTER, BlockKind.BUTTONS})


@dataclass(frozen=True, slots=True)
class Match:
    """From `start` to `end` in the document."""

    start: int
    end: int


def find_matches(document: QTextDocument, text: str) -> list[Match]:
    """The places of a text, upper and lower case alike, from top to bottom; at most MOST_MATCHES."""
    matches: list[Match] = []
    cursor = document.find(text, 0) if text else None
    while cursor and not cursor.isNull() and len(matches) < MOST_MATCHES:
        if kind_of(cursor.block().userState()) not in AROUND:
            match = _match(cursor)
            if match not in matches[-1:]:  # a drawn formula is one place, however often the text stands in its source
                matches.append(match)
        cursor = document.find(text, cursor.selectionEnd())
    return matches


def _match(cursor: QTextCursor) -> Match:
    block, offset = cursor.block(), cursor.block().position()
    start, end = formula_around(block, cursor.selectionStart() - offset, cursor.selectionEnd() - offset)
    return Match(start + offset, end + offset)


def next_match(matches: list[Match], current: Match | None, step: int) -> Match | None:
    """The match `step` places from the current one, going round; None at the edge where there is no match."""
    if not matches:
        return None
    index = matches.index(current) if current in matches else -1 if step > 0 else 0
    return matches[(index + step) % len(matches)]


def match_from(matches: list[Match], position: int) -> Match | None:
    """The first match from a position on, or the last one above it."""
    return next((match for match in matches if match.start >= position), matches[-1] if matches else None)

"""What of a growing text is not shown yet: an end that would look like something else as soon as more has come."""

from __future__ import annotations

import re

# What may stand before a fence has a pattern of its own for each part: models do loop on blanks, and two stars that
# share them would take the square of their number.
_QUOTE_MARKS = re.compile(r"[ \t>]*")
_ITEM_MARK = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]*")
_HALF_FENCE = re.compile(r"(?:`{1,2}|`{3,}[^`]*|~{1,2}|~{3,}.*)$")
_HALF_ADDRESS = re.compile(r"\]\((?:[^\s()]|\([^\s()]*\)){0,2000}(?:\([^\s()]*)?")
_ROW = re.compile(r" {0,3}\|")
_HALF_DIVIDER = re.compile(r"[ \t:|-]*")


def visible_part(text: str, *, in_table: bool = False) -> str:
    """`text` without an unfinished end that is blank, or may become a fence, the address of a link, a table.

    in_table: the first line follows upon rows of a table.
    """
    start = text.rfind("\n") + 1
    end = _table_head(text, start, in_table=in_table)
    if end <= start:
        return text[:end]
    last = text[start:]
    shown = last[: min(_half_fence(last), _half_address(last))]
    return text[: start + len(shown)] if shown.strip() else text[:start]


def _half_fence(line: str) -> int:
    """Where in the line a fence begins that is not whole; at its end where none does."""
    marks = _QUOTE_MARKS.match(line)
    at = marks.end() if marks else 0
    item = _ITEM_MARK.match(line, at)
    begin = item.end() if item else at
    return begin if _HALF_FENCE.match(line, begin) else len(line)


def _half_address(line: str) -> int:
    """Where in the line the address of a link begins that is not whole; at its end where none does."""
    at = line.rfind("](")
    return at if at >= 0 and _HALF_ADDRESS.fullmatch(line, at) else len(line)


def _table_head(text: str, start: int, *, in_table: bool) -> int:
    """Where the row begins that may be the head of a table, without a whole divider; at the end where none is.

    start: of the last line.
    """
    above = text.rfind("\n", 0, start - 1) + 1 if start else 0
    follows_row = _is_row(text, above) if start else in_table
    if not follows_row:
        return start if _is_row(text, start) else len(text)
    is_second = start > 0 and not (_is_row(text, text.rfind("\n", 0, above - 1) + 1) if above else in_table)
    return above if is_second and _HALF_DIVIDER.fullmatch(text, start) else len(text)


def _is_row(text: str, start: int) -> bool:
    return bool(_ROW.match(text, start))

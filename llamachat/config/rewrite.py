"""One key of a TOML text set or taken out, every other character left as it is. Pure text, no files.

The text must be valid TOML. Where a key cannot be changed by touching its own lines alone (a name that is already
something else, a comment inside an inline table), the result is not what was asked for: the caller reads it back
and compares.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from llamachat.config.literal import one_line, readable
from llamachat.config.option import Value
from llamachat.config.scan import KeyPath, Statement, has_comment, join_key, statements

_COMMENTED_HEADER = re.compile(r"^[ \t]*#[ \t]*\[[^\]\n]+\][ \t]*\r?$", re.MULTILINE)


def with_key(text: str, path: KeyPath, value: Value) -> str:
    """The text with this key set: its value replaced, or a line put in where the key belongs."""
    found = statements(text)
    if holder := _holder(found, path):
        start, end = holder.value
        new = _new_value(text[start:end], path[len(holder.path) :], value)
        return text[:start] + _with_line_ends(new, text) + text[end:]
    position, lines = _new_lines(text, found, path, value)
    return _insert(text, position, lines)


def without_key(text: str, path: KeyPath) -> str:
    """The text with this key taken out; unchanged if it is not there."""
    holder = _holder(statements(text), path)
    if holder is None:
        return text
    if holder.path == path:
        start, end = holder.span
        if end == len(text) and not text.endswith("\n"):  # the last line had no line end, and shall have none
            return text[:start].removesuffix("\n").removesuffix("\r")
        return text[:start] + text[end:]
    start, end = holder.value
    table = _value_of(text[start:end])
    parent = _descend(table, path[len(holder.path) : -1])
    if path[-1] not in parent or has_comment(text[start:end]):
        return text
    del parent[path[-1]]
    return text[:start] + one_line(table) + text[end:]


def _holder(found: list[Statement], path: KeyPath) -> Statement | None:
    """The statement that holds the key: its own, or that of an inline table around it."""
    return next((one for one in found if not one.is_header and path[: len(one.path)] == one.path), None)


def _new_value(old: str, inner: KeyPath, value: Value) -> str:
    """The text of the value: alone, or inside the inline table `old`."""
    if not inner:
        return readable(value)
    if has_comment(old):
        return old
    table = _value_of(old)
    _descend(table, inner[:-1])[inner[-1]] = value
    return one_line(table)


def _value_of(text: str) -> dict[str, object]:
    value = tomllib.loads(f"k = {text}")["k"]
    return value if isinstance(value, dict) else {}


def _descend(table: dict[str, object], path: KeyPath) -> dict[str, object]:
    for part in path:
        inner = table.setdefault(part, {})
        table = inner if isinstance(inner, dict) else {}
    return table


def _new_lines(text: str, found: list[Statement], path: KeyPath, value: Value) -> tuple[int, list[str]]:
    """Where a key that is not there belongs, and the lines to put in."""
    parent = path[:-1]
    line = f"{join_key(path[-1:])} = {readable(value)}"
    if (position := _below_comment(text, found, path)) is not None:
        return position, [line]
    siblings = [one for one in found if not one.is_header and _is_sibling(one, parent)]
    if siblings:
        last = siblings[-1]
        return last.span[1], [f"{join_key(path[len(last.table) :])} = {readable(value)}"]
    if not parent:
        return _end_of_top(text, found), [line]
    header = next((one for one in found if one.is_header and one.path == parent), None)
    if header:
        return header.span[1], [line]
    return len(text), ["", f"[{join_key(parent)}]", line]


def _is_sibling(one: Statement, parent: KeyPath) -> bool:
    """Whether a key for `parent` can stand right below this one."""
    return one.path[: len(parent)] == parent and one.table == parent[: len(one.table)]


def _below_comment(text: str, found: list[Statement], path: KeyPath) -> int | None:
    """The offset below `# key = ...`, the commented default, in the part of the text where the key belongs."""
    comment = re.compile(rf"^[ \t]*#[ \t]*{re.escape(join_key(path[-1:]))}[ \t]*=.*(?:\n|\Z)", re.MULTILINE)
    for start, end in _gaps(text, found, path[:-1]):
        header = _COMMENTED_HEADER.search(text, start, end)
        if match := comment.search(text, start, header.start() if header else end):
            return match.end()
        if header:
            return None
    return None


def _gaps(text: str, found: list[Statement], table: KeyPath) -> Iterator[tuple[int, int]]:
    """The stretches of comments and blank lines in a table, () being the top of the text."""
    start, inside = 0, table == ()
    for one in found:
        if inside:
            yield start, one.span[0]
        if one.is_header:
            inside = one.path == table
        start = one.span[1]
    if inside:
        yield start, len(text)


def _end_of_top(text: str, found: list[Statement]) -> int:
    """Where a top without keys ends: above the first header (it may be commented out) and the comment upon it."""
    commented = _COMMENTED_HEADER.search(text)
    starts = [one.span[0] for one in found[:1]] + ([commented.start()] if commented else [])
    position = min(starts, default=len(text))
    while starts and position:
        above = text.rfind("\n", 0, position - 1) + 1
        if not text[above:position].lstrip().startswith("#"):
            break
        position = above
    return position


def _insert(text: str, position: int, lines: list[str]) -> str:
    """The text with lines put in; a last line without a line end stays without."""
    behind_line_end = position == 0 or text[position - 1] == "\n"
    new = "".join(f"{line}\n" if behind_line_end else f"\n{line}" for line in lines)
    return text[:position] + _with_line_ends(new, text) + text[position:]


def _with_line_ends(new: str, text: str) -> str:
    """New lines with the line ends that most lines of the text have."""
    windows = text.count("\r\n") * 2 > text.count("\n")
    return new.replace("\n", "\r\n") if windows else new

"""Where each statement of a TOML text stands, line by line. Understands layout, not values; never raises.

tomllib says what a file means but not where; this says where, so that mistakes get a line number and one key can
be rewritten without touching the rest. Texts that are not valid TOML are scanned as far as that makes sense.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from llamachat.config.literal import key_part

KeyPath: TypeAlias = "tuple[str, ...]"

# No possessive repeats (`*+`): in Python before 3.11.4, such as Debian 12's, they match too little.
_KEY_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\[^\n])*"|'[^'\n]*')"""
_DOTTED = rf"{_KEY_PART}(?:[ \t]*\.[ \t]*{_KEY_PART})*"
_DOTTED_KEY = re.compile(_DOTTED)
_KEY_LINE = re.compile(rf"[ \t]*(?P<key>{_DOTTED})[ \t]*=[ \t]*")
_HEADER = re.compile(rf"[ \t]*\[\[?[ \t]*(?P<key>{_DOTTED})[ \t]*\]")
_TOKEN = re.compile(
    r'''(?P<string>"""(?:[^"\\]|\\.|"(?!""))*(?:"{3,5}|\Z)|"(?:[^"\\\n]|\\[^\n])*"'''
    r"""|'''(?:[^']|'(?!''))*(?:'{3,5}|\Z)|'[^'\n]*')"""
    r"|(?P<comment>\#[^\n]*)|(?P<space>[ \t\r]+)|(?P<newline>\n)"
    r"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<other>.)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A key with its value, or the header of a table. Spans count characters of the text.

    path: the whole name, with the table it stands in (`table`). lines: first and last, counted from 1.
    span: its lines, with their line ends. value: the value alone; empty for a header.
    """

    path: KeyPath
    table: KeyPath
    lines: tuple[int, int]
    span: tuple[int, int]
    value: tuple[int, int]
    is_header: bool = False


def statements(text: str) -> list[Statement]:
    """Every key and header of the text, in order. Comments, blank lines and what cannot be read are left out."""
    found = []
    table: KeyPath = ()
    position, line = 0, 1
    while position < len(text):
        end = _line_end(text, position)
        if header := _HEADER.match(text, position, end):
            table = _read_key(header["key"])
            found.append(Statement(table, table, (line, line), (position, end), (end, end), is_header=True))
        elif key := _KEY_LINE.match(text, position, end):
            value_end, end = _value_end(text, key.end())
            lines = (line, line + text.count("\n", position, end - 1))
            path = table + _read_key(key["key"])
            found.append(Statement(path, table, lines, (position, end), (key.end(), value_end)))
        line += text.count("\n", position, end)
        position = end
    return found


def has_comment(value: str) -> bool:
    """Whether comments stand between the lines of a value."""
    return any(token.lastgroup == "comment" for token in _TOKEN.finditer(value))


def parse_key(text: str) -> KeyPath:
    """The parts of a dotted key, as TOML reads it: `prompts."my own".text`. Raises ValueError."""
    if not _DOTTED_KEY.fullmatch(text):
        raise ValueError(text)
    value: object = tomllib.loads(f"{text} = 0")
    parts = []
    while isinstance(value, dict):
        ((part, value),) = value.items()
        parts.append(part)
    return tuple(parts)


def join_key(parts: Sequence[str]) -> str:
    """A dotted key, each part quoted where TOML wants it: the reverse of `parse_key`."""
    return ".".join(key_part(part) for part in parts)


def _read_key(text: str) -> KeyPath:
    try:
        return parse_key(text)
    except ValueError:
        return (text,)


def _line_end(text: str, position: int) -> int:
    """The offset behind the line end, or the end of the text."""
    return text.find("\n", position) + 1 or len(text)


def _value_end(text: str, position: int) -> tuple[int, int]:
    """The end of the value that begins at `position`, and of the last line it stands on."""
    depth, value_end = 0, position
    for token in _TOKEN.finditer(text, position):
        kind = token.lastgroup
        if kind == "newline" and depth == 0:
            return value_end, token.end()
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        if kind not in ("comment", "space", "newline"):
            value_end = token.end()
    return value_end, len(text)

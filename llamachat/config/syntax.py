"""Bytes of a file to the values of TOML, and what to say where that fails."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from dataclasses import dataclass
from pathlib import Path

from llamachat.config.problem import Problem
from llamachat.config.scan import Statement, join_key, statements
from llamachat.core.errors import ConfigError
from llamachat.core.text import tr

BOM = "\ufeff"
_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")
_CONFLICT = re.compile(r"^<<<<<<< .*?^>>>>>>> ", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that parses: its text without the byte order mark, and what it says."""

    text: str
    has_bom: bool
    values: dict[str, object]


class BrokenFile(ConfigError):
    """The file cannot be read or is not TOML; `problem` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem), tr("Mend the file in a text editor, then try again."))
        self.problem = problem


def read_document(path: Path) -> Document:
    """Read and parse. Raises BrokenFile; FileNotFoundError where there is no such file."""
    return parse_document(read_bytes(path))


def read_bytes(path: Path) -> bytes:
    """The bytes of the file. Raises BrokenFile; FileNotFoundError where there is no such file."""
    try:
        _refuse_pipes(path)
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except IsADirectoryError as error:
        raise BrokenFile(Problem(None, "", tr("{path} is a folder, not a file.").format(path=path))) from error
    except OSError as error:
        reason = tr("{path} cannot be read: {why}.").format(path=path, why=error.strerror or error)
        raise BrokenFile(Problem(None, "", reason)) from error


def _refuse_pipes(path: Path) -> None:
    """Refuse what may never come to an end: reading it would hold the program up."""
    kind = path.stat().st_mode
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)) and path != Path(os.devnull):
        raise BrokenFile(Problem(None, "", tr("{path} is no ordinary file.").format(path=path)))


def parse_document(data: bytes) -> Document:
    """Parse the bytes of a file: UTF-8, with or without a byte order mark. Raises BrokenFile."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BrokenFile(Problem(line, "", tr("This line is not UTF-8; save the file as UTF-8."))) from error
    has_bom = text.startswith(BOM)
    text = text.removeprefix(BOM)
    return Document(text, has_bom, parse_values(text))


def parse_values(text: str) -> dict[str, object]:
    """What a TOML text says. Raises BrokenFile."""
    try:
        values = tomllib.loads(text)
        repr(values)  # what Python cannot print, the program could neither show nor write
    except tomllib.TOMLDecodeError as error:
        raise BrokenFile(_explain(text, str(error))) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, arrays thousands deep
        raise BrokenFile(Problem(None, "", tr("A value is too large or nested too deeply."))) from error
    return values


def _explain(text: str, message: str) -> Problem:
    """tomllib's message in words for people, with the line and the key it is about."""
    if mark := _CONFLICT.search(text):
        line = text.count("\n", 0, mark.start()) + 1
        return Problem(line, "", tr("A version control system left its conflict marks here (<<<<<<< to >>>>>>>)."))
    place = _PLACE.search(message)
    told = int(place["line"]) if place and place["line"] else None
    found = statements(text)
    statement = _statement_at(found, told)
    line = told or (statement.lines[0] if statement else 1)
    reason = _twice(found, statement, message) or _reason(message)
    return Problem(line, join_key(statement.path) if statement else "", reason)


def _statement_at(found: list[Statement], line: int | None) -> Statement | None:
    """The statement on that line; the last one where tomllib only came to know at the end."""
    if line is None:
        return found[-1] if found else None
    return next((one for one in found if one.lines[0] <= line <= one.lines[1]), None)


def _twice(found: list[Statement], statement: Statement | None, message: str) -> str | None:
    if statement is None or not message.startswith(("Cannot overwrite", "Cannot declare", "Cannot mutate")):
        return None
    path = statement.path
    first = next((one for one in found if one.path == path), statement)
    if first is statement:
        return tr("This clashes with something above it: a name is either one value or a table, and given once.")
    return tr("This stands here a second time; the first is on line {line}.").format(line=first.lines[0])


def _reason(message: str) -> str:
    for beginning, words in _WORDS.items():
        if message.startswith(beginning):
            return tr(words)
    return tr("This is not TOML ({message}).").format(message=message)


_QUOTE = "The closing quote is missing."
_BACKSLASH = "A backslash in double quotes must be written twice; or use single quotes."
_WORDS = {
    "Illegal character '\\n'": _QUOTE,
    "Unterminated string": _QUOTE,
    "Unclosed array": "The closing bracket ] is missing.",
    "Invalid value": "This is no value: text stands in quotes, true and false are written small.",
    "Expected newline or end of document": "Something stands behind the value that does not belong to it.",
    "Expected '='": "This needs the form key = value.",
    "Invalid statement": "This needs the form key = value.",
    "Unescaped '\\'": _BACKSLASH,
    "Invalid hex value": _BACKSLASH,
}

"""What the command line prints: plain text without control characters, colours only on a terminal."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from datetime import datetime
from typing import TextIO

from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr

# Everything that could steer a terminal, in text that a model or a page may have written.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_DIM, _BOLD, _PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[0m"


def printable(text: str) -> str:
    """The text without control and direction characters; newlines and tabs stay."""
    return _CONTROL.sub("", text)


def write(text: str, *, stream: TextIO | None = None) -> None:
    """Print text as it comes, at once."""
    write_exact(printable(text), stream=stream)


def write_json(text: str) -> None:
    """Print JSON with nothing left out: what could steer a terminal is written as an escape."""
    write_exact(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def write_exact(text: str, *, stream: TextIO | None = None) -> None:
    """Print text as it is, at once: for what can steer no terminal, or goes to none.

    Raises BrokenPipeError where the reader of a pipe went away, UserFacingError where the disk is full.
    """
    target = stream or sys.stdout
    try:
        target.write(text)
        target.flush()
    except OSError as error:
        _let_go(target)
        if isinstance(error, BrokenPipeError):
            raise
        raise UserFacingError(
            tr("The output cannot be written: {reason}.").format(reason=error.strerror or error)
        ) from error


def complain(sentence: str) -> None:
    """One sentence on stderr."""
    _write_beside(f"llamachat: {printable(sentence)}\n")


def remark(text: str) -> None:
    """A line beside the answer, on stderr; dim on a terminal."""
    line = printable(text)
    _write_beside(f"{_DIM}{line}{_PLAIN}\n" if sys.stderr.isatty() else f"{line}\n")


def agreed(question: str) -> bool:
    """Ask on a terminal; without one nobody agrees."""
    if not sys.stdin.isatty():
        return False
    remark(f"{question} [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _write_beside(text: str) -> None:
    """Print on stderr; where that cannot be written, the command goes on without."""
    with suppress(BrokenPipeError, UserFacingError):
        write_exact(text, stream=sys.stderr)


def _let_go(stream: TextIO) -> None:
    """What is left in the stream goes nowhere: the interpreter would write it at exit, and complain."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_marked(pieces: tuple[str, ...]) -> None:
    """Print a snippet on one line, its hits (odd pieces) bold on a terminal and in [brackets] elsewhere."""
    on, off = (_BOLD, _PLAIN) if sys.stdout.isatty() else ("[", "]")
    words = (printable(piece).replace("\n", " ") for piece in pieces)
    line = "".join(f"{on}{word}{off}" if index % 2 else word for index, word in enumerate(words))
    write_exact(f"        {line}\n")


def day(seconds: float) -> str:
    """A time in the local zone, to the minute."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")

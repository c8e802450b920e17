"""Consent on a terminal: yes, no, other words, Stop, and nobody there. The terminal is a real one."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

CHILD = """
import sys, threading
from llamachat.cli.consent import TerminalConsent
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled
cancel = CancelToken()
if len(sys.argv) > 1:
    threading.Timer(0.3, cancel.cancel).start()
try:
    print("ANSWER", repr(TerminalConsent().ask("tide husum", provider="Brave", host="b.example", cancel=cancel)))
except Cancelled:
    print("STOPPED")
"""


@contextmanager
def on_a_terminal(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The question in a process whose input and error are a terminal, and the other end of that."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", CHILD, *arguments]
    with subprocess.Popen(command, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, encoding="utf-8") as process:
        os.close(theirs)
        yield process, ours
    os.close(ours)


def asked(terminal: int) -> str:
    """What the terminal shows, up to the question's end."""
    shown = ""
    while not shown.rstrip().endswith("]"):
        shown += os.read(terminal, 1000).decode()
    return shown


@pytest.mark.parametrize(
    ("typed", "answer"),
    [("y", "'tide husum'"), ("YES", "'tide husum'"), ("", "None"), ("no", "None"), ("ebb  husum", "'ebb husum'")],
)
def test_the_answer_is_yes_no_or_other_words(typed: str, answer: str) -> None:
    with on_a_terminal() as (process, terminal):
        shown = asked(terminal)
        assert "“tide husum”" in shown
        assert "Brave (b.example)" in shown
        os.write(terminal, f"{typed}\n".encode())
        assert process.communicate(timeout=20)[0] == f"ANSWER {answer}\n"


def test_stop_ends_the_question() -> None:
    with on_a_terminal("stop") as (process, terminal):
        asked(terminal)
        assert process.communicate(timeout=20)[0] == "STOPPED\n"


def test_where_nobody_is_asked_nothing_goes_out() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input="y\n",
        capture_output=True,
        encoding="utf-8",
        timeout=20,
        check=True,
    )
    assert done.stdout == "ANSWER None\n"
    assert 'search_confirm = "never"' in done.stderr

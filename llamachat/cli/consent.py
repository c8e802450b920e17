"""Asks on the terminal before a search of `llamachat ask` goes out; where nobody can answer, the answer is no."""

from __future__ import annotations

import sys
import threading

from llamachat.cli.output import remark, write
from llamachat.core.cancel import CancelToken
from llamachat.core.text import clean, tr


class TerminalConsent:
    """The Consent seam for a terminal."""

    def ask(
        self, query: str, *, provider: str, host: str, cancel: CancelToken, chat_id: int | None = None
    ) -> str | None:
        """The query to send, perhaps another; None where it was refused. Blocks; raises Cancelled on Stop."""
        place = f"{provider} ({host})" if host else provider
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            words = tr("The search for “{query}” was not sent to {place}: nobody can be asked here.")
            step = tr('Set search_confirm = "never" in config.toml to let such searches go out.')
            remark(f"{words.format(query=query, place=place)} {step}")
            return None
        question = tr("A web search waits for your word. Send “{query}” to {place}? [y/N, or other words to search]")
        write(f"\n{question.format(query=query, place=place)} ", stream=sys.stderr)
        return _answer(_line(cancel), query)


def _answer(line: str, query: str) -> str | None:
    """A yes, a no, or another query."""
    said = " ".join(clean(line).split())
    if said.lower() in ("y", "yes"):
        return query
    return None if said.lower() in ("", "n", "no") else said


def _line(cancel: CancelToken) -> str:
    """A line of the terminal; reading it cannot be woken, so a thread does that. Raises Cancelled on Stop."""
    read: list[str] = []
    come = threading.Event()

    def run() -> None:
        read.append(sys.stdin.readline())
        come.set()

    with cancel.on_cancel(come.set):
        threading.Thread(target=run, name="terminal", daemon=True).start()
        come.wait()
    cancel.raise_if_cancelled()
    return read[0]

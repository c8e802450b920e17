"""Runs turns of the whole program in processes that can be killed: `python -m tests.end2end.turn_child CONFIG DATA`.

Each line of standard input is a question, as JSON. A forked child asks it; its number is printed, then its events,
one a line, and an empty line when it is gone.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from llamachat.app import App, build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.events import event_to_json
from llamachat.turn_rows import TurnRequest


def main() -> None:
    """Serve until standard input ends."""
    app = build_app(resolve_paths(Path(sys.argv[1]), Path(sys.argv[2])))
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            ask(app, json.loads(line))
        os.waitpid(child, 0)
        say("")


def ask(app: App, question: str) -> None:
    """The child."""
    say(str(os.getpid()))
    with app.database() as db:
        for event in app.start_turn(db, TurnRequest("send", text=question), CancelToken()).events():
            say(event_to_json(event))
    os._exit(0)


def say(line: str) -> None:
    """Print in one piece."""
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


if __name__ == "__main__":
    main()

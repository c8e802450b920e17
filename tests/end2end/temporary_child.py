"""A window in which a chat is held: `python -m tests.end2end.temporary_child FOLDER temporary|stored`.

What is said comes as JSON on standard input: `config`, `ask` (sent), `edited` (asked beside it), `typed` (not sent).
Prints `ready`, and goes on until it is asked to end. Run by tests.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtTest import QTest

from llamachat.ui.process_events import end_on_signals
from tests.end2end.stage import Stage, stage

LONGER_THAN_A_DRAFT_WAITS_S = 0.8


def main() -> None:
    """Hold the chat."""
    folder, kind = Path(sys.argv[1]), sys.argv[2]
    words = json.load(sys.stdin)
    with stage(folder, words["config"]) as shown:
        end_on_signals(shown.window.end, shown.window)
        if kind == "temporary":
            shown.window.temporary.new()
            shown.until(lambda: shown.window.chat.conversation_id)
        talk(shown, words)
        print("ready", flush=True)
        shown.until(lambda: not shown.window.isVisible(), limit_s=120)


def talk(shown: Stage, words: dict[str, str]) -> None:
    """Ask, have it answered again, ask in other words, type something."""
    window = shown.window
    asked: list[int] = []
    window.chat.turns.begun.connect(lambda _, letter: asked.append(letter.user.id) if letter.user else None)
    shown.ask(words["ask"])
    window.page.view.retry_requested.emit(window.page.view.last_id)
    shown.until(shown.idle)
    window.chat.turns.edit(asked[0], words["edited"])
    shown.until(shown.idle)
    QTest.keyClicks(window.page.composer.edit, words["typed"])
    shown.rest(LONGER_THAN_A_DRAFT_WAITS_S)


if __name__ == "__main__":
    main()

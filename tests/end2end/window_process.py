"""The window as a process that tells how far it is: `python -m tests.end2end.window_process FOLDER [--ask TEXT]`.

Prints `shown`, `streaming` when the answer to TEXT has begun, `raised` when another start knocked, `left` when this
start found the window of another one. Run by tests.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from llamachat.app import build_app
from llamachat.config.paths import resolve_paths
from llamachat.ui.application import make_application, run_window
from llamachat.ui.main_window import MainWindow


class Watcher(QTimer):
    """Looks at the window and prints what is new."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._told: set[str] = set()
        self.window: MainWindow | None = None
        self.timeout.connect(self._look)
        self.start(20)

    def _tell(self, word: str) -> bool:
        """Print a word once; True the first time."""
        if word in self._told:
            return False
        self._told.add(word)
        print(word, flush=True)
        return True

    def _look(self) -> None:
        window = next((w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)), None)
        self.window = window
        if window is None or not window.isVisible():
            return
        if self._tell("shown"):
            window.showMinimized()
            if self._text:
                window.page.composer.set_text(self._text)
                window.page.composer.send.click()
        elif not window.isMinimized():
            self._tell("raised")
        turn = window.chat.turns.turn
        if turn and len(window.page.view.toPlainText()) > len(self._text) + 200:
            self._tell("streaming")


def main() -> int:
    """Run the window until it is closed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ask", default="")
    options = parser.parse_args()
    make_application()
    watcher = Watcher(options.ask)
    app = build_app(resolve_paths(options.folder / "config.toml", options.folder / "data"))
    code = run_window(app, say=lambda text: print(text, flush=True))
    watcher.stop()
    print("left" if watcher.window is None else "closed", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())

"""The real window on a profile of its own, driven from a script: for whole-program tests and for pictures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from llamachat.app import App, build_app
from llamachat.config.paths import Paths, resolve_paths
from llamachat.core.clock import SystemClock
from llamachat.ui.appearance import Appearance
from llamachat.ui.application import make_application
from llamachat.ui.main_window import MainWindow
from llamachat.ui.notices import NoticeBar
from llamachat.ui.start_control import Demo

NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing listens


class Stage:
    """A window and what it stands on. Use `stage`, which closes it."""

    def __init__(self, folder: Path, config: str, *, before: Callable[[Paths], None] | None = None) -> None:
        """`before` may fill the store before the window opens it."""
        folder.mkdir(exist_ok=True)
        self.config = folder / "config.toml"
        if not self.config.exists():
            self.config.write_text(config, encoding="utf-8")
        paths = replace(resolve_paths(self.config, folder / "data"), cache_dir=folder / "cache")
        self.app: App = build_app(paths)
        if before:
            before(self.app.paths)
        appearance = Appearance(make_application(), self.app.config.theme)
        self.window = MainWindow(self.app, appearance=appearance, clock=SystemClock())

    def begin(self, demo: Demo | None = None) -> None:
        """Open the window and wait until it has asked the server, which a demo does not do."""
        self.window.begin(demo)
        self.until(self.window.isVisible)
        self.until(lambda: demo or self.window.server.failure or self.window.server.models)

    def be_in_front(self) -> None:
        """Have the keyboard, as the window of a person has."""
        self.window.activateWindow()
        self.until(self.window.isActiveWindow)

    def until(self, true: Callable[[], object], limit_s: float = 30.0) -> None:
        """Run the window until something is so."""
        end = time.monotonic() + limit_s
        while not true():
            if time.monotonic() > end:
                raise TimeoutError(f"in vain: {true}; the window says: {self.told()}")
            self.rest(0.01)

    def told(self) -> list[str]:
        """What stands in the bars and in the status line, and whether the page for connecting is shown."""
        bars = [bar.label.text() for bar in self.window.notices.findChildren(NoticeBar)]
        return [*bars, self.window.status.text(), "start page" if self.window.page.starting else "chat"]

    def rest(self, seconds: float) -> None:
        """Run the window for a while."""
        loop = QEventLoop()
        QTimer.singleShot(round(seconds * 1000), loop.quit)
        loop.exec()

    def ask(self, text: str, *, wait: bool = True) -> None:
        """Send a message as the composer does; wait for the end of the answer."""
        self.window.page.composer.set_text(text)
        self.window.page.composer.send.click()
        self.until(lambda: self.window.page.composer.text == "")
        if wait:
            self.until(self.idle)

    def idle(self) -> bool:
        """True when no answer is being written in the chat that is shown."""
        return self.window.chat.turns.turn is None

    def close(self) -> None:
        """Close the window, whatever it would ask first, and let go of it."""
        self.window.end()
        self.until(lambda: self.window.turns.close(0))  # a thread whose object is destroyed ends the process
        self.window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@contextmanager
def stage(
    folder: Path, config: str, *, before: Callable[[Paths], None] | None = None, demo: Demo | None = None
) -> Iterator[Stage]:
    """A window that is open now and closed at the end."""
    made = Stage(folder, config, before=before)
    made.begin(demo)
    try:
        yield made
    finally:
        made.close()

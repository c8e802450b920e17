"""Another search service than SearXNG in the real window: who sees the queries, and a key that is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A window with search switched on through a SearXNG."""
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    with ExitStack() as things:
        llama = things.enter_context(ScriptedLlama(says("Answer.")))
        config = f'base_url = "{llama.base_url}"\nsearch_enabled = true\nsearch_url = "http://127.0.0.1:9"\n'
        yield things.enter_context(stage(tmp_path / "p", config))


def choose(shown: Stage, name: str) -> None:
    """Choose a service in the settings, as another part of the window would."""
    shown.window.settings.take(shown.app.set_setting("search_provider", name))


def test_choosing_a_third_party_says_who_sees_the_queries(shown: Stage) -> None:
    view = shown.window.page.view
    assert "to your SearXNG" in view.toPlainText()
    choose(shown, "duckduckgo")
    told = shown.window.notices.text("toast")
    assert "queries go to DuckDuckGo" in told
    assert "DuckDuckGo is a third party and sees every query." in told
    shown.until(lambda: "to DuckDuckGo, a third party" in view.toPlainText())
    assert view.search_provider() == "DuckDuckGo"
    assert shown.window.page.composer.search.text() == "Search: Auto"


def test_a_service_without_its_key_is_found_out_in_the_background_and_named(
    shown: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    globe = shown.window.page.composer.search
    choose(shown, "brave")
    shown.until(lambda: globe.text() == "Search: Off")
    assert "BRAVE_API_KEY" in globe.toolTip()
    assert "Brave" in globe.toolTip()
    monkeypatch.setenv("BRAVE_API_KEY", "sk-0123456789")
    shown.window.settings.take(shown.app.reload())
    assert globe.text() == "Search: Auto"

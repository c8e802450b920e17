"""The key of a search service in the settings: kept, forgotten, never shown; and a keyring that does not open."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtTest import QTest

from tests.fakes.memory_keyring import LockedKeyring, MemoryKeyring
from tests.ui.search_settings.conftest import ON, Open

BRAVE = "BSA-0123456789abcdef"


def test_a_key_is_forgotten_by_its_button_and_never_shown(opened: Open, keyring: MemoryKeyring) -> None:
    keyring.set_password("llamachat", "brave", BRAVE)
    it = opened(f'{ON}search_provider = "brave"\n')
    key = it.search.provider.key
    it.until(key.forget.isVisible)
    assert key.line.echoMode() == key.line.EchoMode.Password
    assert key.line.text() == ""
    key.forget.click()
    it.until(lambda: not keyring.kept)
    it.until(lambda: not key.forget.isVisible())
    assert not it.app.search_permission().ready


def test_a_key_that_came_from_elsewhere_is_seen_when_the_window_opens_again(
    opened: Open, keyring: MemoryKeyring
) -> None:
    it = opened(f'{ON}search_provider = "brave"\n')
    state = it.search.provider.key.state
    it.until(lambda: it.app.search.keys.known("brave") is False)
    it.dialog.close()
    keyring.set_password("llamachat", "brave", BRAVE)
    it.dialog.bring_up()
    it.until(lambda: "kept in your keyring. It is not shown" in state.text())


def test_the_keyring_is_asked_only_while_search_is_on(opened: Open, keyring: MemoryKeyring) -> None:
    keyring.set_password("llamachat", "brave", BRAVE)
    it = opened('search_provider = "brave"\n')
    asked: list[object] = []
    it.lanes.keys.read(lambda _: None, asked.append)
    it.until(lambda: bool(asked))
    assert it.app.search.keys.known("brave") is None
    it.search.enabled.box.click()
    it.until(lambda: it.app.search.keys.known("brave") is True)


def test_a_key_that_was_kept_cannot_be_brought_back_into_the_field(opened: Open, keyring: MemoryKeyring) -> None:
    it = opened(f'{ON}search_provider = "brave"\n')
    line = it.search.provider.key.line
    QTest.keyClicks(line, BRAVE)
    it.dialog.apply.click()
    it.until(lambda: bool(keyring.kept) and not line.text())
    line.undo()
    assert line.text() == ""


def test_a_key_in_the_environment_is_named_by_its_variable(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", BRAVE)
    it = opened(f'{ON}search_provider = "brave"\n')
    assert "The key comes from BRAVE_API_KEY" in it.search.provider.key.state.text()
    assert not it.search.provider.key.forget.isVisible()


def test_a_keyring_that_stays_locked_is_said(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    it = opened(f'{ON}search_provider = "brave"\n')
    monkeypatch.setattr(sys.modules["keyring"], "get_keyring", LockedKeyring)
    it.search.provider.key.line.setText(BRAVE)
    it.dialog.apply.click()
    it.until(lambda: bool(it.dialog.notices.text("key")))
    assert "keyring cannot be used" in it.dialog.notices.text("key")
    assert BRAVE not in it.dialog.notices.text("key")

"""The program without its window: settings in force, what may be searched, which server and model are asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.app import App, build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.errors import ConfigError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the files, with nothing in the environment that counts."""
    monkeypatch.delenv("SEARXNG_URL", raising=False)
    return tmp_path


def app_with(folder: Path, text: str) -> App:
    """The program with this config.toml."""
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return build_app(resolve_paths(folder / "config.toml", folder / "data"))


def test_the_first_start_writes_the_settings_and_searches_nothing(folder: Path) -> None:
    app = build_app(resolve_paths(folder / "new" / "config.toml", folder / "data"))
    assert (folder / "new" / "config.toml").exists()
    assert app.problems == ()
    assert not app.search_permission().ready


@pytest.mark.parametrize(
    ("text", "ready", "known"),
    [
        ('search_url = "http://127.0.0.1:1"', False, True),
        ("search_enabled = true", False, False),
        ('search_enabled = true\nsearch_url = "http://127.0.0.1:1"', True, True),
    ],
)
def test_searching_needs_a_permission_and_an_address(folder: Path, text: str, *, ready: bool, known: bool) -> None:
    permission = app_with(folder, text).search_permission()
    assert (permission.ready, permission.address_known) == (ready, known)


def test_the_address_in_the_environment_counts_only_where_search_is_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:1")
    assert app_with(folder, "search_enabled = true").search_permission().ready
    assert not app_with(folder, "").search_permission().ready


def test_an_edit_is_in_force_after_reload(folder: Path) -> None:
    app = app_with(folder, 'base_url = "127.0.0.1:1/v1"')
    assert app.endpoint().base_url == "http://127.0.0.1:1"
    (folder / "config.toml").write_text('base_url = "http://127.0.0.1:2"', encoding="utf-8")
    assert app.reload().changed == ("base_url",)
    assert app.endpoint().base_url == "http://127.0.0.1:2"


def test_a_broken_edit_keeps_the_settings_and_blocks_saving(folder: Path) -> None:
    app = app_with(folder, "temperature = 0.5\n")
    (folder / "config.toml").write_text("temperature = \n", encoding="utf-8")
    app.reload()
    assert app.config.temperature == 0.5
    assert not app.savable
    assert app.problems[0].line == 1
    with pytest.raises(ConfigError, match="Line 1, temperature: "):
        app.set_setting("theme", "dark")
    assert (folder / "config.toml").read_text(encoding="utf-8") == "temperature = \n"


def test_a_setting_is_written_and_in_force(folder: Path) -> None:
    app = app_with(folder, "# mine\n")
    app.set_setting("search_enabled", value=True)
    assert app.config.search_enabled
    assert (folder / "config.toml").read_text(encoding="utf-8").startswith("# mine\n")


def test_a_certificate_that_is_not_there_is_named(folder: Path) -> None:
    app = app_with(folder, f'search_ca_file = "{folder}/none.pem"\n')
    assert [problem.key for problem in app.problems] == ["search_ca_file"]
    assert app.savable


def test_the_key_comes_from_the_environment_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_with(folder, 'api_key_env = "LLAMACHAT_TEST_KEY"')
    assert app.endpoint().api_key == ""
    monkeypatch.setenv("LLAMACHAT_TEST_KEY", "sesame")
    assert app.endpoint().api_key == "sesame"


def test_a_named_server_is_asked_with_its_own_key_and_model(folder: Path) -> None:
    app = app_with(folder, 'server = "big"\nmodel = "small"\n[servers.big]\nbase_url = "http://127.0.0.1:7"\n')
    assert app.endpoint().base_url == "http://127.0.0.1:7"

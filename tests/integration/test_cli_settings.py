"""`llamachat config` and `search` as processes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.integration.cli_process import Cli
from tests.integration.searxng_server import Searxng

TOPIC = "Brasswick Bridge"


@pytest.mark.slow
def test_the_first_start_writes_a_commented_file(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    assert cli.run("config", "check").returncode == 0
    text = cli.config.read_text(encoding="utf-8")
    assert "# base_url = " in text
    assert tomllib.loads(text) == {}


def test_set_changes_one_line(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli.config.write_text('# mine\nsearch_results = 3   # few\nunknown = "kept"\n', encoding="utf-8")
    assert cli.run("config", "set", "search_results", "7").returncode == 0
    text = cli.config.read_text(encoding="utf-8")
    assert text.startswith("# mine\nsearch_results = 7")
    assert 'unknown = "kept"\n' in text
    assert "search_results = 7" in cli.run("config", "show").stdout


@pytest.mark.slow
def test_a_wrong_value_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli.config.write_text('search_results = "ten"\n', encoding="utf-8")
    checked = cli.run("config", "check")
    assert checked.returncode == 1
    assert "ine 1" in checked.stdout
    assert "search_results" in checked.stdout
    assert checked.stderr == f"llamachat: {cli.config} holds a mistake.\n"
    refused = cli.run("config", "set", "theme", "dark")
    assert refused.returncode == 1
    assert "Line 1, search_results" in refused.stderr
    assert cli.config.read_text(encoding="utf-8") == 'search_results = "ten"\n'
    assert cli.run("config", "set", "search_results", "many").returncode == 1


@pytest.mark.slow
def test_show_prints_what_a_settings_file_could_say(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    text = 'default_prompt = """\nTwo\nlines"""\nsearch_enabled = true\n[prompts."my own"]\ntop_k = 3\n'
    cli.config.write_text(text, encoding="utf-8")
    shown = cli.run("config", "show").stdout
    assert tomllib.loads(shown) == tomllib.loads(text)
    assert '# theme = "system"\n' in shown
    assert "# temperature is not set\n" in shown


@pytest.mark.slow
def test_path_prints_the_places(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    lines = cli.run("config", "path").stdout.splitlines()
    assert lines[0] == str(cli.config)
    assert lines[1].startswith(str(cli.data))


def test_search_prints_numbered_results(tmp_path: Path, searxng: Searxng) -> None:
    cli = Cli(tmp_path)
    cli.config.write_text(f'search_enabled = true\nsearch_url = "{searxng.url}"\n', encoding="utf-8")
    found = cli.run("search", TOPIC)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("[1] ")
    assert "\x1b" not in found.stdout
    record = json.loads(cli.run("search", "--json", TOPIC).stdout)
    assert record["provider"] == "SearXNG"
    assert len(record["results"]) == found.stdout.count("\n    http")


@pytest.mark.slow
def test_nothing_is_searched_before_search_is_switched_on(tmp_path: Path, searxng: Searxng) -> None:
    cli = Cli(tmp_path, {"SEARXNG_URL": searxng.url})
    for text in ("", f'search_url = "{searxng.url}"\n'):
        cli.config.write_text(text, encoding="utf-8")
        done = cli.run("search", "never sent from here")
        assert done.returncode == 1
        assert done.stderr == "llamachat: Web search is off. Set search_enabled = true in config.toml.\n"
    assert searxng.searches("never sent from here") == 0
    cli.config.write_text("search_enabled = true\n", encoding="utf-8")
    assert cli.run("search", TOPIC).returncode == 0


@pytest.mark.slow
def test_search_without_an_address_says_how_to_set_one(tmp_path: Path) -> None:
    cli = Cli(tmp_path, {"SEARXNG_URL": ""})
    for text in ("", "search_enabled = true\n"):
        cli.config.write_text(text, encoding="utf-8")
        done = cli.run("search", "tide")
        assert done.returncode == 1
        assert "search_url" in done.stderr


@pytest.mark.slow
def test_a_search_that_fails_says_so_also_beside_its_record(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli.config.write_text('search_enabled = true\nsearch_url = "http://127.0.0.1:9"\n', encoding="utf-8")
    done = cli.run("search", "--json", "tide")
    assert done.returncode == 1
    assert json.loads(done.stdout)["cause"] == "unreachable"
    assert "is not reachable" in done.stderr

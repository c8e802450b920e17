"""`llamachat search --journal` and `--reset`, and what does not go together."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from llamachat.cli.main import main
from llamachat.config.load import load_config
from llamachat.config.schema import Config
from llamachat.core.egress import Egress
from llamachat.storage.database import Database
from llamachat.storage.journal import Journal, list_journal
from tests.fakes.memory_keyring import MemoryKeyring

ROWS = (
    Egress(1.0, "s.example", "search", "high \x1b[2Jtide", 300, 5000, 0.5, "ok", 7),
    Egress(2.0, "a.example", "page", "https://a.example/x", 200, 0, 10.0, "no whole answer"),
)
SETTINGS = """\
# mine
theme = "dark"  # at night
search_enabled = true
search_provider = "brave"
read_pages = 3   # not too many
search_keep_turns = 4
own_searxng = true
base_url = "http://127.0.0.1:9"

[servers.far]
base_url = "http://far.example"
"""


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    """The keyring that the library finds, with two keys in it."""
    kept = MemoryKeyring()
    kept.kept = {("llamachat", "brave"): "sk-1", ("llamachat", "exa"): "sk-2", ("other", "brave"): "theirs"}
    module = ModuleType("keyring")
    module.get_keyring = lambda: kept  # type: ignore[attr-defined]  # a module made here
    monkeypatch.setitem(sys.modules, "keyring", module)
    return kept


def search(folder: Path, *arguments: str) -> int:
    return main(["--config", str(folder / "c.toml"), "--data-dir", str(folder / "data"), "search", *arguments])


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A database with two rows in its journal."""
    path = tmp_path / "data" / "llamachat.db"
    journal = Journal(lambda: Database.open(path), wanted=lambda: True)
    for row in ROWS:
        journal.record(row)
    journal.flush()
    return path


def test_the_journal_is_printed_the_newest_last(
    tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert search(tmp_path, "--journal") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert lines[0].endswith("search  s.example  high [2Jtide")
    assert lines[1] == "    ok: 300 B out, 5,000 B in, 0.50 s, answer 7"
    assert lines[2].endswith("page  a.example  https://a.example/x")
    assert lines[3] == "    no whole answer: 200 B out, 0 B in, 10.00 s"


def test_the_journal_as_json_has_every_field(tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search(tmp_path, "--journal", "--json") == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert Egress(**{name: value for name, value in second.items() if name != "id"}) == ROWS[1]
    assert (first["id"], first["message_id"], first["outcome"]) == (1, 7, "ok")


def test_the_journal_is_emptied(tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search(tmp_path, "--journal", "--clear") == 0
    assert "2 rows" in capsys.readouterr().err
    with Database.open(kept) as db:
        assert list_journal(db) == []
    assert search(tmp_path, "--journal") == 0
    assert "empty" in capsys.readouterr().err


def test_a_journal_that_is_switched_off_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.toml").write_text("journal = false\n", encoding="utf-8")
    assert search(tmp_path, "--journal") == 0
    assert "journal = false" in capsys.readouterr().err


def test_reset_sets_the_search_back_and_nothing_else(tmp_path: Path, keyring: MemoryKeyring) -> None:
    file = tmp_path / "c.toml"
    file.write_text(SETTINGS, encoding="utf-8")
    before = dict(keyring.kept)
    assert search(tmp_path, "--reset") == 0
    config, default = load_config(file).config, Config()
    assert (config.search_enabled, config.search_provider, config.read_pages) == (False, "searxng", 0)
    assert (config.search_keep_turns, config.own_searxng) == (default.search_keep_turns, False)
    kept_lines = [line for line in SETTINGS.splitlines() if not line.startswith(("search_", "read_", "own_"))]
    assert file.read_text(encoding="utf-8").splitlines() == kept_lines
    assert keyring.kept == before  # nobody was there to be asked


def test_reset_forgets_keys_where_that_is_said(
    tmp_path: Path, keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-1")
    assert search(tmp_path, "--reset", "--forget-keys") == 0
    assert keyring.kept == {("other", "brave"): "theirs"}
    told = capsys.readouterr().err
    assert "brave, exa" in told
    assert "TAVILY_API_KEY is still set" in told
    assert "sk-" not in told


def test_reset_changes_no_file_that_holds_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.toml").write_text("search_enabled = true\ntheme = 3\n", encoding="utf-8")
    assert search(tmp_path, "--reset") == 1
    assert "theme" in capsys.readouterr().err
    assert (tmp_path / "c.toml").read_text(encoding="utf-8") == "search_enabled = true\ntheme = 3\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no words to search for"),
        (("--journal", "tides"), "do not go with"),
        (("--clear", "tides"), "--clear goes with --journal"),
        (("--forget-keys", "tides"), "--forget-keys goes with --reset"),
    ],
)
def test_what_does_not_go_together_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    assert search(tmp_path, *arguments) == 1
    assert words in capsys.readouterr().err

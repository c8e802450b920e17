"""`llamachat config set-key` and `forget-key`: a key goes from a pipe into the keyring, and nowhere else."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import ModuleType

import pytest

from llamachat.cli.main import main
from tests.fakes.memory_keyring import MemoryKeyring

KEY = "BSA-0123456789abcdef"


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    """The keyring that the library finds; the library need not be installed."""
    kept = MemoryKeyring()
    module = ModuleType("keyring")
    module.get_keyring = lambda: kept  # type: ignore[attr-defined]  # a module made here
    monkeypatch.setitem(sys.modules, "keyring", module)
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    return kept


def config(tmp_path: Path, *arguments: str) -> int:
    return main(["--config", str(tmp_path / "c.toml"), "--data-dir", str(tmp_path / "data"), "config", *arguments])


def test_a_key_is_kept_and_forgotten(
    tmp_path: Path, keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{KEY}\nthe next line\n"))
    assert config(tmp_path, "set-key", "brave") == 0
    assert keyring.kept == {("llamachat", "brave"): KEY}
    assert config(tmp_path, "forget-key", "brave") == 0
    assert config(tmp_path, "forget-key", "brave") == 0
    assert keyring.kept == {}
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "The key for brave is in the keyring.",
        "The key for brave is forgotten.",
        "There was no key for brave in the keyring.",
    ]
    assert [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []


def test_who_stores_a_key_is_told_of_the_one_in_the_environment(
    tmp_path: Path, keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "another-0123456789")
    monkeypatch.setattr("sys.stdin", io.StringIO(KEY))
    assert config(tmp_path, "set-key", "brave") == 0
    assert "BRAVE_API_KEY is set in the environment and goes before it." in capsys.readouterr().err
    assert keyring.kept


@pytest.mark.parametrize("typed", ["", "\n", "two words\n"])
def test_what_is_no_key_is_refused(
    tmp_path: Path, keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert config(tmp_path, "set-key", "brave") == 1
    assert keyring.kept == {}


def test_only_services_that_need_a_key_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        config(tmp_path, "set-key", "duckduckgo")
    assert "brave" in capsys.readouterr().err

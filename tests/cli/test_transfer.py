"""Chats out and in from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llamachat.cli.main import main
from llamachat.storage.conversations import list_conversations, set_archived
from llamachat.storage.database import Database
from tests.storage.stories import add_chat

IMPORTS = Path(__file__).resolve().parent.parent / "data" / "imports"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of a history of three chats, one with a title that leads elsewhere and one put away."""
    folder = tmp_path / "data"
    folder.mkdir()
    with Database.open(folder / "llamachat.db") as db:
        add_chat(db, "bee?", "An insect.", title="Bees")
        add_chat(db, "up?", "No.", title="../../etc/passwd\0\n")
        away, _ = add_chat(db, "wasp?", title="蜂" * 200)
        set_archived(db, away.id, archived=True)
    return folder


def run(data: Path, *words: str | Path) -> int:
    """`llamachat history` with these words."""
    places = ["--config", str(data / "config.toml"), "--data-dir", str(data)]
    return main([*places, "history", *map(str, words)])


def titles(data: Path) -> list[str]:
    with Database.open(data / "llamachat.db") as db:
        return sorted(chat.title for chat in list_conversations(db))


def test_all_chats_go_into_a_folder_a_file_each(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(data, "export", "--all", "--output", f"{tmp_path / 'new' / 'out'}/") == 0
    assert capsys.readouterr().err == "3 chats were written.\n"
    names = sorted(path.name[11:] for path in (tmp_path / "new" / "out").iterdir())
    assert names == ["Bees 1.md", "etc passwd 2.md", f"{'蜂' * 50} 3.md"]


def test_all_chats_in_one_file_are_an_array_that_comes_back(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "all.json"
    assert run(data, "export", "--all", "--format", "json", "--output", file) == 0
    assert [row["conversation"]["title"] for row in json.loads(file.read_text())] == [
        *("../../etc/passwd\n", "Bees", "蜂" * 200),
    ]
    (tmp_path / "other").mkdir()
    assert run(tmp_path / "other", "import", file) == 0
    assert capsys.readouterr().err == "3 chats are new.\n5 messages were added.\n"
    assert run(tmp_path / "other", "export", "--all", "--format", "json", "--output", tmp_path / "again.json") == 0
    assert (tmp_path / "again.json").read_text() == file.read_text()


def test_some_chats_on_stdout(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "export", "1", "3", "1") == 0
    said = capsys.readouterr().out
    assert said.count("# Bees") == 1
    assert "\nAn insect.\n\n---\n\n# 蜂" in said
    assert run(data, "export", "2", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["conversation"]["title"] == "../../etc/passwd\n"


@pytest.mark.parametrize("words", [["export"], ["export", "--all", "1"]])
def test_what_to_export_has_to_be_said_once(data: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, *words) == 1
    assert "Say which chats to export." in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_named(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "export", "1", "--output", "/proc/none/x.md") == 1
    assert run(data, "export", "1", "--output", "/proc/none/") == 1
    assert capsys.readouterr().err.count(" cannot be written: ") == 2


def test_a_dry_run_says_what_would_be_and_changes_nothing(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = titles(data)
    files = [IMPORTS / "llama_cpp.jsonl", IMPORTS / "open_webui.json", IMPORTS / "llama_cpp.jsonl"]
    assert run(data, "import", "--dry-run", *files) == 0
    said = capsys.readouterr()
    assert [(line.split()[0], line.split("  ")[-1]) for line in said.out.splitlines()] == [
        *(("new", "Bees"), ("new", "Tea"), ("new", "Quick Chat")),
    ]
    assert said.err.splitlines() == [
        "Of 3 pictures and files only the names are kept: attachments are not stored here.",
        "2 chats are left out because nothing was said in them.",
        "3 chats are new.",
        "Nothing was changed. Without --dry-run the chats are added.",
    ]
    assert titles(data) == before


def test_an_import_twice_adds_once(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "import", IMPORTS / "conversations.json", IMPORTS / "jan_threads") == 0
    assert capsys.readouterr().err.splitlines() == [
        "Of 1 picture or file only the name is kept: attachments are not stored here.",
        "2 steps that the other program hides itself are left out.",
        "1 chat is left out because nothing was said in it.",
        "2 chats are new.",
        "7 messages were added.",
    ]
    before = titles(data)
    assert run(data, "import", IMPORTS / "conversations.json", IMPORTS / "jan_threads") == 0
    assert capsys.readouterr().err.endswith("0 chats are new.\n2 chats were here already.\n0 messages were added.\n")
    assert titles(data) == before
    assert run(data, "search", "honey") == 0
    assert "[Honey]" in capsys.readouterr().out


def test_one_broken_file_among_several_changes_nothing(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = titles(data)
    broken = tmp_path / "half.json"
    broken.write_bytes((IMPORTS / "conversations.json").read_bytes()[:-3])
    assert run(data, "import", IMPORTS / "jan.json", broken) == 1
    said = capsys.readouterr()
    assert (said.out, titles(data)) == ("", before)
    assert said.err.startswith(f"llamachat: {broken} cannot be imported: it is no whole JSON file")

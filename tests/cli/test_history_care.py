"""`llamachat history check|repair|backup|restore|purge` and `delete --for-good`, each with its sentence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from llamachat.cli.main import main
from llamachat.storage.conversations import list_conversations, set_archived, set_pinned
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from tests.storage.stories import add_chat
from tests.storage.test_purge import holding
from tests.storage.test_rescue import leaf_pages, overwrite


@dataclass(frozen=True)
class Commands:
    """The command line on a history of its own."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def path(self) -> Path:
        """The database."""
        return self.folder / "llamachat.db"

    def run(self, *words: str) -> tuple[int, str, str]:
        """The exit code and what was said."""
        code = main(["--config", str(self.folder / "config.toml"), "--data-dir", str(self.folder), "history", *words])
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def titles(self) -> list[str]:
        """The chats by name."""
        with Database.open(self.path) as db:
            return sorted(chat.title for chat in list_conversations(db))


@pytest.fixture
def history(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Sixty chats."""
    commands = Commands(tmp_path / "data", capsys)
    with Database.open(commands.path) as db:
        for number in range(60):
            add_chat(db, f"bee {number} " * 50, f"wasp {number} " * 50, title=f"Chat {number}")
    return commands


def test_a_whole_history_is_said_to_be_whole(history: Commands) -> None:
    code, said, beside = history.run("check")
    assert (code, beside) == (0, "")
    assert f"The history ({history.path}) is whole: 120 messages, " in said
    assert "There is no copy of it yet" in said
    assert history.run("repair")[0] == 0
    history.run("backup")
    assert "The newest copy is " in history.run("check")[1]


def test_a_damaged_history_is_found_repaired_and_kept(history: Commands) -> None:
    overwrite(history.path, leaf_pages(history.path, "messages")[3:6])
    before = history.path.read_bytes()
    code, said, beside = history.run("check")
    assert (code, said) == (1, "")
    assert "has to be repaired" in beside
    assert "llamachat history repair" in beside
    code, said, beside = history.run("repair")
    assert code == 0
    assert "messages of it were rescued" in beside
    assert "It is repaired." in beside
    (kept,) = history.folder.glob("*damaged*.db")
    assert kept.read_bytes() == before
    assert history.run("check")[0] == 0


def test_a_copy_is_made_listed_and_gone_back_to(history: Commands) -> None:
    code, said, _ = history.run("backup")
    assert code == 0
    assert "The history was copied to " in said
    with Database.open(history.path) as db:
        add_chat(db, "later", title="Later")
    code, listed, _ = history.run("restore")
    (copy,) = (history.folder / "backups").iterdir()
    assert (code, listed.splitlines()[0].endswith(str(copy))) == (0, True)
    code, said, _ = history.run("restore", str(copy))
    assert code == 0
    assert "What it replaced is kept as " in said
    assert "Later" not in history.titles()
    (replaced,) = history.folder.glob("*replaced*.db")
    assert history.run("restore", str(replaced))[0] == 0
    assert "Later" in history.titles()


def test_a_copy_goes_where_it_is_told_and_replaces_nothing(history: Commands, tmp_path: Path) -> None:
    target = tmp_path / "usb" / "mine.db"
    assert history.run("backup", str(target))[0] == 0
    before = target.read_bytes()
    code, _, beside = history.run("backup", str(target))
    assert (code, "exists already" in beside) == (1, True)
    assert target.read_bytes() == before


def test_going_back_while_the_history_is_in_use_is_refused(history: Commands) -> None:
    history.run("backup")
    (copy,) = (history.folder / "backups").iterdir()
    with Database.open(history.path):
        code, _, beside = history.run("restore", str(copy))
    assert (code, "The history is in use." in beside) == (1, True)


@pytest.mark.parametrize("words", [["check"], ["repair"], ["backup"], ["purge"]])
def test_where_there_is_no_history_none_is_made(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    commands = Commands(tmp_path, capsys)
    code, _, beside = commands.run(*words)
    assert (code, "There is no history at " in beside) == (1, True)
    assert not commands.path.exists()
    assert commands.run("restore")[2] == "There is no copy yet; `llamachat history backup` makes one.\n"


def test_one_chat_is_deleted_for_good(history: Commands) -> None:
    with Database.open(history.path) as db:
        chat, _ = add_chat(db, "zygomorphic", title="Secret")
    history.run("backup")
    assert len(holding(history.folder, "zygomorphic")) == 2
    code, _, beside = history.run("delete", "--for-good", str(chat.id))
    assert (code, beside) == (0, "Deleted: Secret\n")
    assert holding(history.folder, "zygomorphic") == []


def test_what_was_deleted_is_purged_and_what_cannot_be_cleaned_is_told(history: Commands) -> None:
    with Database.open(history.path) as db:
        chat, _ = add_chat(db, "zygomorphic")
        delete_chats(db, [chat.id])
    left = history.folder / "llamachat-damaged-20260101-000000.db"
    left.write_bytes(b"zygomorphic")
    code, said, beside = history.run("purge")
    assert (code, said) == (0, "Gone for good: one chat, 0 single messages.\n")
    assert f"{left} could not be cleaned" in beside
    assert holding(history.folder, "zygomorphic") == [left.name]


def test_pinned_chats_are_marked_in_the_list(history: Commands) -> None:
    with Database.open(history.path) as db:
        set_pinned(db, 7, pinned=True)
    first, second, *_ = history.run("list")[1].splitlines()
    assert (first.split("  ")[-2:], second.split("  ")[-1]) == (["Chat 6", "(pinned)"], "Chat 59")


def test_archived_chats_are_listed_when_asked_for(history: Commands) -> None:
    with Database.open(history.path) as db:
        set_archived(db, 7, archived=True)
    assert "Chat 6" not in [line.split("  ")[-1] for line in history.run("list", "--limit", "99")[1].splitlines()]
    assert [line.split("  ")[-1] for line in history.run("list", "--archived")[1].splitlines()] == ["Chat 6"]


def test_a_search_is_told_by_chat_and_knows_operators(history: Commands) -> None:
    code, said, _ = history.run("search", "title:chat", "role:assistant", "wasp", '"wasp 7"')
    assert code == 0
    lines = said.splitlines()
    assert [line.split("  ")[-1] for line in lines[:1]] == ["Chat 7"]
    assert len(lines) == 2
    assert history.run("search", "--", "wasp", "-wasp")[2] == (
        "Nothing was found. `llamachat history search --help` says what can be looked for.\n"
    )

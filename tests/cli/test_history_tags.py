"""`llamachat history tag` and `tags`, `list --tag` and `--sort`, and what a search says of operators."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from llamachat.cli.main import main
from llamachat.storage.conversations import set_archived
from llamachat.storage.database import Database
from tests.storage.stories import add_chat

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `llamachat history` on three chats: its code, what it wrote and what it remarked; days are left out."""
    with Database.open(tmp_path / "llamachat.db") as db:
        for title in ("Bees", "Örtchen", "Zoo"):
            chat, _ = add_chat(db, f"Tell of {title}.", title=title)
        set_archived(db, chat.id, archived=True)
    places = ["--config", str(tmp_path / "config.toml"), "--data-dir", str(tmp_path)]

    def run(*words: str) -> tuple[int, str, str]:
        code = main([*places, "history", *words])
        said = capsys.readouterr()
        return code, re.sub(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?", "DAY", said.out), said.err

    return run


def test_a_tag_is_given_listed_and_taken(run: Run) -> None:
    assert run("tags") == (0, "", "There are no tags yet; `llamachat history tag TAG ID` gives one to a chat.\n")
    assert run("tag", "Work", "1", "2") == (0, "", "Chats with the tag now: 2\n")
    assert run("tag", "two words", "1")[0] == 0
    assert run("tags")[1] == "     1  two words\n     2  Work\n"
    assert run("list", "--tag", "WORK")[1] == "     2  DAY  Örtchen  [Work]\n     1  DAY  Bees  [two words, Work]\n"
    assert run("search", "tag:two")[1].startswith("     1  DAY  Bees\n")
    assert run("tag", "work", "1", "--remove") == (0, "", "Chats with the tag now: 1\n")
    assert run("list", "--tag", "Work")[1] == "     2  DAY  Örtchen  [Work]\n"
    nothing = "No chat of this list has the tag; `llamachat history tags` shows all tags.\n"
    assert run("list", "--tag", "Wrok") == (0, "", nothing)


def test_a_tag_is_renamed_joined_deleted_and_brought_back(run: Run) -> None:
    run("tag", "wrok", "1")
    run("tag", "work", "2")
    assert run("tag", "wrok", "--rename", "Werk") == (0, "", "")
    assert run("tag", "Werk", "--rename", "work") == (0, "", "“Werk” is joined with “work”.\n")
    assert run("tags")[1] == "     2  work\n"
    assert run("tag", "work", "--delete") == (0, "", "Deleted: work\n")
    assert run("tags")[1] == ""
    assert run("undelete")[0] == 0
    assert run("tags")[1] == "     2  work\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("tag", "x"), "no chat is named"),
        (("tag", "x", "99"), "There is no chat 99."),
        (("tag", "#", "1"), "A tag needs a name."),
        (("tag", "x", "--delete"), "There is no such tag any more."),
        (("tag", "x", "1", "--rename", "y"), "Leave the numbers of chats out."),
    ],
)
def test_what_cannot_be_is_told(run: Run, words: tuple[str, ...], told: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert told in err


def test_the_list_is_sorted_as_asked(run: Run) -> None:
    assert run("list")[1] == "     2  DAY  Örtchen\n     1  DAY  Bees\n"
    assert run("list", "--sort", "title")[1] == "     1  DAY  Bees\n     2  DAY  Örtchen\n"


def test_a_search_tells_what_is_archived_and_what_it_took_for_words(run: Run) -> None:
    code, out, err = run("search", "zoo")
    assert (code, out.splitlines()[0], err) == (0, "     3  DAY  Zoo  (archived)", "")
    assert run("search", "zoo", "role:usr")[2].startswith("“role:usr” is searched as words. Behind role:")

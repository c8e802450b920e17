"""Chats to files: whole ones, under names that nothing is lost by, and a sentence where it does not work."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.chat_files import (
    Form,
    TextFormat,
    all_chats,
    file_name,
    these_chats,
    unused,
    write_chat,
    write_chats,
    write_folder,
)
from llamachat.core.conversation import Conversation
from llamachat.core.errors import Cancelled, UserFacingError
from llamachat.storage.conversations import set_archived, set_draft
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.queued import enqueue, list_queued
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat

JSON = Form(TextFormat.JSON)


@pytest.fixture
def db() -> Iterator[Database]:
    """Three chats: the second is put away."""
    with Database.in_memory(clock=StillClock()) as db:
        for title in ("Bees", "Wasps", "Ants"):
            add_chat(db, f"{title}?", "An insect.", title=title)
        set_archived(db, 2, archived=True)
        yield db


def test_all_chats_and_those_that_are_asked_for(db: Database) -> None:
    assert [chat.title for chat in all_chats(db)] == ["Ants", "Bees", "Wasps"]
    delete_chats(db, [3])
    assert [chat.title for chat in these_chats(db, [2, 3, 1, 2, 99])] == ["Wasps", "Bees"]


def test_several_chats_in_one_file_tell_how_far_they_are(db: Database, tmp_path: Path) -> None:
    steps = list[int]()
    assert write_chats(db, all_chats(db), tmp_path / "all.json", JSON, step=steps.append) == 3
    assert steps == [1, 2, 3]
    assert [chat["conversation"]["title"] for chat in json.loads((tmp_path / "all.json").read_text())] == [
        *("Ants", "Bees", "Wasps"),
    ]


def test_who_stops_leaves_no_half_of_a_file(db: Database, tmp_path: Path) -> None:
    def stop(done: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        write_chats(db, all_chats(db), tmp_path / "all.json", JSON, step=stop)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Cancelled):
        write_folder(db, all_chats(db), tmp_path, JSON, step=stop)
    assert [json.loads(path.read_text())["conversation"]["title"] for path in tmp_path.iterdir()] == ["Ants"]


def test_a_second_time_replaces_the_files_or_keeps_them(db: Database, tmp_path: Path) -> None:
    for _ in range(2):
        write_folder(db, all_chats(db), tmp_path, Form())
    first = sorted(path.name for path in tmp_path.iterdir())
    assert [name[10:] for name in first] == [" Ants 3.md", " Bees 1.md", " Wasps 2.md"]
    (tmp_path / first[0]).write_text("mine", encoding="utf-8")
    write_folder(db, all_chats(db), tmp_path, Form(), keep=True)
    assert (tmp_path / first[0]).read_text(encoding="utf-8") == "mine"
    assert len(list(tmp_path.glob("* (2).md"))) == 3
    assert unused(tmp_path / first[0]).name == first[0].replace(".md", " (3).md")


@pytest.mark.parametrize("title", ["../../etc/passwd", ".", "", "a\0b", "CON", "x" * 500, "蜂" * 500, "\u202e\n"])
def test_no_title_leads_elsewhere(title: str) -> None:
    name = file_name(Conversation(7, "c", title, 1_800_000_000.0, 0.0), ".md")
    assert (Path(name).name, len(name.encode()) <= 200) == (name, True)
    assert name.endswith("7.md")


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("Why do bees dance?", "Why do bees dance"),
        ("a" * 40 + " honey bees", "a" * 40 + " honey"),
        ("a" * 40 + " bumblebee", "a" * 40 + " bumblebee"),
        ("a" * 40 + " bumblebees", "a" * 40),
        ("a" * 60, "a" * 50),
        ("a" * 60 + " bees", "a" * 50),
    ],
)
def test_a_long_title_ends_with_a_whole_word(title: str, named: str) -> None:
    name = file_name(Conversation(7, "c", title, 1_800_000_000.0, 0.0), ".md")
    assert name.removesuffix(" 7.md")[11:] == named


def test_a_place_that_cannot_be_written_to_is_named_with_a_way_out(db: Database, tmp_path: Path) -> None:
    (chat, *_) = all_chats(db)
    (tmp_path / "file").touch()
    for path in (tmp_path / "none" / "x.md", tmp_path / "file" / "x.md", Path("/proc/x.md")):
        with pytest.raises(UserFacingError) as refused:
            write_chat(db, chat, path, Form())
        assert str(path) in refused.value.sentence
        assert refused.value.next_step
    with pytest.raises(UserFacingError):
        write_folder(db, [chat], tmp_path / "file", Form())


def test_a_full_disk_is_said_and_leaves_what_was_there(db: Database, tmp_path: Path) -> None:
    """As on a full disk: the system lets no file grow beyond a size."""
    path = tmp_path / "all.json"
    path.write_text("before", encoding="utf-8")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(UserFacingError) as refused:
            write_chats(db, all_chats(db), path, JSON)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "Make some room" in refused.value.next_step
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("all.json", "before")]


def test_what_waits_to_be_asked_goes_along_above_what_is_typed(db: Database, tmp_path: Path) -> None:
    for text in ("And their queen?", "And their honey?"):
        enqueue(db, 1, text)
    set_draft(db, 1, "And")
    write_chats(db, these_chats(db, [1]), tmp_path / "bees.json", JSON)
    (chat,) = json.loads((tmp_path / "bees.json").read_text())
    assert chat["conversation"]["draft"] == "And their queen?\n\nAnd their honey?\n\nAnd"
    assert [queued.text for queued in list_queued(db, 1)] == ["And their queen?", "And their honey?"]

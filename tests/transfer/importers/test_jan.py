"""Chats of Jan: the JSON of its menu, and its data folder."""

from __future__ import annotations

import zipfile
from pathlib import Path

from llamachat.core.messages import Status
from tests.transfer.importers.reading import IMPORTS, outline, read_all, times

THREADS = IMPORTS / "jan_threads"
MOSS = [(None, "user", "Where does moss grow?"), (1, "assistant", "In damp places."), (1, "assistant", "On the nor")]


def test_the_json_of_the_menu() -> None:
    (chat,) = read_all(IMPORTS / "jan.json")
    assert outline(chat) == [(None, "user", "Do ferns flower?"), (1, "assistant", "No.")]
    assert (chat.conversation.title, chat.conversation.head_id) == ("Ferns", 2)
    assert (chat.messages[1].reasoning, chat.messages[1].model) == ("Spores.", "jan-nano")
    assert times(chat.messages) == [1_720_000_000.0, 1_720_000_001.0]


def test_a_thread_of_the_data_folder() -> None:
    (chat,) = read_all(THREADS)
    known = chat.conversation
    assert (known.title, known.prompt) == ("Moss", "Be green.")
    assert (known.created_at, known.updated_at) == (1_721_000_000.0, 1_721_000_009.5)
    assert known.head_id == 2, "the version that was chosen, though another one is newer"
    assert outline(chat) == MOSS
    answer, stopped = chat.messages[1:]
    (search,) = answer.searches
    assert (answer.reasoning, search.query) == ("North?", "moss north")
    assert [(result.title, result.url) for result in search.results] == [("Moss", "https://moss.example/")]
    assert stopped.status is Status.STOPPED


def test_the_messages_alone_and_an_archive_of_the_folder(tmp_path: Path) -> None:
    messages = THREADS / "01JXQ7" / "messages.jsonl"
    alone = tmp_path / "messages.jsonl"
    alone.write_bytes(messages.read_bytes())
    (chat,) = read_all(alone)
    assert (chat.conversation.title, outline(chat)) == ("Where does moss grow?", MOSS)
    path = tmp_path / "threads.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in (messages, messages.with_name("thread.json")):
            archive.write(file, f"threads/01JXQ7/{file.name}")
    assert read_all(path) == read_all(THREADS) == read_all(messages)
    assert chat.conversation.uid == read_all(path)[0].conversation.uid

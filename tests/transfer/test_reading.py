"""What reading tells besides the chats: of which program they are, how far it is, and what does not come along."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from llamachat.core.errors import Cancelled, TransferError
from llamachat.transfer.chat_reader import accepted_kinds, read_chats
from llamachat.transfer.reading import Reading, left_out
from tests.transfer.importers.reading import IMPORTS


def looked_through(path: Path) -> Reading:
    """The reading of a whole file."""
    reading = Reading()
    for _ in read_chats(path, reading):
        pass
    return reading


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("conversations.json", "ChatGPT"),
        ("jan.json", "Jan"),
        ("jan_threads", "Jan"),
        ("llama_cpp.json", "llama.cpp"),
        ("llama_cpp.jsonl", "llama.cpp"),
        ("open_webui.json", "Open WebUI"),
    ],
)
def test_the_program_is_named_and_all_bytes_are_counted(name: str, program: str) -> None:
    reading = looked_through(IMPORTS / name)
    assert reading.formats == [program]
    assert reading.read_bytes >= reading.total_bytes > 300


def test_what_does_not_come_along_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(IMPORTS / "conversations.json", "conversations.json")
        for name in ("user.json", "chat.html", "file-1.png", "ratings.json"):
            archive.writestr(name, "x")
    reading = looked_through(path)
    assert (reading.attachments, reading.hidden_steps, reading.empty_chats) == (1, 2, 1)
    assert (reading.other_files, len(reading.passed_over)) == (4, 4)
    assert [sentence.split(" ", 2)[:2] for sentence in left_out(reading)] == [
        *(["Of", "1"], ["2", "steps"], ["1", "chat"], ["4", "files"]),
    ]
    assert next(reversed(list(left_out(reading)))).endswith(": chat.html, file-1.png, ratings.json and others.")


def test_of_a_whole_file_nothing_is_left_out() -> None:
    assert list(left_out(looked_through(IMPORTS / "jan.json"))) == []


def test_who_watches_may_stop_it(tmp_path: Path) -> None:
    def stop(reading: Reading) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        list(read_chats(IMPORTS / "jan.json", Reading(watch=stop)))


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\0\xff", b"Dear diary", b"[Dear diary]", b"", b'{"a": 1}', "é".encode("latin-1")]
)
def test_a_refusal_of_what_is_no_chat_names_the_kinds_that_are_accepted(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(TransferError) as refused:
        list(read_chats(tmp_path / "file"))
    assert accepted_kinds() in refused.value.next_step


def test_a_file_of_chats_in_which_nothing_was_said_is_refused_for_that(tmp_path: Path) -> None:
    (tmp_path / "file").write_text('[{"title": "T", "mapping": {}}]', encoding="utf-8")
    with pytest.raises(TransferError, match="nothing was said in the chats in it"):
        list(read_chats(tmp_path / "file"))

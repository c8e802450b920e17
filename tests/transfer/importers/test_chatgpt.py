"""Chats of ChatGPT's data export."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from llamachat.core.messages import JsonValue, Status
from tests.transfer.importers.reading import IMPORTS, outline, read_all, times, written

FILE = IMPORTS / "conversations.json"


def a_chat(kind: str, role: str, recipient: str, **content: JsonValue) -> JsonValue:
    """A chat with one message that is not of the usual kind."""
    said: JsonValue = {
        "author": {"role": role},
        "content": {"content_type": kind, **content},
        "recipient": recipient,
        "metadata": {},
    }
    mapping: JsonValue = {"a": {"id": "a", "parent": None, "message": said}}
    return [{"id": "c", "title": "T", "mapping": mapping, "current_node": "a"}]


def test_steps_of_an_answer_become_one_and_versions_stay() -> None:
    (chat,) = read_all(FILE)  # that without a message is no chat
    known = chat.conversation
    assert (known.title, known.prompt, known.head_id) == ("Honey", "I keep bees.\n\nBe short.", 3)
    assert (known.created_at, known.updated_at) == (1_710_000_000.25, 1_710_000_050.5)
    assert outline(chat) == [
        (None, "user", "[Attached: image]\n\nWhat is in this jar?"),
        (1, "assistant", "Honey [1][2], I think."),
        (2, "user", "Thanks"),
        (1, "assistant", "A jar[1] of"),
    ]
    assert times(chat.messages) == [1_710_000_001.5, 1_710_000_002.0, 1_710_000_050.5, 1_710_000_020.0]


def test_thoughts_sources_and_endings_of_answers() -> None:
    (chat,) = read_all(FILE)
    _, answer, _, other = chat.messages
    assert (answer.reasoning, answer.model) == ("Looking\n\nA jar.\n\nHoney?", "o3")
    assert (answer.status, answer.finish_reason) == (Status.COMPLETE, "stop")
    (search,) = answer.searches
    assert search.query == "honey jar"
    assert [(result.title, result.url, result.content) for result in search.results] == [
        ("Jars", "https://jars.example/", "Of jars"),
        ("Honey", "https://honey.example/", ""),
        ("Wax", "https://wax.example/", "Of wax"),
    ]
    assert (other.status, other.model, other.searches[0].query) == (Status.STOPPED, "gpt-4o", "…")


def test_of_the_archive_only_the_conversations_are_read(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(FILE, "conversations.json")
        archive.write(IMPORTS / "jan.json", "file-abc-jan.json")  # what was attached somewhere
        archive.writestr("user.json", "{half")
        archive.writestr("chat.html", "<html>")
    assert read_all(path) == read_all(FILE)


def test_a_large_export_is_cut_into_numbered_files(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(FILE, "conversations-000.json")
        archive.writestr("conversations-001.json", "[]")
    assert read_all(path) == read_all(FILE)


def test_an_object_around_the_array_is_read_as_well(tmp_path: Path) -> None:
    inner = a_chat("text", "user", "all", parts=["Hi"])
    assert len(read_all(written(tmp_path, {"conversations": inner}))) == 1


@pytest.mark.parametrize(
    ("kind", "role", "recipient", "content", "shown"),
    [
        ("text", "user", "all", {"parts": ["A", {"content_type": "audio_transcription", "text": "B"}]}, "A\n\nB"),
        ("code", "assistant", "python", {"text": "print(1)"}, "```python\nprint(1)\n```"),
        ("execution_output", "tool", "all", {"text": "1"}, "```\n1\n```"),
        ("code", "assistant", "all", {"text": "x"}, "```\nx\n```"),
    ],
)
def test_kinds_of_content(
    tmp_path: Path, kind: str, role: str, recipient: str, content: dict[str, JsonValue], shown: str
) -> None:
    (chat,) = read_all(written(tmp_path, a_chat(kind, role, recipient, **content)))
    assert chat.messages[0].content == shown


def test_marks_that_point_nowhere_are_left_out(tmp_path: Path) -> None:
    text = "A\ue200cite\ue202turn0\ue201 B【3†source】 C【四】"
    (chat,) = read_all(written(tmp_path, a_chat("text", "assistant", "all", parts=[text])))
    assert chat.messages[0].content == "A B C【四】"

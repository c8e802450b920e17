"""Files that are broken or meant to harm are refused in a sentence that names them, and read no further."""

from __future__ import annotations

import json
import os
import struct
import zipfile
from pathlib import Path

import pytest

from llamachat.core.errors import TransferError
from llamachat.core.messages import JsonValue
from llamachat.transfer.chat_reader import read_chats
from llamachat.transfer.json_export import conversation_json
from tests.transfer.chats import ANSWER, CONVERSATION, QUESTION
from tests.transfer.importers.reading import IMPORTS, written

OURS = json.loads(conversation_json(CONVERSATION, [QUESTION, ANSWER]))


def refusal(path: Path, inside: str = "") -> str:
    """What is said of the file, or of one inside."""
    with pytest.raises(TransferError) as refused:
        list(read_chats(path))
    name, said, reason = refused.value.sentence.partition(" cannot be imported: ")
    assert (name.removesuffix(inside), said != "") == (str(path), True)
    assert "Nothing was changed." in refused.value.next_step
    return reason


def changed(**changes: JsonValue) -> JsonValue:
    """Our own JSON with fields of the answer, the conversation (`c_`) or the whole (`w_`) changed."""
    whole = json.loads(json.dumps(OURS))
    for name, value in changes.items():
        place = {"c_": whole["conversation"], "w_": whole}.get(name[:2], whole["messages"][1])
        place[name[2:] if name[:2] in ("c_", "w_") else name] = value
    return whole  # type: ignore[no-any-return]  # what json.loads gave


@pytest.mark.parametrize(
    "changes",
    [
        *({"uid": "b"}, {"uid": 1}, {"uid": "B" * 32}, {"parent": "e" * 32}, {"parent": ANSWER.uid}, {"parent": 1}),
        *({"role": "system"}, {"content": None}, {"content": ["x"]}, {"created_at": "now"}, {"created_at": 1e18}),
        *({"status": "odd"}, {"searches": {}}, {"searches": [1]}, {"wire": "x"}, {"wire": [1]}, {"usage": []}),
        *({"searches": [{"query": "q", "at": 1e300}]}, {"searches": [{"query": "q", "at": "now"}]}),
        *({"wire": [{"role": "user", "content": json.loads("[" * 400 + "]" * 400)}]},),
        *({"wire": [{"role": "system", "content": "x"}]}, {"usage": {"prompt_n": "1"}}, {"created_at": True}),
        *({"c_uid": None}, {"c_head": "e" * 32}, {"c_search_mode": "on"}, {"c_created_at": -1}, {"c_pinned": 1}),
        *({"c_tags": "work"}, {"c_tags": [1]}, {"c_tags": ["#"]}, {"c_tags": None}),
        *({"w_messages": {}}, {"w_conversation": []}, {"w_version": "1"}, {"w_version": 0}, {"w_version": True}),
    ],
)
def test_our_own_json_is_refused_where_it_was_changed(tmp_path: Path, changes: dict[str, JsonValue]) -> None:
    assert " is not what it should be" in refusal(written(tmp_path, changed(**changes)))


def test_a_message_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    assert "twice" in refusal(written(tmp_path, changed(uid=QUESTION.uid)))


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    assert "newer version" in refusal(written(tmp_path, changed(w_version=2)))


@pytest.mark.parametrize(
    "name", ["conversations.json", "open_webui.json", "llama_cpp.json", "llama_cpp.jsonl", "jan.json"]
)
def test_half_a_file_is_refused(tmp_path: Path, name: str) -> None:
    data = (IMPORTS / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(data[: len(data) * 2 // 3])
    assert "cut off" in refusal(path)


WRONG: list[JsonValue] = [
    {"mapping": []},
    {"mapping": {"a": 1}},
    {"mapping": {"a": {"message": {"content": {"content_type": "text", "parts": "x"}}}}},
    {"mapping": {"a": {"message": {"author": {"role": 1}}}}},
    {"mapping": {"a": {"parent": {}}}},
    {"mapping": {}, "title": 1},
    {"mapping": {}, "create_time": "today"},
    {"history": {"messages": {"a": []}}},
    {"history": {"messages": {"a": {"role": "user", "content": {}}}}},
    {"chat": {"history": {"messages": {}}}, "created_at": "x"},
    {"conv": 1, "messages": []},
    {"conv": {}, "messages": {}},
    {"conv": {}, "messages": [{"role": "user"}]},
    {"conv": {}, "messages": [{"id": "a", "role": "assistant", "toolCalls": "["}]},
    {"title": "T", "exported_at": "", "messages": [{"id": "a", "role": "user", "content": "text"}]},
    {"object": "thread.message", "role": "user", "content": []},
]


@pytest.mark.parametrize("value", WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_wrong_kinds_in_other_programs_files_are_refused(tmp_path: Path, value: JsonValue) -> None:
    assert " is not what it should be" in refusal(written(tmp_path, value))


def test_circles_in_other_programs_files_are_refused(tmp_path: Path) -> None:
    nodes: JsonValue = {"a": {"parent": "b"}, "b": {"parent": "a"}}
    assert "circle" in refusal(written(tmp_path, {"mapping": nodes}))


def test_half_of_a_pair_is_replaced(tmp_path: Path) -> None:
    message: JsonValue = {"id": "\ud83d", "role": "user", "content": [{"type": "text", "text": {"value": "\udc1d!"}}]}
    path = written(tmp_path, {"title": "\ud83d", "exported_at": "", "messages": [message]})
    (chat,) = read_chats(path)
    assert (chat.conversation.title, chat.messages[0].content) == ("\ufffd", "\ufffd!")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "does not hold chats in a form that is known"),
        ('{"some": "thing"}', "does not hold chats in a form that is known"),
        ("Dear diary", "does not hold chats."),
    ],
)
def test_something_else_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    assert reason in refusal(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "gone.json") == "there is no such file."
    assert "does not hold chats" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe.json")
    assert refusal(tmp_path / "pipe.json") == "it is no file."


def archive_of(path: Path, members: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_names_in_an_archive_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    chat = (IMPORTS / "jan.json").read_bytes()
    path = archive_of(tmp_path / "home" / "x.zip", {"../../evil.json": chat, "/etc/evil.jsonl": chat})
    assert len(list(read_chats(path))) == 2
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["home", "x.zip"]


@pytest.mark.slow
def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "x.zip", {"a.json": b"[" + b" " * (70 * 2**20) + b"]"})
    assert path.stat().st_size < 2**20
    assert refusal(path, "/a.json") == "it unpacks to more than 64 MB."


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packing_that_cannot_be_bounded_is_refused(tmp_path: Path, method: int) -> None:
    path = archive_of(tmp_path / "x.zip", {"a.json": b"[]"}, method=method)
    assert refusal(path, "/a.json") == "it is packed in a way that is not read here."


def test_a_locked_archive_is_refused(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "x.zip", {"a.json": b"[]"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert refusal(path, "/a.json") == "it is locked with a password."


def test_an_endless_list_of_files_is_refused(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "x.zip", {"a.json": b"[]"})
    data = bytearray(path.read_bytes())
    struct.pack_into("<L", data, data.index(b"PK\x05\x06") + 12, 2**31)
    path.write_bytes(data)
    assert refusal(path) == "it holds too many files."


def long_archive(path: Path, list_bytes: int, *, told: int = 0xFFFFFFFF) -> Path:
    """An archive whose end is written as in one of more than 4 GB, with this length of the list."""
    data = archive_of(path, {"a.json": (IMPORTS / "jan.json").read_bytes()}).read_bytes()
    at = data.index(b"PK\x05\x06")
    length, offset = struct.unpack_from("<2L", data, at + 12)
    long_end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, list_bytes or length, offset)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, told, 0xFFFFFFFF, 0)
    path.write_bytes(data[:at] + long_end + locator + end)
    return path


def test_the_end_of_a_long_archive_is_understood(tmp_path: Path) -> None:
    assert len(list(read_chats(long_archive(tmp_path / "x.zip", 0)))) == 1


@pytest.mark.parametrize("told", [0xFFFFFFFF, 60])
def test_an_endless_list_in_a_long_archive_is_refused(tmp_path: Path, told: int) -> None:
    assert refusal(long_archive(tmp_path / "x.zip", 2**40, told=told)) == "it holds too many files."


@pytest.mark.parametrize("size", [10, 60, 150, -5])
def test_half_an_archive_is_refused(tmp_path: Path, size: int) -> None:
    path = archive_of(tmp_path / "x.zip", {"a.json": (IMPORTS / "jan.json").read_bytes()})
    path.write_bytes(path.read_bytes()[:size])
    assert refusal(path) == "it is no whole ZIP archive."


def test_damaged_bytes_in_an_archive_are_refused(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "x.zip", {"a.json": (IMPORTS / "jan.json").read_bytes()})
    data = bytearray(path.read_bytes())
    data[60:80] = bytes(20)
    path.write_bytes(data)
    assert refusal(path, "/a.json") == "it is no whole ZIP archive."


def test_of_many_files_the_one_that_is_broken_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "good.json").write_bytes((IMPORTS / "jan.json").read_bytes())
    (tmp_path / "b.json").write_text("{")
    assert "cut off" in refusal(tmp_path, "/b.json")

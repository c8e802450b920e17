"""Chats of llama.cpp's web page, in its three forms."""

from __future__ import annotations

import zipfile
from pathlib import Path

from llamachat.chat.history import history_messages
from llamachat.core.messages import JsonValue, Usage
from tests.transfer.importers.reading import IMPORTS, outline, read_all, times, written

QUESTION = "What is a bee?\n\n[Attached: notes.txt]\n\n````\nIt has ``` six legs.\n````\n\n[Attached: bee.png]"


def test_a_session_of_json_lines() -> None:
    (chat,) = read_all(IMPORTS / "llama_cpp.jsonl")  # that without a message is no chat
    known = chat.conversation
    assert (known.title, known.prompt, known.head_id) == ("Bees", "Be short.", 4)
    assert (known.created_at, known.updated_at) == (1_760_000_010.0, 1_760_000_090.0)
    assert outline(chat) == [
        (None, "user", QUESTION),
        (1, "assistant", "Let me look.\n\nAn insect."),
        (1, "assistant", "A fly that makes honey."),
        (3, "user", "No."),
    ]
    assert times(chat.messages) == [1_760_000_010.0, 1_760_000_020.0, 1_760_000_030.0, 1_760_000_040.0]
    assert [message.model for message in chat.messages] == ["", "qwen3", "gemma", ""]


def test_an_answer_with_calls_keeps_what_went_over_the_wire() -> None:
    (chat,) = read_all(IMPORTS / "llama_cpp.jsonl")
    answer = chat.messages[1]
    assert (answer.reasoning, answer.prompt) == ("I should look.", "Be short.")
    assert answer.usage == Usage(cache_n=1, prompt_n=20, prompt_ms=5.5, predicted_n=3, predicted_ms=30.25)
    call = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": '{"word":"bee"}'}}
    assert answer.wire == (
        {"role": "assistant", "content": "Let me look.", "reasoning_content": "I should look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "an insect"},
        {"role": "assistant", "content": "An insect."},
    )
    assert [message.wire for message in chat.messages[2:]] == [(), ()]
    prompt = history_messages(chat.messages[:2], chat.conversation.prompt, keep_reasoning=True)
    assert prompt[0] == {"role": "system", "content": "Be short."}
    assert prompt[1:] == ({"role": "user", "content": QUESTION}, *answer.wire)


def test_the_older_json_is_read_whatever_the_order_of_its_messages() -> None:
    (chat,) = read_all(IMPORTS / "llama_cpp.json")
    assert outline(chat) == [(None, "user", "Why tides?"), (1, "assistant", "The moon.")]
    assert (chat.messages[1].reasoning, chat.conversation.head_id) == ("Moon or sun?", 2)


def test_marks_of_still_older_versions_are_no_text(tmp_path: Path) -> None:
    content = (
        "<<<reasoning_content_start>>>Hm.<<<reasoning_content_end>>>A <<<\n\n<<<AGENTIC_TOOL_CALL_START>>>\n"
        "<<<TOOL_NAME:f>>>\n<<<TOOL_ARGS_START>>>{}<<<TOOL_ARGS_END>>>r<<<AGENTIC_TOOL_CALL_END>>>\n\nB"
    )
    message: JsonValue = {"id": "a", "role": "assistant", "content": content}
    (chat,) = read_all(written(tmp_path, {"conv": {"id": "c", "name": "T"}, "messages": [message]}))
    assert (chat.messages[0].content, chat.messages[0].reasoning) == ("A <<<\n\n\n\nB", "Hm.")


def test_calls_as_text_are_calls(tmp_path: Path) -> None:
    calls = '[{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]'
    message: JsonValue = {"id": "a", "parent": None, "role": "assistant", "content": "Hm", "toolCalls": calls}
    (chat,) = read_all(written(tmp_path, {"conv": {"id": "c", "name": "T"}, "messages": [message]}))
    (sent,) = chat.messages[0].wire
    assert sent["tool_calls"] == [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]


def test_an_archive_holds_one_file_a_chat(tmp_path: Path) -> None:
    path = tmp_path / "2026-10-01_conversations.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(IMPORTS / "llama_cpp.jsonl", "2025-10-09_conv_3f0c1f3e_bees.jsonl")
        archive.write(IMPORTS / "llama_cpp.json", "old.json")
        archive.writestr("notes.txt", "not read")
    assert {chat.conversation.title for chat in read_all(path)} == {"Bees", "Tides"}
    assert read_all(path)[0] == read_all(IMPORTS / "llama_cpp.jsonl")[0]

"""Marks of the templates of real models cannot be faked in text; what only looks like them stays readable."""

from __future__ import annotations

import json

import pytest

from llamachat.chat.role_marks import defused, escaped_in_json

MARKS = [
    "<|im_start|>", "<|eot_id|>", "<start_of_turn>", "<｜User｜>", "<s>", "</s>", "[INST]", "[/INST]", "[TOOL_CALLS]",
    "[AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]", "[gMASK]", "[sMASK]", "[UNUSED_TOKEN_146]", "<tool_call>", "<|turn>",
]  # fmt: skip


@pytest.mark.parametrize("mark", MARKS)
def test_marks(mark: str) -> None:
    text = json.dumps({"content": f"a {mark} b"}, ensure_ascii=False)
    assert mark not in escaped_in_json(text)
    assert json.loads(escaped_in_json(text)) == {"content": f"a {mark} b"}
    assert mark not in defused(f"a {mark} b")


@pytest.mark.parametrize("text", ["[1]", "[x]", "[ ]", "array[i]", "[link](u)", "[2024-01-01]", "[Note]"])
def test_text(text: str) -> None:
    assert escaped_in_json(text) == defused(text) == text

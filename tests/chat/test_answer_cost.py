"""What it costs to read a long answer full of marks: twice the text, about twice the work."""

from __future__ import annotations

import gc
import time

import pytest

from llamachat.chat.answer import AnswerReader
from llamachat.chat.said import Said
from llamachat.core.completion import ContentDelta

SIZES = 150_000, 600_000  # characters
SHAPES = {
    "marks": "<tool_call>",
    "closing marks": "</tool_call>",
    "thinking begins": "<think>",
    "thinking ends": "</think>",
    "thoughts": "<think>\na</think>\n",
    "less-than": "<",
    "backticks": "`",
    "calls": '<tool_call>{"name": "web_search", "arguments": {"query": "a"}}</tool_call>\n',
    "code": '```json\n{"name": "web_search", "arguments": {"query": "a"}}\n```\n',
    "braces": "<tool_call>{",
}


def cpu_s(text: str) -> float:
    """The processor's time for one answer that comes in one piece."""
    began = time.process_time()
    for _ in AnswerReader(Said(), ["web_search"]).events([ContentDelta(text)]):
        pass
    return time.process_time() - began


@pytest.mark.slow
@pytest.mark.parametrize("unit", SHAPES.values(), ids=SHAPES)
def test_four_times_the_text_costs_no_more_than_six_times_the_work(unit: str) -> None:
    small, large = (unit * (size // len(unit)) for size in SIZES)
    gc.collect()
    assert min(cpu_s(large) for _ in range(2)) < 6 * max(cpu_s(small) for _ in range(3)) + 0.05


@pytest.mark.slow
def test_marks_of_code_blocks_cost_no_more_than_marks_of_calls() -> None:
    code, calls = "```\n" * 9_000, "<tool_call>\n" * 3_000
    gc.collect()
    assert min(cpu_s(code) for _ in range(3)) < 2 * max(cpu_s(calls) for _ in range(3))

"""The toolbox: which call goes where, and what arguments count as readable."""

from __future__ import annotations

import json

import pytest

from llamachat.chat.tools import Toolbox, is_readable, read_arguments, wire_call
from llamachat.core.cancel import CancelToken
from llamachat.core.messages import ToolCall, WireMessage
from tests.chat.running import search_box


def answer(box: Toolbox, call: ToolCall) -> WireMessage:
    """The tool message for a call."""
    return answers(box, call)[0]


def answers(box: Toolbox, *calls: ToolCall) -> list[WireMessage]:
    """The tool messages for the calls of one answer."""
    run = box.run(calls, CancelToken())
    while True:
        try:
            next(run)
        except StopIteration as end:
            messages: list[WireMessage] = end.value
            return messages


def test_a_call_is_answered_under_its_id() -> None:
    message = answer(search_box(), ToolCall("x1", "web_search", '{"query": "tide"}'))
    assert (message["role"], message["tool_call_id"]) == ("tool", "x1")
    assert "About tide." in str(message["content"])


def test_a_tool_that_is_not_there_is_a_result() -> None:
    message = answer(search_box(), ToolCall("x1", "get_weather", "{}"))
    assert "web_search" in json.loads(str(message["content"]))["error"]


def test_calls_of_one_answer_are_answered_in_their_order() -> None:
    query = '{"query": "tide"}'
    calls = [ToolCall(f"x{n}", name, query) for n, name in enumerate(["web_search", "other", "web_search"])]
    messages = answers(search_box(), *calls)
    assert [message["tool_call_id"] for message in messages] == ["x0", "x1", "x2"]
    assert ["no tool of this name" in str(message["content"]) for message in messages] == [False, True, False]


def test_an_empty_box_offers_nothing() -> None:
    assert (Toolbox().names, Toolbox().schemas) == ((), ())
    assert search_box().names == ("web_search",)


@pytest.mark.parametrize(("text", "value"), [("", {}), (" ", {}), ("null", {}), ("[1]", [1]), ('{"a": 1}', {"a": 1})])
def test_arguments_are_json_and_nothing_is_none_at_all(text: str, value: object) -> None:
    assert read_arguments(text) == value
    assert is_readable(ToolCall("x", "t", text))


@pytest.mark.parametrize("text", ['{"query": "ti', "tide", "{'query': 1}", "[" * 100_000, "1" * 5_000])
def test_what_is_no_json_is_unreadable(text: str) -> None:
    assert not is_readable(ToolCall("x", "t", text))


@pytest.mark.parametrize(
    ("text", "sent"),
    [("", "{}"), ("null", "{}"), ('["tide"]', "{}"), ('"a"', "{}"), ('{"query":  "a"}', '{"query":  "a"}')],
)
def test_a_call_goes_back_with_an_object_and_otherwise_as_it_came(text: str, sent: str) -> None:
    assert wire_call(ToolCall("x", "t", text)) == {
        "id": "x",
        "type": "function",
        "function": {"name": "t", "arguments": sent},
    }

"""Histories made fit to be sent; sound ones pass unchanged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.core.messages import JsonObject, JsonValue, WireMessage
from llamachat.llm.mend import CUT_OFF_RESULT, NO_RESULT, mended_messages, sound_arguments
from tests.llm.cases import Run, runs


def mended(*messages: WireMessage) -> list[JsonObject]:
    """The messages as they are sent."""
    return cast("list[JsonObject]", mended_messages(messages))


def calling(*calls: JsonValue) -> JsonObject:
    """An assistant's message with calls."""
    return {"role": "assistant", "content": "", "tool_calls": list(calls)}


def call(call_id: str, arguments: JsonValue = '{"query": "q"}') -> JsonObject:
    """A call of web_search."""
    return {"id": call_id, "type": "function", "function": {"name": "web_search", "arguments": arguments}}


def result(call_id: str, content: str = "{}") -> JsonObject:
    """The result of a call."""
    return {"role": "tool", "content": content, "tool_call_id": call_id}


@pytest.mark.parametrize("run", runs("history"))
def test_case(run: Run) -> None:
    given_messages = cast("list[JsonObject]", run.input)
    sent = mended_messages(given_messages)
    assert sent == run.expect
    assert mended_messages(cast("Sequence[WireMessage]", sent)) == sent


@pytest.mark.parametrize("run", runs("arguments"))
def test_arguments_of_a_case(run: Run) -> None:
    [message, _] = mended(calling(call("a", run.input)), result("a"))
    assert message["tool_calls"] == [call("a", run.expected["sent"])]


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"query": "tide"}', '{"query": "tide"}'),
        (' {"query":"tide"} ', ' {"query":"tide"} '),
        ({"query": "ä"}, '{"query": "ä"}'),
        (None, "{}"),
        ("  ", "{}"),
        ('{"query": ', None),
        ('{"query": NaN}', None),
        ('{"query": "a\nb"}', None),
        ("{" * 5000, None),
        ("[]", None),
        (7, None),
        ('{"query": "\\ud83d"}', '{"query": "\ufffd"}'),
        ('{"query": "\\ud83d\\ude00"}', '{"query": "\U0001f600"}'),
    ],
)
def test_sound_arguments(arguments: JsonValue, sent: str | None) -> None:
    assert sound_arguments(arguments) == sent


def test_a_result_for_every_call_in_the_order_of_the_calls() -> None:
    broken = call("b", '{"query": "long que')
    sent = mended(calling(call("a"), broken, call("c")), result("c", "C"), {"role": "user", "content": "x"})
    assert sent[1:] == [
        result("a", NO_RESULT),
        result("b", CUT_OFF_RESULT),
        result("c", "C"),
        {"role": "user", "content": "x"},
    ]
    assert sent[0]["tool_calls"] == [call("a"), call("b", "{}"), call("c")]


def test_calls_without_ids_get_the_same_ones_every_time() -> None:
    history: list[JsonObject] = [
        calling(call(""), call("")),
        {"role": "tool", "content": "A"},
        {"role": "tool", "content": None},
    ]
    sent = mended(*history)
    ids = [cast("JsonObject", item)["id"] for item in cast("list[JsonValue]", sent[0]["tool_calls"])]
    assert len(set(ids)) == 2
    assert [(message["tool_call_id"], message["content"]) for message in sent[1:]] == list(
        zip(ids, ("A", ""), strict=True)
    )
    assert mended(*history) == sent


def test_results_of_no_call_are_left_out() -> None:
    user: JsonObject = {"role": "user", "content": "x"}
    assert mended(result("a"), user, result("b"), calling(call("c")), result("c"), result("d")) == [
        user,
        calling(call("c")),
        result("c"),
    ]


def test_keys_have_one_order() -> None:
    message: JsonObject = {"zeta": 1, "tool_calls": [], "content": "x", "alpha": 2, "role": "assistant"}
    assert json.dumps(mended(message)) == '[{"role": "assistant", "content": "x", "alpha": 2, "zeta": 1}]'


def test_parts_of_a_content_stay() -> None:
    parts: JsonObject = {"role": "user", "content": [{"type": "text", "text": "a\ud83d"}]}
    assert mended(parts) == [{"role": "user", "content": [{"type": "text", "text": "a\ufffd"}]}]


def test_tags_that_a_user_writes_stay() -> None:
    user: JsonObject = {"role": "user", "content": "<think>x</think> <|channel|>"}
    assert mended(user) == [user]


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        ("<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>Yes.<|return|>", "Yes."),
        ("<|channel|>final <|constrain|>json<|message|>{}", "final json{}"),
        ("<|channel|>final<|message|>One.<|channel|>final<|message|>Two.", "Two."),
        ("<|channel|>final<|message|>" + "word " * 100_000, "word " * 100_000),
        ("<|channel|>final" * 30_000, "final" * 30_000),
    ],
    ids=["both", "unknown", "twice", "long", "marks"],
)
def test_marks_of_channels_are_taken_out_in_one_pass(content: str, sent: str) -> None:
    assert mended({"role": "assistant", "content": content})[0]["content"] == sent


TEXT = st.text(st.characters(codec=None), max_size=8)  # lone surrogates too
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT, lambda inner: st.lists(inner, max_size=2), max_leaves=3
)
CALLS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "id": ANY,
            "function": ANY | st.fixed_dictionaries({}, optional={"name": ANY, "arguments": ANY}),
        },
    )
    | ANY,
    max_size=3,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system"])},
        optional={"content": ANY, "tool_calls": CALLS | ANY, "tool_call_id": ANY, "reasoning_content": TEXT},
    ),
    max_size=6,
)


@given(MESSAGES)
def test_whatever_was_stored_can_be_sent(history: list[JsonObject]) -> None:
    sent = mended(*history)
    json.dumps(sent, ensure_ascii=False).encode()
    open_calls: list[JsonValue] = []
    for message in sent:
        assert isinstance(message["content"], str | list)
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_calls.pop(0)
            continue
        assert open_calls == []
        for item in cast("list[JsonObject]", message.get("tool_calls", [])):
            open_calls.append(item["id"])
            arguments = cast("JsonObject", item["function"])["arguments"]
            assert isinstance(json.loads(cast("str", arguments)), dict)
    assert open_calls == []
    assert mended(*sent) == sent

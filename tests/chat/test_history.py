"""Stored rows to messages: the same bytes each time, growing only, and whole whatever happened to a turn."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from llamachat.chat.history import StoredAnswer, history_messages, shown_text, take_apart
from llamachat.chat.prompt import UNANSWERED
from llamachat.core.completion import CompletionRequest
from llamachat.core.errors import ServerCause
from llamachat.core.messages import Role, Status, StoredMessage, WireMessage
from llamachat.llm.request import request_body
from tests.chat.running import roles

CALL: WireMessage = {
    "role": "assistant",
    "content": "Let me look.",
    "reasoning_content": "R1",
    "tool_calls": [
        {"id": "t1", "type": "function", "function": {"name": "web_search", "arguments": '{"query": "a"}'}}
    ],
}
RESULT: WireMessage = {"role": "tool", "tool_call_id": "t1", "content": "{}"}
ANSWER: WireMessage = {"role": "assistant", "content": "Noon.", "reasoning_content": "R2"}


def row(number: int, role: Role, content: str, **fields: object) -> StoredMessage:
    """A row below the one before it."""
    parent = number - 1 or None
    message = StoredMessage(number, f"u{number}", 1, parent, role, content)
    return replace(message, **fields)  # type: ignore[arg-type]  # fields of a StoredMessage


def asked(number: int, content: str) -> StoredMessage:
    return row(number, Role.USER, content)


def answered(number: int, content: str, **fields: object) -> StoredMessage:
    return row(number, Role.ASSISTANT, content, **fields)


def test_rows_become_messages_below_the_system_prompt() -> None:
    assert history_messages([asked(1, "Hi"), answered(2, "Hello."), asked(3, "And?")], "Be brief.") == (
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "And?"},
    )


def test_what_went_over_the_wire_is_repeated() -> None:
    stored = [asked(1, "When?"), answered(2, "Let me look.\n\nNoon.", wire=(CALL, RESULT, ANSWER))]
    question: WireMessage = {"role": "user", "content": "When?"}
    assert history_messages(stored, "", keep_reasoning=True) == (question, CALL, RESULT, ANSWER)


def test_a_users_row_may_have_its_own_wire() -> None:
    wire: WireMessage = {"role": "user", "content": "When?\n<web_search_results>"}
    assert history_messages([row(1, Role.USER, "When?", wire=(wire,))], "") == (wire,)


def test_old_thinking_is_kept_or_dropped_in_all_messages_alike() -> None:
    stored = [asked(1, "When?"), answered(2, "Noon.", wire=(CALL, RESULT, ANSWER)), asked(3, "Sure?")]
    kept = history_messages(stored, "", keep_reasoning=True)
    dropped = history_messages(stored, "", keep_reasoning=False)
    assert [m.get("reasoning_content") for m in kept] == [None, "R1", None, "R2", None]
    assert [m.get("reasoning_content") for m in dropped] == [None] * 5
    assert [m["content"] for m in dropped] == [m["content"] for m in kept]


@pytest.mark.parametrize("status", [Status.STOPPED, Status.INTERRUPTED, Status.STREAMING])
def test_a_partial_answer_is_kept_as_what_was_said(status: Status) -> None:
    partial = answered(
        2, "Let me look.\n\nAt no", reasoning="R1\n\nR2", wire=(CALL, RESULT), status=status, finish_reason="stopped"
    )
    messages = history_messages([asked(1, "When?"), partial, asked(3, "Go on.")], "", keep_reasoning=True)
    assert messages[-2] == {"role": "assistant", "content": "At no", "reasoning_content": "R2"}
    assert roles(messages) == ["user", "assistant", "tool", "assistant", "user"]


@pytest.mark.parametrize("wire", [(), (CALL, RESULT)], ids=["nothing", "results"])
def test_a_missing_answer_has_a_fixed_text_in_its_place(wire: tuple[WireMessage, ...]) -> None:
    shown = shown_text(wire, "content")
    failed = answered(2, shown, wire=wire, status=Status.FAILED, error="Away.")
    messages = history_messages([asked(1, "When?"), failed, asked(3, "Again?")], "")
    assert messages[-2] == {"role": "assistant", "content": UNANSWERED}
    assert messages[-1]["role"] == "user"


def test_questions_in_a_row_are_told_apart() -> None:
    messages = history_messages([asked(1, "a"), asked(2, "b")], "")
    assert [message["content"] for message in messages] == ["a", UNANSWERED, "b"]


def test_a_question_that_did_not_fit_the_context_is_left_out() -> None:
    too_long = [asked(3, "x" * 100), answered(4, "", status=Status.FAILED, finish_reason=ServerCause.CONTEXT_FULL)]
    stored = [asked(1, "a"), answered(2, "b"), *too_long, asked(5, "c")]
    assert [message["content"] for message in history_messages(stored, "")] == ["a", "b", "c"]


def test_results_that_did_not_fit_the_context_stay_with_their_question() -> None:
    full = answered(2, "", wire=(CALL, RESULT), status=Status.INTERRUPTED, finish_reason=ServerCause.CONTEXT_FULL)
    assert roles(history_messages([asked(1, "a"), full], "")) == ["user", "assistant", "tool", "assistant"]


def test_each_turn_begins_with_the_messages_of_the_one_before() -> None:
    stored = [
        asked(1, "a"),
        answered(2, "b", wire=({"role": "assistant", "content": "b"},)),
        asked(3, "c"),
        answered(4, "", status=Status.FAILED),
        asked(5, "d"),
        answered(6, "Let me look.\n\nNoon.", reasoning="R1\n\nR2", wire=(CALL, RESULT, ANSWER)),
        asked(7, "e"),
        answered(8, "half", status=Status.STOPPED),
        asked(9, "f"),
    ]
    turns = [history_messages(stored[:end], "Be brief.") for end in (1, 3, 5, 7, 9)]
    for earlier, later in pairwise(turns):
        assert later[: len(earlier)] == earlier
        assert len(later) > len(earlier)


def test_a_chat_with_a_call_that_was_cut_off_can_go_on() -> None:
    function = {"name": "web_search", "arguments": '{"query": "long que'}
    broken: WireMessage = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "t1", "function": dict(function)}],
    }
    stored = [asked(1, "Find it"), answered(2, "", wire=(broken,), finish_reason="length"), asked(3, "And now?")]
    body = request_body(CompletionRequest(history_messages(stored, "")))
    messages = body["messages"]
    assert isinstance(messages, list)
    sent = [message for message in messages if isinstance(message, dict)]
    assert roles(sent) == ["user", "assistant", "tool", "assistant", "user"]
    assert sent[1]["content"] == ""
    assert '"arguments": "{}"' in json.dumps(sent[1])
    assert body == request_body(CompletionRequest(history_messages(stored, "")))


def test_a_stored_answer_comes_apart_into_rounds_and_text() -> None:
    whole = answered(2, "Let me look.\n\nNoon.", reasoning="R1\n\nR2", wire=(CALL, RESULT, ANSWER))
    assert take_apart(whole) == StoredAnswer((CALL, RESULT), "Noon.", "R2")
    assert take_apart(replace(whole, wire=(CALL, RESULT))) == StoredAnswer((CALL, RESULT), "Noon.", "R2")
    assert take_apart(answered(2, "Noon.", reasoning="R")) == StoredAnswer((), "Noon.", "R")


def test_texts_that_do_not_begin_with_the_rounds_are_all_kept() -> None:
    assert take_apart(answered(2, "Other.", wire=(CALL, RESULT))).content == "Other."

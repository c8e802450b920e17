"""What a turn has said: texts of several requests, set apart; the cost of all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llamachat.chat.said import Said, add_usage
from llamachat.core.events import Kind
from llamachat.core.messages import Usage


def add(said: Said, kind: Kind, *texts: str) -> str:
    """What is shown for these pieces."""
    return "".join(str(event.data) for text in texts for event in said.add(kind, text))


def test_texts_of_two_requests_are_set_apart_once() -> None:
    said = Said()
    said.begin_request()
    assert add(said, Kind.CONTENT, "One", " moment.") == "One moment."
    said.begin_request()
    assert add(said, Kind.CONTENT, "No", "on.") == "\n\nNoon."
    assert add(said, Kind.REASONING, "Hm") == "Hm"
    assert said.take_message() == {
        "role": "assistant",
        "content": "One moment.\n\nNoon.",
        "reasoning_content": "Hm",
    }


def test_a_message_begins_without_the_break_that_is_shown_before_it() -> None:
    said = Said()
    said.begin_request()
    add(said, Kind.CONTENT, "One moment.")
    said.take_message()
    said.begin_request()
    assert add(said, Kind.CONTENT, "", "Noon.") == "\n\nNoon."
    assert said.content == "Noon."


@pytest.mark.parametrize(
    ("partial", "rest", "shown"),
    [
        ("The first", "half", " half"),
        ("The first ", "half", "half"),
        ("The first", ", half", ", half"),
        ("a\n", "b", "b"),
    ],
)
def test_a_rest_in_a_message_of_its_own_is_joined_by_a_blank_where_words_meet(
    partial: str, rest: str, shown: str
) -> None:
    said = Said(content=partial)
    said.expect_whole_words()
    said.begin_request()
    assert add(said, Kind.CONTENT, rest) == shown
    assert said.content == partial + shown


def test_content_that_was_thinking_moves_and_what_an_earlier_request_said_stays() -> None:
    said = Said()
    said.begin_request()
    add(said, Kind.CONTENT, "One moment.")
    said.begin_request()
    add(said, Kind.CONTENT, "Count", " them.")
    said.content_was_reasoning()
    assert add(said, Kind.CONTENT, "Three.") == "\n\nThree."
    assert said.take_message() == {
        "role": "assistant",
        "content": "One moment.\n\nThree.",
        "reasoning_content": "Count them.",
    }


def test_the_cost_is_a_sum_but_the_prompt_is_the_last_one() -> None:
    first = Usage(prompt_tokens=10, completion_tokens=1, cache_n=0, prompt_n=10, prompt_ms=5.0)
    second = Usage(prompt_tokens=20, completion_tokens=2, cache_n=11, prompt_n=9, predicted_n=2, predicted_ms=1.5)
    assert add_usage(first, second) == Usage(
        prompt_tokens=20, completion_tokens=3, cache_n=11, prompt_n=19, prompt_ms=5.0, predicted_n=2, predicted_ms=1.5
    )
    assert add_usage(first, Usage()) == first
    assert add_usage(Usage(), replace(first)) == first

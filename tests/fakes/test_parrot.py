"""The parrot says what its script tells it, through a real server: the ground that other tests stand on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from tests.integration.llama_server import ParrotServer, script, thinking

pytestmark = pytest.mark.slow  # what stands on this ground would fall with it

TOOL = {
    "type": "function",
    "function": {
        "name": "web_search",
        "description": "Searches the web.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}


@dataclass(frozen=True)
class Answer:
    """What came back. `message` is sent again as it is."""

    message: dict[str, object]
    content: str
    reasoning: str
    call_ids: list[str]
    arguments: list[object]
    finish_reason: str


@pytest.fixture(params=["json", "xml"])
def server(
    request: pytest.FixtureRequest, parrot_server: ParrotServer, parrot_xml_server: ParrotServer
) -> ParrotServer:
    """Each style of tool calls in turn."""
    return parrot_xml_server if request.param == "xml" else parrot_server


@pytest.fixture
def client(server: ParrotServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.base_url, timeout=60, trust_env=False) as client:
        yield client


def ask(client: httpx.Client, *messages: dict[str, object], max_tokens: int = 4000) -> Answer:
    """Run one completion."""
    body = {"messages": messages, "tools": [TOOL], "max_tokens": max_tokens}
    choice = client.post("/v1/chat/completions", json=body).raise_for_status().json()["choices"][0]
    message = choice["message"]
    calls = message.get("tool_calls", [])
    return Answer(
        message,
        content=message["content"] or "",
        reasoning=message.get("reasoning_content") or "",
        call_ids=[call["id"] for call in calls],
        arguments=[json.loads(call["function"]["arguments"]) for call in calls],
        finish_reason=choice["finish_reason"],
    )


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def result_for(answer: Answer) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": answer.call_ids[0], "content": "Rain."}


@pytest.mark.parametrize(
    "text",
    ["Hello.", "äöü € 😀 中文", "# Title\n\n```py\nprint(1)\n```", "z" * 2000, "z" * 1998 + "é"],
    ids=["short", "unicode", "markdown", "longest", "longest unicode"],
)
def test_a_plain_message_comes_back_whole(client: httpx.Client, text: str) -> None:
    answer = ask(client, user(text))
    assert (answer.content, answer.finish_reason) == (text, "stop")


def test_pieces_follow_the_tool_results(server: ParrotServer, client: httpx.Client) -> None:
    call = server.call("web_search", query="köln wetter")
    question = user(script(thinking("Hm, ü.") + "I look.\n" + call, call, "It rains [1]."))
    first = ask(client, question)
    assert (first.reasoning.strip(), first.content.strip()) == ("Hm, ü.", "I look.")
    assert (first.arguments, first.finish_reason) == ([{"query": "köln wetter"}], "tool_calls")

    history = [question, first.message, result_for(first)]
    second = ask(client, *history)
    assert second.arguments == first.arguments
    third = ask(client, *history, second.message, result_for(second))
    assert third.content == "It rains [1]."


def test_two_calls_in_one_answer_both_arrive(server: ParrotServer, client: httpx.Client) -> None:
    calls = [server.call("web_search", query=query) for query in ("one", "two")]
    assert ask(client, user("\n".join(calls))).arguments == [{"query": "one"}, {"query": "two"}]


def test_a_piece_for_a_system_prompt_is_said_instead_and_not_counted(client: httpx.Client) -> None:
    question = user(script("@system:TITLE\nRain in Cologne", "The answer."))
    assert ask(client, {"role": "system", "content": "Write a TITLE."}, question).content == "Rain in Cologne"
    assert ask(client, question).content == "The answer."


def test_a_long_piece_goes_on_until_it_is_cut_off(client: httpx.Client) -> None:
    answer = ask(client, user("more " * 500), max_tokens=2100)
    assert answer.finish_reason == "length"
    assert answer.content.count("more") > 410  # 407 are said before it begins again


def test_a_partial_answer_is_continued(client: httpx.Client) -> None:
    partial: dict[str, object] = {"role": "assistant", "content": "One two ", "reasoning_content": "Count."}
    assert ask(client, user(thinking("Count.") + "One two three."), partial).content == "One two three."


def test_without_the_padding_the_prompt_grows_by_appending(client: httpx.Client) -> None:
    def prompt(*messages: dict[str, object]) -> str:
        body = {"messages": messages, "tools": [TOOL], "chat_template_kwargs": {"padding": False}}
        return str(client.post("/apply-template", json=body).raise_for_status().json()["prompt"])

    first = prompt(user("One."))
    second = prompt(user("One."), {"role": "assistant", "content": "One."}, user("Two."))
    assert "One." in first
    assert second.startswith(first)

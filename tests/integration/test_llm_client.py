"""Chat completions of a real llama-server: reasoning, calls, usage, mended histories, refusals."""

from __future__ import annotations

import json

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import (
    CompletionRequest,
    ContentDelta,
    Delta,
    FinishDelta,
    PromptProgress,
    ReasoningDelta,
    Sampling,
    ToolCallDelta,
    UsageDelta,
)
from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.messages import JsonObject, WireMessage
from llamachat.llm.assemble import ToolCallAssembler
from llamachat.llm.client import ChatClient
from llamachat.llm.server import ServerProbe
from tests.integration.llama_server import ParrotServer, thinking

TOOL: JsonObject = {
    "type": "function",
    "function": {
        "name": "web_search",
        "description": "Searches the web.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}


def user(text: str) -> WireMessage:
    """A user's message."""
    return {"role": "user", "content": text}


def stream(server: ParrotServer, request: CompletionRequest) -> list[Delta]:
    """All deltas of an answer."""
    client = ChatClient(server.endpoint, clock=SystemClock())
    try:
        return list(client.stream(request, CancelToken()))
    finally:
        client.close()


def text_of(deltas: list[Delta], kind: type[ContentDelta] | type[ReasoningDelta] = ContentDelta) -> str:
    """The text of one kind."""
    return "".join(delta.text for delta in deltas if isinstance(delta, kind))


def test_thinking_and_answer(parrot_server: ParrotServer) -> None:
    deltas = stream(parrot_server, CompletionRequest((user(thinking("Hm \u00e4.") + "Hello \U0001f600"),)))
    assert text_of(deltas, ReasoningDelta).strip() == "Hm \u00e4."
    assert text_of(deltas) == "Hello \U0001f600"
    assert isinstance(deltas[0], PromptProgress)
    finish, usage = deltas[-2:]
    assert finish == FinishDelta("stop")
    assert isinstance(usage, UsageDelta)
    assert usage.usage.prompt_tokens == (usage.usage.cache_n or 0) + (usage.usage.prompt_n or 0)
    assert (usage.usage.predicted_ms or 0) > 0


@pytest.mark.parametrize("fixture", ["parrot_server", "parrot_xml_server"])
def test_a_call(fixture: str, request: pytest.FixtureRequest) -> None:
    server: ParrotServer = request.getfixturevalue(fixture)
    said = thinking("I look.") + server.call("web_search", query="tide \u201ctable\u201d")
    deltas = stream(server, CompletionRequest((user(said),), (TOOL,)))
    assembler = ToolCallAssembler()
    for delta in deltas:
        if isinstance(delta, ToolCallDelta):
            assembler.feed(delta)
    [call] = assembler.calls()
    assert (call.name, json.loads(call.arguments)) == ("web_search", {"query": "tide \u201ctable\u201d"})
    assert call.id
    assert FinishDelta("tool_calls") in deltas
    assert text_of(deltas) == ""


def test_the_token_limit(parrot_server: ParrotServer) -> None:
    request = CompletionRequest((user("Hello there"),), sampling=Sampling(max_tokens=5, temperature=0.0, seed=1))
    assert FinishDelta("length") in stream(parrot_server, request)


@pytest.mark.parametrize(
    "arguments", ['{"query": "long que', "", "null", '["x"]', '{"query": "\\ud83d"}', '{"q": NaN}']
)
def test_a_history_with_a_broken_call_is_taken(parrot_server: ParrotServer, arguments: str) -> None:
    call: JsonObject = {"id": "t1", "type": "function", "function": {"name": "web_search", "arguments": arguments}}
    broken: WireMessage = {"role": "assistant", "content": None, "tool_calls": [call]}
    deltas = stream(parrot_server, CompletionRequest((user("Find it"), broken, user("And now?")), (TOOL,)))
    assert text_of(deltas) == "And now?"


def test_a_chat_that_is_too_long(parrot_server: ParrotServer) -> None:
    with pytest.raises(ServerError) as caught:
        stream(parrot_server, CompletionRequest((user("x" * 30_000),)))
    assert caught.value.cause is ServerCause.CONTEXT_FULL
    assert caught.value.context_tokens == ServerProbe(parrot_server.endpoint).props().n_ctx
    assert (caught.value.prompt_tokens or 0) > (caught.value.context_tokens or 0)


def test_what_the_server_says_of_itself(parrot_server: ParrotServer) -> None:
    probe = ServerProbe(parrot_server.endpoint)
    assert [model.id for model in probe.models()] == [parrot_server.model]
    props = probe.props()
    assert (props.total_slots, props.supports_tools, props.router) == (2, True, False)
    assert all(step.ok for step in probe.check())
    request = CompletionRequest((user("Hello"),), (TOOL,))
    assert "Hello" in probe.apply_template(request)
    [usage] = [delta.usage for delta in stream(parrot_server, request) if isinstance(delta, UsageDelta)]
    assert probe.count_tokens(request) == usage.prompt_tokens
    probe.close()

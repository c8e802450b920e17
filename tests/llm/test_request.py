"""The body of a request: which keys, in which order, and the same bytes for the same request."""

from __future__ import annotations

import json

from llamachat.core.completion import CompletionRequest, Sampling
from llamachat.core.messages import JsonObject
from llamachat.llm.request import body_bytes, prompt_body, request_body

USER: JsonObject = {"role": "user", "content": "Hello"}
TOOL: JsonObject = {"type": "function", "function": {"name": "web_search", "description": "x\ud83d"}}


def test_the_least() -> None:
    assert body_bytes(request_body(CompletionRequest((USER,)))) == (
        b'{"messages":[{"role":"user","content":"Hello"}],'
        b'"stream":true,"stream_options":{"include_usage":true},"return_progress":true}'
    )


def test_all() -> None:
    sampling = Sampling(
        temperature=0.0, top_k=1, top_p=0.5, min_p=0.1, repeat_penalty=1.1, presence_penalty=0.2, seed=7, max_tokens=9
    )
    request = CompletionRequest((USER,), (TOOL,), "none", "qwen", sampling, thinking=False)
    body = request_body(request)
    assert list(body)[:4] == ["model", "messages", "tools", "tool_choice"]
    assert body["tools"] == [{"type": "function", "function": {"name": "web_search", "description": "x\ufffd"}}]
    assert {key: value for key, value in body.items() if key not in ("messages", "tools", "stream_options")} == {
        "model": "qwen",
        "tool_choice": "none",
        "chat_template_kwargs": {"enable_thinking": False},
        "stream": True,
        "return_progress": True,
        "temperature": 0.0,
        "top_k": 1,
        "top_p": 0.5,
        "min_p": 0.1,
        "repeat_penalty": 1.1,
        "presence_penalty": 0.2,
        "seed": 7,
        "max_tokens": 9,
    }


def test_a_tool_choice_needs_tools() -> None:
    assert "tool_choice" not in request_body(CompletionRequest((USER,), tool_choice="none"))


def test_the_prompt_has_no_sampling() -> None:
    request = CompletionRequest((USER,), (TOOL,), sampling=Sampling(temperature=1.0), thinking=True)
    assert set(prompt_body(request)) == {"messages", "tools", "chat_template_kwargs"}


def test_equal_requests_are_equal_bytes() -> None:
    other: JsonObject = {"content": "Hello", "role": "user"}
    assert body_bytes(request_body(CompletionRequest((USER,)))) == body_bytes(
        request_body(CompletionRequest((other,)))
    )


def test_a_longer_chat_begins_with_the_bytes_of_the_shorter_one() -> None:
    answer: JsonObject = {"role": "assistant", "content": "Hi \U0001f600", "reasoning_content": "Hm"}
    short = body_bytes(prompt_body(CompletionRequest((USER, answer))))
    long = body_bytes(prompt_body(CompletionRequest((USER, answer, USER))))
    assert long.startswith(short.removesuffix(b"]}"))
    assert json.loads(long)["messages"][1] == answer


def test_what_an_answer_goes_on_in_is_said_in_the_words_of_the_server() -> None:
    body = prompt_body(CompletionRequest((USER,), continues="content"))
    assert (body["continue_final_message"], body["add_generation_prompt"]) == ("content", False)
    assert set(prompt_body(CompletionRequest((USER,)))) == {"messages"}

"""A completion request -> the JSON body that a server gets: equal requests are equal bytes. No I/O."""

from __future__ import annotations

import json
from dataclasses import fields

from llamachat.core.completion import CompletionRequest
from llamachat.core.messages import JsonObject
from llamachat.llm.mend import cleaned, mended_messages


def request_body(request: CompletionRequest) -> JsonObject:
    """Give the body of a streamed chat completion, in the order in which it is written."""
    body = prompt_body(request)
    body["stream"] = True
    body["stream_options"] = {"include_usage": True}
    body["return_progress"] = True
    for field in fields(request.sampling):
        value = getattr(request.sampling, field.name)
        if value is not None:
            body[field.name] = value
    if request.slot is not None:
        body["id_slot"] = request.slot
    if request.grammar:
        body["grammar"] = request.grammar
    if request.schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"schema": request.schema}}
    return body


def prompt_body(request: CompletionRequest) -> JsonObject:
    """The part of the body that decides what the prompt is: also for counting tokens and applying the template."""
    body: JsonObject = {"model": request.model} if request.model else {}
    body["messages"] = mended_messages(request.messages)
    if request.tools:
        body["tools"] = [cleaned(tool) for tool in request.tools]
        if request.tool_choice is not None:
            body["tool_choice"] = request.tool_choice
    if request.thinking is not None:
        body["chat_template_kwargs"] = {"enable_thinking": request.thinking}
    if request.continues:
        body["continue_final_message"] = request.continues
        body["add_generation_prompt"] = False
    return body


def body_bytes(body: JsonObject) -> bytes:
    """The body as it goes over the wire."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()

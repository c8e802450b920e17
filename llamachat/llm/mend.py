"""Histories made fit to be sent, also those that an older version or a broken stream left behind. No I/O.

llama-server parses the arguments of every old call again and fails the whole request over one that is broken; other
servers refuse `content: null`, or a call without its result. What is sound passes unchanged, so that the bytes of a
prompt stay the same from turn to turn; what is mended is mended the same way every time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from llamachat.core.messages import JsonObject, JsonValue, WireMessage
from llamachat.core.text import clean

# For the model, and part of prompts that are kept: the words must not change with the user's language.
CUT_OFF_RESULT = '{"error": "The call was cut off and did not run."}'
NO_RESULT = '{"error": "The call did not run."}'

_FIRST_KEYS = ("role", "content", "reasoning_content", "tool_calls", "tool_call_id", "name")
_THINKING = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)
_FINAL = re.compile(r"<\|channel\|>final[^<]*<\|message\|>")
_CHANNEL_MARK = re.compile(r"<\|(?:channel|message|start|end|return|call|constrain)\|>")


def mended_messages(messages: Sequence[WireMessage]) -> list[JsonValue]:
    """Give the messages as the request sends them: whole calls, a result for each, text where text must be."""
    out: list[JsonValue] = []
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        results = []
        while position < len(messages) and messages[position].get("role") == "tool":
            results.append(messages[position])
            position += 1
        if message.get("role") == "tool":
            continue  # only at the very beginning: the result of no call
        calls = _dicts(message.get("tool_calls"))
        sound = [_mended_call(call, f"call{len(out)}x{number}") for number, call in enumerate(calls)]
        out.append(_ordered({**_mended_text(message), "tool_calls": list[JsonValue](sound)}))
        out.extend(_results(calls, sound, results))
    return out


def sound_arguments(arguments: JsonValue) -> str | None:
    """The arguments of a call as the text of a JSON object that every parser takes; None where they are broken."""
    if isinstance(arguments, dict):
        return clean(json.dumps(arguments, ensure_ascii=False))
    if not isinstance(arguments, str):
        return "{}" if arguments is None else None
    if not arguments.strip() or arguments.strip() == "null":
        return "{}"
    try:
        value = json.loads(arguments, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    if "\\ud" in arguments.lower():  # maybe half of a surrogate pair, which strict parsers refuse
        return clean(json.dumps(value, ensure_ascii=False))
    return clean(arguments)


def cleaned(value: JsonValue) -> JsonValue:
    """The value with every text in it fit for UTF-8."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): cleaned(item) for key, item in value.items()}
    return value


def _mended_text(message: WireMessage) -> JsonObject:
    """The message with a content that is text, or parts; thinking that got into an answer's text is taken out."""
    whole = {key: cleaned(value) for key, value in message.items()}
    content = whole.get("content")
    if not isinstance(content, str | list):
        whole["content"] = ""
    elif isinstance(content, str) and message.get("role") == "assistant" and "<" in content:
        if thought := _THINKING.match(content):
            content = content[thought.end() :]
            if not whole.get("reasoning_content"):
                whole["reasoning_content"] = thought.group(1).strip()
        if "<|channel|>" in content:
            content = _CHANNEL_MARK.sub("", _FINAL.split(content)[-1])
        whole["content"] = content
    return whole


def _mended_call(call: JsonObject, made_up_id: str) -> JsonObject:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    return {
        "id": clean(str(call.get("id") or made_up_id)),
        "type": "function",
        "function": {
            "name": clean(str(function.get("name") or "unknown")),
            "arguments": sound_arguments(function.get("arguments")) or "{}",
        },
    }


def _results(calls: list[JsonObject], sound: list[JsonObject], given: list[WireMessage]) -> Iterator[JsonValue]:
    """A result for each call: by its id, else the next one that names no call, else one that says there is none."""
    by_id = {str(result.get("tool_call_id")): result for result in given if result.get("tool_call_id")}
    nameless = iter([result for result in given if not result.get("tool_call_id")])
    for call, mended in zip(calls, sound, strict=True):
        result = by_id.get(str(call.get("id"))) or next(nameless, None)
        text = _mended_text(result) if result is not None else {"role": "tool", "content": _no_result(call)}
        yield _ordered({**text, "tool_call_id": mended["id"]})


def _no_result(call: JsonObject) -> str:
    function = call.get("function")
    arguments = function.get("arguments") if isinstance(function, dict) else None
    return CUT_OFF_RESULT if sound_arguments(arguments) is None else NO_RESULT


def _ordered(message: JsonObject) -> JsonObject:
    """The keys in one order, whatever order they were stored in; no empty `tool_calls`."""
    keys = (*_FIRST_KEYS, *sorted(key for key in message if key not in _FIRST_KEYS))
    return {key: message[key] for key in keys if key in message and not (key == "tool_calls" and not message[key])}


def _dicts(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")

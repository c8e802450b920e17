"""The body of a tool call that came as text, one character at a time: JSON, or keys and values in tags. No I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from enum import Enum, auto
from typing import NamedTuple, Protocol

from llamachat.core.messages import JsonObject
from llamachat.core.text import clean

FENCE = "```"
CLOSERS = (
    "</tool_call>",
    "</tool_calls>",
    "</function_call>",
    "</function>",
    "</parameter>",
    "<|/tool_call|>",
    "</|tool_call|>",
    "<|/tool_calls|>",
    "<|tool_call_end|>",
    "[/TOOL_CALLS]",
)
# What no search text holds, so that it ends a body even where the JSON has not ended.
_JSON_ENDS = (*(mark for mark in CLOSERS if mark not in ("</function>", "</parameter>")), f"\n{FENCE}")
_KEYS = ("name", "arguments", "parameters", "function", "type", "id", "tool", "tool_calls", "function_call")

_MAX_DOUBT = 200
_MAX_RUINED = 400
_FIRST_KEY = re.compile(r'\s*(?:\[\s*)?\{\s*"([^"\\]*)"')
_NAME = re.compile(r'"(?:name|tool|function)"\s*:\s*"([^"\\]*)"')
_ARGUMENTS = re.compile(r'"(?:arguments|parameters)"')
_PARAMETER = re.compile(r"\s*<parameter=([^<>\s]+)>\n?(.*?)\n?</parameter>\s*", re.DOTALL)
_PAIR = re.compile(r"\s*<arg_key>([^<]*)</arg_key>\s*<arg_value>(.*?)</arg_value>\s*", re.DOTALL)


class LeakedCall(NamedTuple):
    """A call that was read: an offered tool and its arguments."""

    name: str
    arguments: JsonObject


class Verdict(Enum):
    """What the text so far is."""

    OPEN = auto()  # it may become a call
    LITERAL = auto()  # it cannot
    CALL = auto()  # it ended, and `calls` are in it
    UNREADABLE = auto()  # it ended, and was meant as a call: of a tool that is not offered, or malformed


class Body(Protocol):
    """Reads a body; `calls` is what was found once the verdict is CALL. named: it names an offered tool."""

    calls: list[LeakedCall]
    named: bool

    def feed(self, character: str) -> Verdict:
        """Take the next character."""
        ...


class TaggedBody:
    """`<parameter=KEY>value</parameter>` up to `</function>`, or `<arg_key>` pairs up to `</tool_call>`."""

    def __init__(self, name: str, names: Collection[str], *, pairs: bool) -> None:
        self.calls: list[LeakedCall] = []
        self.named = name in names
        self._name = name
        self._names = names
        self._pattern = _PAIR if pairs else _PARAMETER
        self._ends = ("</tool_call>",) if pairs else ("</function>", "</tool_call>")
        self._text: list[str] = []

    def feed(self, character: str) -> Verdict:
        """Take the next character."""
        self._text.append(character)
        if character != ">" or not "".join(self._text[-20:]).endswith(self._ends):
            return Verdict.OPEN
        body = "".join(self._text)
        arguments = _tagged(body[: body.rfind("</")], self._pattern)
        self.calls = [] if arguments is None else _call(self._name, arguments, self._names)
        return Verdict.CALL if self.calls else Verdict.UNREADABLE


class JsonBody:
    """A JSON object or a list of them, up to the bracket that closes it.

    name: the tool where it stands before the JSON. patient: what is no call, or no JSON, is still read to its end;
    otherwise the verdict LITERAL comes as soon as it is sure. closed_fence: a code block ended within it.
    """

    def __init__(self, names: Collection[str], *, name: str = "", patient: bool) -> None:
        self.calls: list[LeakedCall] = []
        self.named = bool(name)
        self.closed_fence = False
        self._name = name
        self._names = names
        self._patient = patient
        self._sure = self.named or patient  # else each string is looked at: what is no call is let go at once
        self._text: list[str] = []
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._ruined = 0

    def feed(self, character: str) -> Verdict:
        """Take the next character."""
        self._text.append(character)
        if character in ">]`" and "".join(self._text[-20:]).endswith(_JSON_ENDS):
            self.closed_fence = character == "`"
            return self._unreadable()
        if self._ruined:
            self._ruined += 1
            return Verdict.OPEN if self._ruined < _MAX_RUINED else Verdict.LITERAL
        if self._in_string:
            return self._string_step(character)
        return self._step(character)

    def _step(self, character: str) -> Verdict:
        if character == '"':
            self._in_string = True
        elif character in "{[":
            self._depth += 1
        elif character in "}]":
            self._depth -= 1
            if self._depth == 0:
                return self._ended()
        elif character in "<'" or not self._may_begin(character):
            self._ruined = 1
            return Verdict.OPEN if self._patient else Verdict.LITERAL
        return Verdict.OPEN

    def _string_step(self, character: str) -> Verdict:
        if self._escaped:
            self._escaped = False
        elif character == "\\":
            self._escaped = True
        elif character == '"':
            self._in_string = False
            return Verdict.OPEN if self._sure else self._check_name()
        return Verdict.OPEN

    def _may_begin(self, character: str) -> bool:
        """False for a letter or digit right behind the first brackets, where only a key can stand."""
        if character.isspace() or len(self._text) > _MAX_DOUBT:
            return True
        return "".join("".join(self._text[:-1]).split()) not in ("{", "[", "[{")

    def _check_name(self) -> Verdict:
        """Look after a string: the first key must be one of a call's, and the name one that was offered."""
        text = "".join(self._text)
        key, name, arguments = _FIRST_KEY.match(text), _NAME.search(text), _ARGUMENTS.search(text)
        named = name is not None and (arguments is None or name.start() < arguments.start())
        if key is None or key.group(1) not in _KEYS or (named and name and name.group(1) not in self._names):
            return Verdict.LITERAL
        self.named = named
        self._sure = named or arguments is not None
        return Verdict.OPEN if self._sure or len(text) <= _MAX_DOUBT else Verdict.LITERAL

    def _ended(self) -> Verdict:
        try:
            value = json.loads("".join(self._text))
            self.calls = _call(self._name, value, self._names) if self._name else _calls(value, self._names)
        except (ValueError, RecursionError):
            return self._unreadable()
        if self.calls:
            return Verdict.CALL
        return Verdict.UNREADABLE if self._patient else Verdict.LITERAL

    def _unreadable(self) -> Verdict:
        return Verdict.UNREADABLE if self._patient or self.named else Verdict.LITERAL


def _calls(value: object, names: Collection[str]) -> list[LeakedCall]:
    """The calls in a JSON value: one object, several in a list, or wrapped as the API wraps them."""
    if isinstance(value, list):
        return [call for item in value if isinstance(item, dict) for call in _calls(item, names)]
    if not isinstance(value, dict) or "description" in value:  # the latter: the tool's schema, quoted
        return []
    if isinstance(value.get("tool_calls"), list):
        return _calls(value["tool_calls"], names)
    inner = value.get("function")
    if isinstance(inner, dict):
        return _calls(inner, names)
    arguments = value.get("arguments", value.get("parameters"))
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return []
    return _call(value.get("name") or value.get("tool") or inner, arguments, names)


def _call(name: object, arguments: object, names: Collection[str]) -> list[LeakedCall]:
    if not isinstance(name, str) or name not in names or not isinstance(arguments, dict):
        return []
    return [LeakedCall(name, {clean(str(key)): value for key, value in arguments.items()})]


def _tagged(body: str, pair: re.Pattern[str]) -> JsonObject | None:
    """Keys and values in tags as an object of strings; None where anything else stands between them."""
    arguments: JsonObject = {}
    position = 0
    while position < len(body):
        match = pair.match(body, position)
        if match is None:
            return None if body[position:].strip() else arguments
        arguments[match.group(1).strip()] = match.group(2)
        position = match.end()
    return arguments

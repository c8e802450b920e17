"""The tools a model is offered in a turn, and the door through which its calls are run."""

from __future__ import annotations

import itertools
import json
from collections.abc import Generator, Sequence
from typing import Protocol, cast

from llamachat.core.cancel import CancelToken
from llamachat.core.events import Event
from llamachat.core.messages import JsonObject, JsonValue, ToolCall, WireMessage


class Tool(Protocol):
    """One tool. An object lives for one turn and may remember its earlier calls."""

    @property
    def name(self) -> str:
        """The name in the schema."""
        ...

    @property
    def schema(self) -> JsonObject:
        """The OpenAI function definition; the same bytes in every turn."""
        ...

    @property
    def exhausted(self) -> bool:
        """Whether calling it is of no use any more in this turn."""
        ...

    def run(
        self, arguments: Sequence[JsonValue], cancel: CancelToken, *, as_text: bool
    ) -> Generator[Event, None, list[str]]:
        """Run the calls of one answer. Yield what happens; return the text of the tool message for each.

        as_text: the calls stood in the text of the answer.
        Arguments may have any shape: a wrong one is a result that says so. Raises nothing but Cancelled.
        """
        ...


class Toolbox:
    """The tools of one turn, in a fixed order. An empty box: nothing is offered."""

    def __init__(self, *tools: Tool) -> None:
        self._tools = {tool.name: tool for tool in tools}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools."""
        return tuple(self._tools)

    @property
    def schemas(self) -> tuple[JsonObject, ...]:
        """The definitions of all tools."""
        return tuple(tool.schema for tool in self._tools.values())

    @property
    def exhausted(self) -> bool:
        """Whether one of the tools is of no use any more in this turn."""
        return any(tool.exhausted for tool in self._tools.values())

    def run(
        self, calls: Sequence[ToolCall], cancel: CancelToken, *, as_text: bool = False
    ) -> Generator[Event, None, list[WireMessage]]:
        """Run the calls of one answer, whose arguments are JSON; return their tool messages in order."""
        texts: list[str] = []
        for name, group in itertools.groupby(calls, lambda call: call.name):
            arguments = [read_arguments(call.arguments) for call in group]
            tool = self._tools.get(name)
            if tool is None:
                texts += [self._unknown()] * len(arguments)
            else:
                texts += yield from tool.run(arguments, cancel, as_text=as_text)
        return [
            {"role": "tool", "tool_call_id": call.id, "content": text}
            for call, text in zip(calls, texts, strict=True)
        ]

    def _unknown(self) -> str:
        return json.dumps({"error": f"There is no tool of this name. The tools are: {', '.join(self._tools)}."})


def read_arguments(text: str) -> JsonValue:
    """The arguments of a call; nothing and `null` count as no arguments. ValueError when they are no JSON."""
    if not text.strip():
        return {}
    value = cast("JsonValue", json.loads(text))
    return {} if value is None else value


def is_readable(call: ToolCall) -> bool:
    """Whether the arguments are JSON at all; a call that was cut off is not."""
    try:
        read_arguments(call.arguments)
    except (ValueError, RecursionError):
        return False
    return True


def wire_call(call: ToolCall) -> JsonObject:
    """The call as it goes back to the server, with arguments that are an object: templates and servers read them."""
    is_object = call.arguments.lstrip().startswith("{")
    function: JsonObject = {"name": call.name, "arguments": call.arguments if is_object else "{}"}
    return {"id": call.id, "type": "function", "function": function}

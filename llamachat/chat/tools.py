"""The tools a model is offered in a turn, and the door through which its calls are run."""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol

from llamachat.core.cancel import CancelToken
from llamachat.core.events import Event
from llamachat.core.messages import JsonObject, ToolCall, WireMessage


class Tool(Protocol):
    """One tool. An object lives for one turn and may remember its earlier calls."""

    @property
    def schema(self) -> JsonObject:
        """The OpenAI function definition; the same bytes in every turn."""
        ...

    def run(self, arguments: JsonObject, cancel: CancelToken) -> Generator[Event, None, str]:
        """Yield what happens; return the text of the tool message. Raises nothing but Cancelled."""
        ...


class Toolbox:
    """The tools of one turn, in a fixed order. An empty box: nothing is offered."""

    def __init__(self, *tools: Tool) -> None:
        self._tools = tools

    def schemas(self) -> tuple[JsonObject, ...]:
        """The definitions of all tools."""
        return tuple(tool.schema for tool in self._tools)

    def run(self, call: ToolCall, cancel: CancelToken) -> Generator[Event, None, WireMessage]:
        """Run one call; return the tool message that answers it."""
        raise NotImplementedError

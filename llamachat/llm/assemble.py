"""Pieces of tool calls -> whole calls, by index, id or order as the server gives them. No I/O."""

from __future__ import annotations

import json
import secrets
import string
from collections.abc import Callable

from llamachat.core.completion import ToolCallDelta
from llamachat.core.messages import ToolCall

_ID_LETTERS = string.ascii_letters + string.digits
_ID_LENGTH = 9  # Mistral's templates refuse every other length


def new_call_id() -> str:
    """An id that no other call of the chat has, in the only form that every chat template takes."""
    return "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))


class ToolCallAssembler:
    """Feed it the pieces in order; `calls` gives what has come, cut-off arguments as they are.

    A piece belongs to the call of its index, else of its id, else to the last one. Where index and id do not tell
    (missing, or the same for all) a new id or a new name opens a call, and so does a name when the call before it has
    whole arguments.
    """

    def __init__(self, make_id: Callable[[], str] = new_call_id) -> None:
        self._make_id = make_id
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}

    def feed(self, delta: ToolCallDelta) -> None:
        """Take one piece."""
        call = self._find(delta)
        if call is None:
            call = self._open(delta)
        call.id = call.id or delta.id
        if call.id:
            self._by_id.setdefault(call.id, call)
        call.name = call.name or delta.name
        if delta.arguments:
            call.arguments.append(delta.arguments)

    def calls(self) -> tuple[ToolCall, ...]:
        """The calls in the order in which they were opened. Ids are unique, and the same at every look."""
        seen: set[str] = set()
        for call in self._calls:
            if not call.id or call.id in seen:
                call.id = self._make_id()
            seen.add(call.id)
        return tuple(ToolCall(call.id, call.name, "".join(call.arguments)) for call in self._calls if call.name)

    def _find(self, delta: ToolCallDelta) -> _Call | None:
        """The call that the piece goes on with; None when it opens one."""
        if not self._calls:
            return None
        by_index = None if delta.index is None else self._by_index.get(delta.index)
        if by_index is not None:
            return None if by_index.differs_from(delta) else by_index
        opens_index = delta.index is not None and bool(delta.name)
        by_id = self._by_id.get(delta.id)
        if opens_index or by_id is not None:
            return None if opens_index else by_id
        last = self._calls[-1]
        return None if last.differs_from(delta) else last

    def _open(self, delta: ToolCallDelta) -> _Call:
        call = _Call()
        self._calls.append(call)
        if delta.index is not None:
            self._by_index[delta.index] = call
        return call


class _Call:
    """A call under construction."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []

    def differs_from(self, delta: ToolCallDelta) -> bool:
        """True when the piece, by its id or name, is the beginning of another call."""
        if delta.id and self.id:
            return delta.id != self.id
        if not delta.name or not self.name:
            return False
        return delta.name != self.name or self._is_whole()

    def _is_whole(self) -> bool:
        end = next((piece.rstrip() for piece in reversed(self.arguments) if not piece.isspace()), "")
        if not end.endswith("}"):
            return False
        try:
            return isinstance(json.loads("".join(self.arguments)), dict)
        except (ValueError, RecursionError):
            return False

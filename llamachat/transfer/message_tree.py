"""Nodes of another program's tree of messages to a chat of this one: what people saw, one row a turn, parents first.

Other programs keep a row for every step of an answer: thinking, calls, results, text. Steps that follow each other
without a branch between them become one answer here.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from llamachat.core.conversation import Conversation
from llamachat.core.errors import TransferError
from llamachat.core.messages import Role, Status, StoredMessage, Usage, WireMessage
from llamachat.core.search_record import STORED_PAGE_CHARS, SearchRecord
from llamachat.core.text import tr
from llamachat.core.whole_chat import WholeChat
from llamachat.transfer.json_values import MAX_OBJECT_CHARS, too_large

# The name space of the names that are made from other programs' ones, so that reading a file twice gives them again.
_NAMES = uuid.UUID("6d1f7c7e-4a52-5d0c-9f0e-7a3b1c2d4e5f")
_TITLE_CHARS = 300
_MADE_TITLE_CHARS = 60
_BREAK = "\n\n"  # between the steps of an answer, as the program joins them itself


@dataclass(frozen=True, slots=True)
class Node:
    """A step as the other program keeps it. `role` decides: user and assistant are shown, system is the prompt for
    what follows, of anything else only `wire` and `query` are kept, for the answer they belong to.
    """

    key: str
    parent: str | None
    role: str = ""
    content: str = ""
    reasoning: str = ""
    searches: tuple[SearchRecord, ...] = ()
    wire: tuple[WireMessage, ...] = ()
    model: str = ""
    status: Status = Status.COMPLETE
    finish_reason: str = ""
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    created_at: float = 0.0
    query: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the new chat a node hangs. `open_row`: the answer that it goes on with, if it is a step of one."""

    parent_id: int | None = None
    open_row: bool = False
    prompt: str = ""
    query: str = ""


class MessageTree:
    """Collects the nodes of one chat, in the order in which versions of a message are shown."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._nodes: dict[str, Node] = {}
        self._characters = 0
        self._children: dict[str | None, list[str]] = {}
        self._rows: list[StoredMessage] = []
        self._row_of: dict[str, int] = {}

    def add(self, node: Node) -> None:
        """Take a node; raises TransferError where its name was there before or the chat grows too large."""
        if node.key in self._nodes:
            raise TransferError(tr("a message is in it twice"))
        self._nodes[node.key] = node
        self._characters += len(node.content) + len(node.reasoning)
        if self._characters > MAX_OBJECT_CHARS:
            raise too_large()

    def whole_chat(
        self, conversation: Conversation, *, key: str | None = None, current: str | None = None
    ) -> Iterator[WholeChat]:
        """Yield the chat, or nothing where nobody said anything in it.

        conversation: its title, times and prompt as far as they are known. key: the other program's name for it.
        current: the last node that was shown.
        """
        self._grow()
        if not self._rows:
            return
        key = key or next(iter(self._nodes))
        messages = tuple(self._named(key))
        yield WholeChat(self._completed(conversation, key, self._head(current)), messages)

    def _grow(self) -> None:
        for node in self._nodes.values():
            parent = node.parent if node.parent in self._nodes else None
            self._children.setdefault(parent, []).append(node.key)
        seen = 0
        waiting = [(key, _Place()) for key in reversed(self._children.get(None, []))]
        while waiting:
            key, place = waiting.pop()
            seen += 1
            children = self._children.get(key, [])
            below = self._placed(self._nodes[key], place)
            if len(children) > 1:
                below = replace(below, open_row=False)
            waiting += [(child, below) for child in reversed(children)]
        if seen < len(self._nodes):
            raise TransferError(tr("its messages go round in a circle"))

    def _placed(self, node: Node, place: _Place) -> _Place:
        """Put the node where it belongs; gives the place of what hangs on it."""
        if node.role == "system":
            place = replace(place, prompt=node.content or place.prompt)
        elif node.role == "user":
            place = replace(place, parent_id=self._new_row(node, place), open_row=False, query="")
        elif node.role == "assistant":
            place = self._answered(node, place)
        else:
            place = replace(place, query=node.query or place.query)
            if place.open_row and node.wire and place.parent_id:
                row = self._rows[place.parent_id - 1]
                self._rows[place.parent_id - 1] = replace(row, wire=row.wire + node.wire)
        if place.parent_id:
            self._row_of[node.key] = place.parent_id
        return place

    def _answered(self, node: Node, place: _Place) -> _Place:
        if place.query:
            named = (replace(search, query=search.query or place.query) for search in node.searches)
            node = replace(node, searches=tuple(named))
        if not (place.open_row and place.parent_id):
            return replace(place, parent_id=self._new_row(node, place), open_row=True)
        row = self._rows[place.parent_id - 1]
        self._rows[place.parent_id - 1] = replace(
            row,
            content=_joined(row.content, node.content),
            reasoning=_joined(row.reasoning, node.reasoning),
            searches=row.searches + node.searches,
            wire=row.wire + node.wire,
            model=node.model or row.model,
            status=node.status,
            finish_reason=node.finish_reason or row.finish_reason,
            error=node.error or row.error,
            usage=node.usage if node.usage != Usage() else row.usage,
        )
        return place

    def _new_row(self, node: Node, place: _Place) -> int:
        before = self._rows[place.parent_id - 1].created_at if place.parent_id else 0.0
        self._rows.append(
            StoredMessage(
                id=len(self._rows) + 1,
                uid=node.key,
                conversation_id=0,
                parent_id=place.parent_id,
                role=Role(node.role),
                content=node.content,
                reasoning=node.reasoning,
                prompt=place.prompt if node.role == "assistant" else "",
                searches=node.searches,
                wire=node.wire,
                model=node.model,
                status=node.status,
                finish_reason=node.finish_reason,
                error=node.error,
                usage=node.usage,
                created_at=node.created_at or before,
            )
        )
        return len(self._rows)

    def _named(self, key: str) -> Iterator[StoredMessage]:
        """Yield the rows with their lasting names. Only an answer that called tools needs its exact messages."""
        for row in self._rows:
            wire = row.wire if any(message.get("tool_calls") for message in row.wire) else ()
            searches = tuple(map(_bounded, row.searches))
            yield replace(row, uid=lasting_name(self._program, key, row.uid), wire=wire, searches=searches)

    def _head(self, current: str | None) -> int:
        return self._row_of.get(current or "", len(self._rows))

    def _completed(self, conversation: Conversation, key: str, head_id: int) -> Conversation:
        times = [row.created_at for row in self._rows if row.created_at]
        created_at = conversation.created_at or min(times, default=0.0)
        prompts = (row.prompt for row in reversed(self._rows[:head_id]) if row.role is Role.ASSISTANT)
        return replace(
            conversation,
            uid=lasting_name(self._program, key),
            title=" ".join(conversation.title.split())[:_TITLE_CHARS] or self._made_title(),
            created_at=created_at,
            updated_at=max(conversation.updated_at, max(times, default=0.0), created_at),
            prompt=conversation.prompt or next(prompts, ""),
            head_id=head_id,
        )

    def _made_title(self) -> str:
        asked = (" ".join(row.content.split()) for row in self._rows if row.role is Role.USER)
        return next(filter(None, asked), "")[:_MADE_TITLE_CHARS].rstrip()


def lasting_name(*parts: str) -> str:
    """32 hexadecimal digits that are the same for the same names."""
    return uuid.uuid5(_NAMES, "\0".join(parts)).hex


def _bounded(search: SearchRecord) -> SearchRecord:
    """The search with no more of each page than is kept of pages read here."""
    results = (replace(result, content=result.content[:STORED_PAGE_CHARS]) for result in search.results)
    return replace(search, results=tuple(results))


def _joined(before: str, after: str) -> str:
    return _BREAK.join(filter(None, (before, after)))

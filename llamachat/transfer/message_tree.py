"""Nodes of another program's tree of messages to a chat of this one: what people saw, one row a turn, parents first.

Other programs keep a row for every step of an answer: thinking, calls, results, text. Steps that follow each other
without a branch between them become one answer here.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from llamachat.core.conversation import Conversation
from llamachat.core.errors import TransferError
from llamachat.core.messages import Role, Status, StoredMessage, Usage, WireMessage
from llamachat.core.search_record import STORED_PAGE_CHARS, SearchRecord
from llamachat.core.text import tr
from llamachat.core.whole_chat import WholeChat
from llamachat.transfer.json_values import MAX_OBJECT_CHARS, too_large
from llamachat.transfer.reading import Reading

# The name space of the names that are made from other programs' ones, so that reading a file twice gives them again.
_NAMES = uuid.UUID("6d1f7c7e-4a52-5d0c-9f0e-7a3b1c2d4e5f")
_TITLE_CHARS = 300
_MADE_TITLE_CHARS = 60
_NODE_CHARS = 256  # what a node costs even where it is empty
_UNKNOWN_QUERY = "…"
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
    attachments: int = 0  # of which no more than the name is in `content`
    hidden: bool = False  # by the other program


@dataclass(slots=True)
class _Row:
    """A row of the new chat while it is put together: its first node, and those that it goes on with."""

    parent_id: int | None
    prompt: str
    created_at: float
    nodes: list[Node]
    queries: list[str]
    wire: list[WireMessage]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the new chat a node hangs. `open_row`: the row is an answer that the node may be a step of."""

    row_id: int | None = None
    open_row: bool = False
    prompt: str = ""
    query: str = ""


class MessageTree:
    """Collects the nodes of one chat, in the order in which versions of a message are shown."""

    def __init__(self, program: str, reading: Reading) -> None:
        self._program = program
        self._reading = reading
        self._nodes: dict[str, Node] = {}
        self._characters = 0
        self._rows: list[_Row] = []
        self._row_of: dict[str, int] = {}

    def add(self, node: Node) -> None:
        """Take a node; raises TransferError where its name was there before or the chat grows too large."""
        if node.key in self._nodes:
            raise TransferError(tr("a message is in it twice"))
        self._nodes[node.key] = node
        self._characters += _size(node)
        if self._characters > MAX_OBJECT_CHARS:
            raise too_large()
        self._reading.attachments += node.attachments
        self._reading.hidden_steps += node.hidden

    def whole_chat(
        self, conversation: Conversation, *, key: str | None = None, current: str | None = None
    ) -> Iterator[WholeChat]:
        """Yield the chat, or nothing where nobody said anything in it.

        conversation: its title, times and prompt as far as they are known. key: the other program's name for it.
        current: the last node that was shown.
        """
        self._grow()
        if not self._rows:
            self._reading.empty_chats += 1
            return
        key = key or next(iter(self._nodes))
        messages = tuple(self._message(number, row, key) for number, row in enumerate(self._rows, 1))
        head_id = self._row_of.get(current or "", len(messages))
        yield WholeChat(self._completed(conversation, messages, key=key, head_id=head_id), messages)

    def _grow(self) -> None:
        children: dict[str | None, list[str]] = {}
        for node in self._nodes.values():
            parent = node.parent if node.parent in self._nodes else None
            children.setdefault(parent, []).append(node.key)
        seen = 0
        waiting = [(key, _Place()) for key in reversed(children.get(None, []))]
        while waiting:
            key, place = waiting.pop()
            seen += 1
            below = self._placed(self._nodes[key], place)
            following = children.get(key, [])
            if len(following) > 1:
                below = replace(below, open_row=False)
            waiting += [(child, below) for child in reversed(following)]
        if seen < len(self._nodes):
            raise TransferError(tr("its messages go round in a circle"))

    def _placed(self, node: Node, place: _Place) -> _Place:
        """Put the node where it belongs; gives the place of what hangs on it."""
        if node.role == "system":
            place = replace(place, prompt=node.content or place.prompt)
        elif node.role == "user":
            place = replace(place, row_id=self._new_row(node, place), open_row=False, query="")
        elif node.role == "assistant":
            place = self._answered(node, place)
        elif node.wire or node.query:
            place = replace(place, query=node.query or place.query)
            if place.open_row and place.row_id:
                self._rows[place.row_id - 1].wire += node.wire
        if place.row_id:
            self._row_of[node.key] = place.row_id
        return place

    def _answered(self, node: Node, place: _Place) -> _Place:
        if not (place.open_row and place.row_id):
            return replace(place, row_id=self._new_row(node, place), open_row=True)
        row = self._rows[place.row_id - 1]
        row.nodes.append(node)
        row.queries.append(place.query)
        row.wire += node.wire
        return place

    def _new_row(self, node: Node, place: _Place) -> int:
        before = self._rows[place.row_id - 1].created_at if place.row_id else 0.0
        prompt = place.prompt if node.role == "assistant" else ""
        row = _Row(place.row_id, prompt, node.created_at or before, [node], [place.query], list(node.wire))
        self._rows.append(row)
        return len(self._rows)

    def _message(self, number: int, row: _Row, key: str) -> StoredMessage:
        """The row with its lasting name. Only an answer that called tools needs its exact messages."""
        first, last = row.nodes[0], row.nodes[-1]
        return StoredMessage(
            id=number,
            uid=lasting_name(self._program, key, first.key),
            conversation_id=0,
            parent_id=row.parent_id,
            role=Role(first.role),
            content=_joined(node.content for node in row.nodes),
            reasoning=_joined(node.reasoning for node in row.nodes),
            prompt=row.prompt,
            searches=tuple(_searches(row)),
            wire=tuple(row.wire) if any(message.get("tool_calls") for message in row.wire) else (),
            model=_last(node.model for node in row.nodes),
            status=last.status,
            finish_reason=_last(node.finish_reason for node in row.nodes),
            error=_last(node.error for node in row.nodes),
            usage=next((node.usage for node in reversed(row.nodes) if node.usage != Usage()), Usage()),
            created_at=row.created_at,
        )

    def _completed(
        self, conversation: Conversation, messages: Sequence[StoredMessage], *, key: str, head_id: int
    ) -> Conversation:
        times = [message.created_at for message in messages if message.created_at]
        created_at = conversation.created_at or min(times, default=0.0)
        prompts = (row.prompt for row in reversed(messages[:head_id]) if row.role is Role.ASSISTANT)
        return replace(
            conversation,
            uid=lasting_name(self._program, key),
            title=" ".join(conversation.title.split())[:_TITLE_CHARS] or _made_title(messages),
            created_at=created_at,
            updated_at=max(conversation.updated_at, max(times, default=0.0), created_at),
            prompt=conversation.prompt or next(prompts, ""),
            head_id=head_id,
        )


def lasting_name(*parts: str) -> str:
    """32 hexadecimal digits that are the same for the same names."""
    return uuid.uuid5(_NAMES, "\0".join(parts)).hex


def _size(node: Node) -> int:
    """About how many characters the node holds."""
    found = sum(len(result.content) for search in node.searches for result in search.results)
    sent = sum(len(str(message)) for message in node.wire)
    return _NODE_CHARS + len(node.content) + len(node.reasoning) + found + sent


def _searches(row: _Row) -> Iterator[SearchRecord]:
    """Yield the searches, named by the step before where need be, with as much of a page as is kept of pages here."""
    for node, query in zip(row.nodes, row.queries, strict=True):
        for search in node.searches:
            results = (replace(result, content=result.content[:STORED_PAGE_CHARS]) for result in search.results)
            yield replace(search, query=search.query or query or _UNKNOWN_QUERY, results=tuple(results))


def _made_title(messages: Sequence[StoredMessage]) -> str:
    asked = (" ".join(message.content.split()) for message in messages if message.role is Role.USER)
    return next(filter(None, asked), "")[:_MADE_TITLE_CHARS].rstrip()


def _joined(texts: Iterable[str]) -> str:
    return _BREAK.join(filter(None, texts))


def _last(texts: Iterable[str]) -> str:
    return next(reversed(list(filter(None, texts))), "")

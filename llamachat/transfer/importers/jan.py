"""Chats of Jan: the JSON of its menu, or files of its data folder (`threads/ID/messages.jsonl` and `thread.json`).

Source: janhq/jan, web-app/src/lib/export-conversation.ts at 3e2c0d5 and message-branching.ts at 2bf991d,
core/src/types/message/messageEntity.ts at 089ad3e, core/src/types/thread/threadEntity.ts at 150cc3c,
src-tauri/src/core/threads/helpers.rs at 08d5273. Times of messages are milliseconds, those of threads seconds.
Versions are kept by `metadata.parentId`, and which one is shown by `metadata.activeChildId`.
"""

from __future__ import annotations

from collections.abc import Iterator

from llamachat.core.conversation import Conversation
from llamachat.core.messages import JsonObject, JsonValue, Status
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.core.whole_chat import WholeChat
from llamachat.transfer.attached import named_attachment
from llamachat.transfer.documents import Document
from llamachat.transfer.json_fields import (
    loose_objects,
    loose_text,
    name_of,
    object_of,
    objects_of,
    seconds_of,
    text_of,
    wrong_kind,
)
from llamachat.transfer.json_values import json_objects, parsed_json
from llamachat.transfer.message_tree import MessageTree, Node

_STATUS = {"error": Status.FAILED, "stopped": Status.STOPPED, "pending": Status.INTERRUPTED}
_THINK, _THINK_END = "<think>", "</think>"


def recognises(value: JsonObject) -> bool:
    """Whether this is an exported thread, a message of one, or the description of one."""
    if value.get("object") in ("thread", "thread.message"):
        return True
    messages = value.get("messages")
    return isinstance(messages, list) and "exported_at" in value and "title" in value


def chats(values: Iterator[JsonObject], document: Document) -> Iterator[WholeChat]:
    """Yield the chat. A description alone is none: it is read with the messages beside it."""
    first = next(values)
    if first.get("object") == "thread":
        return
    if "messages" in first:
        yield from _chat(first, objects_of(first, "messages"), document)
        for value in values:
            yield from _chat(value, objects_of(value, "messages"), document)
        return
    thread: JsonObject = {"id": first.get("thread_id")}
    described = document.beside("thread.json")
    if described is not None:
        with described.open() as stream:
            thread |= next(json_objects(stream), {})
    yield from _chat(thread, _messages(first, values), document)


def _messages(first: JsonObject, values: Iterator[JsonObject]) -> Iterator[JsonObject]:
    yield first
    for value in values:
        if value.get("object") != "thread.message":
            raise wrong_kind("object")
        yield value


def _chat(
    thread: JsonObject, messages: Iterator[JsonObject] | list[JsonObject], document: Document
) -> Iterator[WholeChat]:
    tree, nodes = MessageTree("Jan", document.reading), list[Node]()
    chosen: dict[str | None, str] = {}
    for message in messages:
        node = _node(message, before=nodes[-1].key if nodes else None)
        tree.add(node)
        nodes.append(node)
        if active := name_of(object_of(message, "metadata"), "activeChildId"):
            chosen[node.key] = active
    known = Conversation(
        id=0,
        uid="",
        title=text_of(thread, "title"),
        created_at=seconds_of(thread, "created"),
        updated_at=seconds_of(thread, "updated"),
        prompt=next((loose_text(row, "instructions") for row in loose_objects(thread.get("assistants"))), ""),
    )
    yield from tree.whole_chat(known, key=name_of(thread, "id"), current=_current(nodes, chosen))


def _current(nodes: list[Node], chosen: dict[str | None, str]) -> str | None:
    """The last message shown: from the newest beginning down the chosen versions, or the newest where none is."""
    newest: dict[str | None, Node] = {}
    parents = {node.key: node.parent for node in nodes}
    for node in nodes:
        known = newest.get(node.parent)
        if known is None or node.created_at >= known.created_at:
            newest[node.parent] = node
    key: str | None = None
    for _ in range(len(nodes)):
        active = chosen.get(key, "")
        if active in parents and parents[active] == key:
            key = active
        elif key in newest:
            key = newest[key].key
        else:
            break
    return key


def _node(message: JsonObject, *, before: str | None) -> Node:
    """before: the message above, which is the parent where Jan has not linked any yet."""
    key, role = name_of(message, "id"), text_of(message, "role")
    if key is None:
        raise wrong_kind("id")
    metadata = object_of(message, "metadata")
    parts = objects_of(message, "content")
    shown, thoughts = _texts(parts)
    status = _STATUS.get(text_of(message, "status"), Status.COMPLETE) if role == "assistant" else Status.COMPLETE
    return Node(
        key=key,
        parent=name_of(metadata, "parentId") if "parentId" in metadata else before,
        role=role,
        content="\n\n".join(filter(None, shown)),
        reasoning="\n\n".join(filter(None, thoughts)),
        searches=tuple(search for part in parts for search in _searches(part)),
        model=loose_text(metadata, "modelId") or loose_text(metadata, "model") if role == "assistant" else "",
        status=Status.INTERRUPTED if status is Status.FAILED and any(shown) else status,
        created_at=seconds_of(message, "created_at"),
        attachments=sum(part.get("type") == "image_url" for part in parts),
    )


def _texts(parts: list[JsonObject]) -> tuple[list[str], list[str]]:
    """What is shown, and what was thought; older versions kept thinking inside the text."""
    shown, thoughts = list[str](), list[str]()
    for part in parts:
        kind, text = loose_text(part, "type"), text_of(object_of(part, "text"), "value")
        if kind == "reasoning":
            thoughts.append(text)
        elif kind == "image_url":
            shown.append(named_attachment(""))
        elif text.lstrip().startswith(_THINK) and _THINK_END in text:
            thought, _, rest = text.partition(_THINK_END)
            thoughts.append(thought.replace(_THINK, "", 1).strip())
            shown.append(rest.strip())
        else:
            shown.append(text)
    return shown, thoughts


def _searches(part: JsonObject) -> Iterator[SearchRecord]:
    """Yield a record for a call of a tool that found pages."""
    if part.get("type") != "tool_call":
        return
    given = _parsed(part.get("input"))
    results = tuple(_results(_parsed(part.get("output"))))
    if results:
        query = loose_text(given, "query") if isinstance(given, dict) else ""
        yield SearchRecord(query=query, results=results, provider="Jan")


def _results(output: JsonValue) -> Iterator[SearchResult]:
    rows = output.get("results") if isinstance(output, dict) else output
    for row in loose_objects(rows):
        if url := loose_text(row, "url"):
            texts = (loose_text(row, name) for name in ("snippet", "content", "text"))
            yield SearchResult(loose_text(row, "title"), url, next(filter(None, texts), ""))


def _parsed(value: JsonValue) -> JsonValue:
    """What a tool was given or gave, which may be the text of JSON."""
    if not isinstance(value, str):
        return value
    try:
        return parsed_json(value)
    except ValueError:
        return None

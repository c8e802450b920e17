"""Chats of Open WebUI: an array of objects with a `chat`, or of those chats themselves (the older form).

Source: open-webui/docs, docs/features/chat-conversations/data-controls/import-export.md at 0037f77. What that page
leaves out (sources, statuses, thinking inside `<details>`): open-webui/open-webui,
src/lib/components/chat/Messages/Citations.svelte at 023b1e7, OutputRenderer.svelte at d9f9cd0, ResponseMessage.svelte
and backend/open_webui/utils/middleware.py. Times are seconds.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from llamachat.core.conversation import Conversation
from llamachat.core.messages import JsonObject, Status
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.core.text import clean
from llamachat.core.whole_chat import WholeChat
from llamachat.transfer.attached import named_attachment
from llamachat.transfer.documents import Document
from llamachat.transfer.importers.marked_text import cut_blocks
from llamachat.transfer.json_fields import (
    loose_objects,
    loose_text,
    name_of,
    object_of,
    seconds_of,
    text_of,
    usage_of,
    wrong_kind,
)
from llamachat.transfer.message_tree import MessageTree, Node

_BLOCK = re.compile(r'<details type="(reasoning|tool_calls)"[^<>]*>')
_BLOCK_END = "</details>"


def recognises(value: JsonObject) -> bool:
    """Whether this is a chat with its history."""
    chat = value.get("chat", value)
    history = chat.get("history") if isinstance(chat, dict) else None
    return isinstance(history, dict) and isinstance(history.get("messages"), dict)


def chats(values: Iterator[JsonObject], document: Document) -> Iterator[WholeChat]:
    """Yield the chats, each with its versions."""
    for value in values:
        if not recognises(value):
            raise wrong_kind("history")
        yield from _chat(value, object_of(value, "chat") or value, document)


def _chat(outer: JsonObject, chat: JsonObject, document: Document) -> Iterator[WholeChat]:
    history = object_of(chat, "history")
    messages = object_of(history, "messages")
    tree = MessageTree("Open WebUI", document.reading)
    for key in messages:
        tree.add(_node(key, object_of(messages, key)))
    known = Conversation(
        id=0,
        uid="",
        title=text_of(outer, "title") or text_of(chat, "title"),
        created_at=seconds_of(outer, "created_at") or seconds_of(chat, "timestamp"),
        updated_at=seconds_of(outer, "updated_at"),
        prompt=loose_text(object_of(chat, "params"), "system") or loose_text(chat, "system"),
        pinned=outer.get("pinned") is True,
        archived=outer.get("archived") is True,
    )
    name = name_of(outer, "id") or name_of(chat, "id")
    yield from tree.whole_chat(known, key=name, current=name_of(history, "currentId"))


def _node(key: str, message: JsonObject) -> Node:
    role = text_of(message, "role")
    content, reasoning = _texts(message) if role == "assistant" else (text_of(message, "content"), "")
    files = [named_attachment(loose_text(file, "name")) for file in loose_objects(message.get("files"))]
    error = _error(message)
    return Node(
        key=key,
        parent=name_of(message, "parentId"),
        role=role,
        content=_joined((content, *files)),
        reasoning=reasoning,
        searches=_searches(message),
        model=text_of(message, "model"),
        status=_status(message, failed=bool(error and not content)),
        error=error,
        usage=usage_of(object_of(message, "usage") or object_of(message, "info")),
        created_at=seconds_of(message, "timestamp"),
        attachments=len(files),
    )


def _texts(message: JsonObject) -> tuple[str, str]:
    """What an answer says, and the thinking: newer versions keep them apart as well, in `output`."""
    content, blocks = cut_blocks(text_of(message, "content"), _BLOCK, _BLOCK_END)
    thoughts = [_thought(body) for mark, body in blocks if mark[1] == "reasoning"]
    output = loose_objects(message.get("output"))
    said = [_parts(item, "content") for item in output if item.get("type") == "message"]
    thoughts = thoughts or [
        _parts(item, "summary") or _parts(item, "content") for item in output if item.get("type") == "reasoning"
    ]
    return content.strip() or _joined(said), _joined(thoughts)


def _parts(item: JsonObject, key: str) -> str:
    return "".join(loose_text(part, "text") for part in loose_objects(item.get(key))).strip()


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, texts))


def _thought(body: str) -> str:
    summary, closed, text = body.partition("</summary>")
    lines = html.unescape(text if closed else summary).strip().split("\n")
    return clean("\n".join(line.removeprefix(">").removeprefix(" ") for line in lines)).strip()


def _status(message: JsonObject, *, failed: bool) -> Status:
    if failed:
        return Status.FAILED
    return Status.INTERRUPTED if message.get("done") is False else Status.COMPLETE


def _error(message: JsonObject) -> str:
    error = message.get("error")
    return loose_text(error, "content") if isinstance(error, dict) else loose_text(message, "error")


def _searches(message: JsonObject) -> tuple[SearchRecord, ...]:
    """What the answer was founded on: one record, as the program does not say which search found what."""
    given = loose_objects(message.get("sources")) or loose_objects(message.get("citations"))
    found = {result.url or result.title: result for source in given for result in _results(source)}
    if not found:
        return ()
    queries = [loose_text(status, "query") for status in loose_objects(message.get("statusHistory"))]
    query = ", ".join(dict.fromkeys(filter(None, queries)))
    return (SearchRecord(query=query, results=tuple(found.values()), provider="Open WebUI"),)


def _results(source: JsonObject) -> Iterator[SearchResult]:
    about = object_of(source, "source")
    texts = source.get("document")
    described = loose_objects(source.get("metadata"))
    for number, text in enumerate(texts if isinstance(texts, list) else []):
        more = described[number] if number < len(described) else {}
        url = _address(loose_text(more, "source_url"), loose_text(more, "source"), loose_text(about, "url"))
        title = loose_text(more, "title") or loose_text(more, "name") or loose_text(about, "name")
        yield SearchResult(title, url, clean(text) if isinstance(text, str) else "")


def _address(*candidates: str) -> str:
    return next((text for text in candidates if re.match(r"https?://", text)), "")

"""Chats of llama.cpp's web page: JSON Lines (a session record, then its messages), or the older JSON.

Source: ggml-org/llama.cpp, tools/ui/src/lib/services/conversation-transfer.service.ts and types/database.d.ts at
880f7d8 and 18a6e5f. Times are milliseconds. A node of the type `root` holds no text; a system message below it holds
the prompt. Calls of tools and their results stand in messages of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from llamachat.core.conversation import Conversation
from llamachat.core.messages import JsonObject, JsonValue, WireMessage
from llamachat.core.whole_chat import WholeChat
from llamachat.transfer.attached import named_attachment, text_attachment
from llamachat.transfer.documents import Document
from llamachat.transfer.importers.marked_text import cut_blocks
from llamachat.transfer.json_fields import (
    check_depth,
    loose_objects,
    loose_text,
    name_of,
    object_of,
    objects_of,
    seconds_of,
    text_of,
    usage_of,
    wrong_kind,
)
from llamachat.transfer.json_values import parsed_json
from llamachat.transfer.message_tree import MessageTree, Node

# Source of the marks: tools/ui/src/lib/constants/agentic.ts at 078c2e0.
_THINKING = re.compile("<<<reasoning_content_start>>>")
_CALL = re.compile("<<<AGENTIC_TOOL_CALL_START>>>")


def recognises(value: JsonObject) -> bool:
    """Whether this is a session record, or a conversation with its messages in one object."""
    return _is_session(value) or ("conv" in value and "messages" in value)


def chats(values: Iterator[JsonObject], document: Document) -> Iterator[WholeChat]:
    """Yield the chats, each with its versions."""
    session: JsonObject | None = None
    tree = MessageTree("llama.cpp", document.reading)
    for value in values:
        if value.get("type") == "message" and session is not None:
            tree.add(_node(object_of(value, "message")))
            continue
        if session is not None and _is_session(value):
            yield from _finished(tree, session)
        if _is_session(value):
            session, tree = value, MessageTree("llama.cpp", document.reading)
        elif "conv" in value:
            yield from _whole(value, document)
        elif not isinstance(value.get("type"), str) or session is None:
            raise wrong_kind("type")
    if session is not None:
        yield from _finished(tree, session)


def _is_session(value: JsonObject) -> bool:
    return value.get("type") == "session" and "currNode" in value and "id" in value


def _whole(value: JsonObject, document: Document) -> Iterator[WholeChat]:
    tree = MessageTree("llama.cpp", document.reading)
    for message in objects_of(value, "messages"):
        tree.add(_node(message))
    yield from _finished(tree, object_of(value, "conv"))


def _finished(tree: MessageTree, conv: JsonObject) -> Iterator[WholeChat]:
    known = Conversation(
        id=0,
        uid="",
        title=text_of(conv, "name"),
        created_at=0.0,
        updated_at=seconds_of(conv, "lastModified"),
        pinned=conv.get("pinned") is True,
    )
    yield from tree.whole_chat(known, key=name_of(conv, "id"), current=name_of(conv, "currNode"))


def _node(message: JsonObject) -> Node:
    key, role = name_of(message, "id"), text_of(message, "role")
    if key is None:
        raise wrong_kind("id")
    content, marked = _without_marks(text_of(message, "content"))
    reasoning = text_of(message, "reasoningContent") or text_of(message, "thinking") or marked
    return Node(
        key=key,
        parent=name_of(message, "parent"),
        role="" if message.get("type") == "root" else role,
        content=_with_extra(content, message),
        reasoning=reasoning,
        wire=_wire(message, role, content=content, reasoning=reasoning),
        model=text_of(message, "model"),
        usage=usage_of(object_of(message, "timings")),
        created_at=seconds_of(message, "timestamp"),
        attachments=sum(not loose_text(extra, "content") for extra in loose_objects(message.get("extra"))),
    )


def _without_marks(content: str) -> tuple[str, str]:
    """The text and the thinking in it, as versions before the field for that kept both, with the calls of tools."""
    if "<<<" not in content:
        return content, ""
    content, thoughts = cut_blocks(content, _THINKING, "<<<reasoning_content_end>>>")
    content, calls = cut_blocks(content, _CALL, "<<<AGENTIC_TOOL_CALL_END>>>")
    marked = thoughts or calls
    return content.strip() if marked else content, "\n\n".join(body.strip() for _, body in thoughts)


def _with_extra(content: str, message: JsonObject) -> str:
    """The text with what was attached to it: texts whole, of pictures and recordings the name."""
    parts = [content]
    for extra in loose_objects(message.get("extra")):
        name, text = loose_text(extra, "name"), loose_text(extra, "content")
        parts.append(text_attachment(name, text) if text else named_attachment(name))
    return "\n\n".join(filter(None, parts))


def _wire(message: JsonObject, role: str, *, content: str, reasoning: str) -> tuple[WireMessage, ...]:
    """The message as it went to the server, for answers that called tools."""
    if role == "tool":
        return ({"role": "tool", "tool_call_id": text_of(message, "toolCallId"), "content": content},)
    if role != "assistant":
        return ()
    sent: dict[str, JsonValue] = {"role": "assistant", "content": content}
    if reasoning:
        sent["reasoning_content"] = reasoning
    if calls := _calls(message.get("toolCalls")):
        sent["tool_calls"] = list[JsonValue](calls)
    return (sent,)


def _calls(value: JsonValue) -> list[JsonObject]:
    """The calls of a message: an array, or (in the older form) the text of one."""
    if isinstance(value, str) and value:
        try:
            value = parsed_json(value)
        except ValueError as error:
            raise wrong_kind("toolCalls") from error
    check_depth(value, "toolCalls")
    return loose_objects(value)

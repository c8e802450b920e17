"""Chats of ChatGPT's data export: `conversations.json`, alone or in the ZIP archive, also cut into numbered files.

OpenAI describes the archive (help.openai.com, "How do I export my ChatGPT history and data?") and not the form of the
file. Sources for that: mohamed-chs/convoviz, docs/dev/chatgpt-spec.md, version 3.0 of 2026-02-05;
mitkury/chatgpt-export-parser, docs/chatgpt-data-export-format.md at 08e6ae5; open-webui/open-webui,
src/lib/utils/index.ts (`convertOpenAIMessages`) at 016bb24. Times are seconds.
"""

from __future__ import annotations

from collections.abc import Iterator

from llamachat.core.conversation import Conversation
from llamachat.core.messages import JsonObject, JsonValue, Status
from llamachat.core.text import clean
from llamachat.core.whole_chat import WholeChat
from llamachat.transfer.attached import fenced, named_attachment
from llamachat.transfer.documents import Document
from llamachat.transfer.importers.chatgpt_sources import asked_queries, cited_text, found_searches
from llamachat.transfer.json_fields import (
    loose_objects,
    loose_text,
    name_of,
    object_of,
    seconds_of,
    text_of,
    wrong_kind,
)
from llamachat.transfer.message_tree import MessageTree, Node

_STATUS = {"in_progress": Status.INTERRUPTED, "error": Status.FAILED}
_FINISH = {"stop": "stop", "max_tokens": "length", "interrupted": "stop"}
_INSTRUCTIONS = ("user_profile", "user_instructions", "about_user_message", "about_model_message")


def recognises(value: JsonObject) -> bool:
    """Whether this is a conversation with its mapping, or an object around many."""
    return "mapping" in value or _is_wrapper(value)


def chats(values: Iterator[JsonObject], document: Document) -> Iterator[WholeChat]:
    """Yield the chats, each with its versions."""
    for value in values:
        for row in loose_objects(value["conversations"]) if _is_wrapper(value) else [value]:
            if "mapping" not in row:
                raise wrong_kind("mapping")
            yield from _chat(row, document)


def _is_wrapper(value: JsonObject) -> bool:
    inner = value.get("conversations")
    return isinstance(inner, list) and all(isinstance(row, dict) and "mapping" in row for row in inner)


def _chat(row: JsonObject, document: Document) -> Iterator[WholeChat]:
    tree = MessageTree("ChatGPT", document.reading)
    mapping = object_of(row, "mapping")
    for key in mapping:
        tree.add(_node(key, object_of(mapping, key)))
    known = Conversation(
        id=0,
        uid="",
        title=text_of(row, "title"),
        created_at=seconds_of(row, "create_time"),
        updated_at=seconds_of(row, "update_time"),
        pinned=row.get("is_starred") is True,
        archived=row.get("is_archived") is True,
    )
    name = name_of(row, "conversation_id") or name_of(row, "id")
    yield from tree.whole_chat(known, key=name, current=name_of(row, "current_node"))


def _node(key: str, node: JsonObject) -> Node:
    parent, message = name_of(node, "parent"), object_of(node, "message")
    content, metadata = object_of(message, "content"), object_of(message, "metadata")
    role = text_of(object_of(message, "author"), "role")
    kind = text_of(content, "content_type")
    if prompt := _instructions(content, metadata):
        return Node(key, parent, role="system", content=prompt)
    said = "" if metadata.get("is_visually_hidden_from_conversation") is True else _said(message, content, kind)
    thoughts = _thoughts(content) if kind == "thoughts" else ""
    if not said and not thoughts:
        return Node(key, parent, query=asked_queries(metadata), hidden=_holds_text(content))
    ended = loose_text(object_of(metadata, "finish_details"), "type")
    return Node(
        key,
        parent,
        role="user" if role == "user" else "assistant",
        content=cited_text(said, metadata),
        reasoning=thoughts,
        searches=found_searches(metadata) if said else (),
        model=loose_text(metadata, "model_slug") if role == "assistant" else "",
        status=Status.STOPPED if ended == "interrupted" else _STATUS.get(text_of(message, "status"), Status.COMPLETE),
        finish_reason=_FINISH.get(ended, ""),
        attachments=sum(_is_attachment(part) for part in loose_objects(content.get("parts"))),
        created_at=seconds_of(message, "create_time"),
    )


def _instructions(content: JsonObject, metadata: JsonObject) -> str:
    """The user's own instructions, which the program keeps in a hidden message."""
    parts = [loose_text(content, name) for name in _INSTRUCTIONS]
    parts += [loose_text(object_of(metadata, "user_context_message_data"), name) for name in _INSTRUCTIONS]
    return "\n\n".join(dict.fromkeys(filter(None, (part.strip() for part in parts))))


def _said(message: JsonObject, content: JsonObject, kind: str) -> str:
    """What people saw of a message; "" for steps that were hidden."""
    role = text_of(object_of(message, "author"), "role")
    recipient = text_of(message, "recipient") or "all"
    if kind == "code" and role == "assistant" and recipient in ("all", "python"):
        text = text_of(content, "text")
        return fenced(text, "python" if recipient == "python" else "") if text else ""
    if kind == "execution_output":
        return fenced(text_of(content, "text"))
    hidden = role == "system" or recipient != "all" or kind not in ("text", "multimodal_text", "")
    if hidden or (role == "tool" and kind != "multimodal_text"):
        return ""
    parts = content.get("parts")
    if parts is not None and not isinstance(parts, list):
        raise wrong_kind("parts")
    return "\n\n".join(filter(None, (_part(part) for part in parts or [])))


def _part(part: JsonValue) -> str:
    if isinstance(part, str):
        return clean(part)
    if not isinstance(part, dict):
        return ""
    if not _is_attachment(part):
        return loose_text(part, "text")
    return named_attachment(loose_text(part, "content_type").replace("_asset_pointer", "").replace("_", " "))


def _is_attachment(part: JsonObject) -> bool:
    return not loose_text(part, "text")


def _holds_text(content: JsonObject) -> bool:
    parts = content.get("parts")
    texts = [*(parts if isinstance(parts, list) else []), content.get("text")]
    return any(isinstance(text, str) and text.strip() for text in texts)


def _thoughts(content: JsonObject) -> str:
    texts = [
        "\n\n".join(filter(None, (loose_text(thought, "summary"), loose_text(thought, "content"))))
        for thought in loose_objects(content.get("thoughts"))
    ]
    return "\n\n".join(filter(None, texts))

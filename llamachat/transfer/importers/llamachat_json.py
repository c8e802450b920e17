"""Chats as this program exports them. Source: docs/export.md.

What is not as that page says is refused: the file was not written by this program, or has been changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from enum import StrEnum
from typing import Any, get_type_hints

from llamachat.core.conversation import Conversation
from llamachat.core.errors import TransferError
from llamachat.core.messages import JsonObject, JsonValue, Status, StoredMessage, Usage, WireMessage
from llamachat.core.search_record import SearchRecord, record_from_json
from llamachat.core.tag import tag_name
from llamachat.core.text import clean, tr
from llamachat.core.whole_chat import WholeChat
from llamachat.transfer.documents import Document
from llamachat.transfer.json_export import FORMAT, VERSION
from llamachat.transfer.json_fields import check_depth, object_of, objects_of, wrong_kind

_UID = re.compile(r"[0-9a-f]{32}")
# Until the year 9000: what lies beyond cannot be shown as a date everywhere.
_LATEST_S = 221_845_392_000.0
_MOST_TAGS = 1000
_PLAIN = (str, float, int, bool)
_NAMES = frozenset({"id", "uid", "conversation_id", "results_kept_from", "forked"})
_WIRE_ROLES = ("user", "assistant", "tool")


def recognises(value: JsonObject) -> bool:
    """Whether this is a chat that the program exported."""
    return value.get("format") == FORMAT


def chats(values: Iterator[JsonObject], document: Document) -> Iterator[WholeChat]:
    """Yield the chats, exactly as they were exported but for answers that were being written then."""
    for value in values:
        if not recognises(value):
            raise wrong_kind("format")
        version = value.get("version")
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise wrong_kind("version")
        if version > VERSION:
            raise TransferError(tr("it was written by a newer version of llamachat"))
        yield _chat(value)


def _chat(value: JsonObject) -> WholeChat:
    numbers: dict[str, int] = {}
    messages = []
    for row in objects_of(value, "messages"):
        message = _message(row, numbers)
        numbers[message.uid] = message.id
        messages.append(message)
    row = object_of(value, "conversation")
    last_shortened = _number(row, "results_shortened_to", numbers)
    conversation = Conversation(
        **_known(row, Conversation),
        id=0,
        uid=_uid(row),
        head_id=_number(row, "head", numbers),
        tags=_tags(row),
        results_kept_from=last_shortened + 1 if last_shortened else 0,
    )
    return WholeChat(conversation, tuple(messages))


def _tags(row: JsonObject) -> tuple[str, ...]:
    tags = row.get("tags", [])
    if not isinstance(tags, list) or len(tags) > _MOST_TAGS:
        raise wrong_kind("tags")
    names = [tag_name(tag) if isinstance(tag, str) else "" for tag in tags]
    if not all(names):
        raise wrong_kind("tags")
    return tuple(names)


def _message(row: JsonObject, numbers: dict[str, int]) -> StoredMessage:
    given = _known(row, StoredMessage)
    if given.get("status") is Status.STREAMING:
        given["status"] = Status.INTERRUPTED
    uid = _uid(row)
    if uid in numbers:
        raise TransferError(tr("a message is in it twice"))
    return StoredMessage(
        **given,
        id=len(numbers) + 1,
        uid=uid,
        conversation_id=0,
        parent_id=_number(row, "parent", numbers),
        searches=tuple(_search(search) for search in objects_of(row, "searches")),
        wire=tuple(_wire(message) for message in objects_of(row, "wire")),
        usage=_usage(object_of(row, "usage")),
    )


def _uid(row: JsonObject) -> str:
    uid = row.get("uid")
    if not isinstance(uid, str) or not _UID.fullmatch(uid):
        raise wrong_kind("uid")
    return uid


def _number(row: JsonObject, key: str, numbers: dict[str, int]) -> int | None:
    """The number of the message that a field names; every message comes after its parent, so no circle can be."""
    uid = row.get(key)
    if uid is None:
        return None
    if not isinstance(uid, str) or uid not in numbers:
        raise wrong_kind(key)
    return numbers[uid]


def _known(row: JsonObject, whole: type[Conversation | StoredMessage]) -> dict[str, Any]:
    """The plain fields of a row of ours, each of its kind; a field that is missing keeps what it has without."""
    hints = get_type_hints(whole)
    given: dict[str, Any] = {}
    for field in fields(whole):
        name, kind = field.name, hints[field.name]
        if name in _NAMES or not (kind in _PLAIN or (isinstance(kind, type) and issubclass(kind, StrEnum))):
            continue
        if name in row:
            given[name] = _plain(row[name], kind, name)
        elif field.default is MISSING:
            raise wrong_kind(name)
    return given


def _plain(value: JsonValue, kind: type, key: str) -> object:
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        if 0 <= value < _LATEST_S:
            return float(value)
    elif isinstance(value, str) and issubclass(kind, StrEnum) and value in kind.__members__.values():
        return kind(value)
    elif kind is str and isinstance(value, str):
        return clean(value)
    elif kind in (bool, int) and type(value) is kind:
        return value
    raise wrong_kind(key)


def _search(row: JsonObject) -> SearchRecord:
    if row.get("at") is not None:
        _plain(row["at"], float, "at")  # shown as a date
    return record_from_json(json.dumps(row))


def _wire(message: JsonObject) -> WireMessage:
    if message.get("role") not in _WIRE_ROLES:
        raise wrong_kind("wire")
    check_depth(message, "wire")
    return message


def _usage(row: JsonObject) -> Usage:
    numbers: dict[str, Any] = {}
    for field in fields(Usage):
        value = row.get(field.name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong_kind(field.name)
        numbers[field.name] = value
    return Usage(**numbers)

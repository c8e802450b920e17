"""Between a StoredMessage and its row: which field is which column, as text that every part can carry."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from typing import cast

from llamachat.core.messages import JsonValue, Role, Status, StoredMessage, StreamMark, Usage, WireMessage
from llamachat.core.search_record import SearchRecord, record_row, records_from_json
from llamachat.core.text import clean
from llamachat.storage.database import Value

COLUMNS = (
    "messages.id, messages.uid, messages.conversation_id, messages.parent_id, messages.role, messages.content, "
    "messages.reasoning, messages.prompt, messages.searches, messages.wire, messages.model, messages.status, "
    "messages.finish_reason, messages.error, messages.usage, messages.created_at, "
    "messages.edited, messages.stream_id, messages.stream_offset, messages.stream_state"
)

_MARKED = ("server", "content", "reasoning", "content_from", "reasoning_from")
_USAGE = frozenset(field.name for field in fields(Usage))


def column_values(given: Mapping[str, object]) -> dict[str, Value]:
    """The columns of the fields that were given."""
    columns = {name: _column(value) for name, value in given.items() if name != "stream"}
    return columns | _stream_columns(cast("StreamMark | None", given["stream"])) if "stream" in given else columns


def message_from_row(row: sqlite3.Row) -> StoredMessage:
    """The message in a row of COLUMNS; what an older program left out reads as none."""
    return StoredMessage(
        id=row["id"],
        uid=row["uid"],
        conversation_id=row["conversation_id"],
        parent_id=row["parent_id"],
        role=Role(row["role"]),
        content=row["content"],
        reasoning=row["reasoning"] or "",
        prompt=row["prompt"] or "",
        searches=records_from_json(row["searches"]),
        wire=_wire(row["wire"]),
        model=row["model"],
        status=_status(row["status"]),
        finish_reason=row["finish_reason"],
        error=row["error"],
        usage=_usage(row["usage"]),
        created_at=row["created_at"],
        edited=bool(row["edited"]),
        stream=_stream(row),
    )


def _column(value: object) -> Value:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, Usage):
        return json.dumps(_counts(value))
    items = [record_row(one) if isinstance(one, SearchRecord) else one for one in cast("tuple[object, ...]", value)]
    return json.dumps(_cleaned(items), ensure_ascii=False) if items else None


def _counts(usage: Usage) -> dict[str, JsonValue]:
    return {name: number for name, number in asdict(usage).items() if number is not None}


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list | tuple) else value


def _stream_columns(mark: StreamMark | None) -> dict[str, Value]:
    if mark is None:
        return {"stream_id": None, "stream_offset": None, "stream_state": None}
    numbers: dict[str, JsonValue] = {name: getattr(mark, name) for name in _MARKED}
    numbers["usage"] = _counts(mark.usage)
    return {"stream_id": mark.id, "stream_offset": mark.offset, "stream_state": json.dumps(numbers)}


def _stream(row: sqlite3.Row) -> StreamMark | None:
    state = _parsed(row["stream_state"])
    if not row["stream_id"] or not isinstance(state, dict):
        return None
    lengths = {name: value if isinstance(value := state.get(name), int) else 0 for name in _MARKED[1:]}
    server = state.get("server")
    return StreamMark(
        row["stream_id"],
        row["stream_offset"] or 0,
        server=server if isinstance(server, str) else "",
        usage=_known_counts(state.get("usage")),
        **lengths,
    )


def _wire(text: str | None) -> tuple[WireMessage, ...]:
    items = _parsed(text)
    return tuple(item for item in items if isinstance(item, dict)) if isinstance(items, list) else ()


def _usage(text: str | None) -> Usage:
    return _known_counts(_parsed(text))


def _known_counts(numbers: JsonValue) -> Usage:
    if not isinstance(numbers, dict):
        return Usage()
    known = {name: value for name, value in numbers.items() if name in _USAGE and isinstance(value, int | float)}
    return Usage(**cast("dict[str, int]", known))


def _status(text: str) -> Status:
    return Status(text) if text in Status.__members__.values() else Status.COMPLETE


def _parsed(text: str | None) -> JsonValue:
    """The JSON in a column; NULL and what is none (a rescued row) read as null."""
    with suppress(ValueError):
        value: JsonValue = json.loads(text) if text else None
        return value
    return None

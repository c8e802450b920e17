"""Between a StoredMessage and its row: which field is which column, as text that every part can carry."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import cast

from llamachat.core.messages import Role, Status, StoredMessage, Usage, WireMessage
from llamachat.core.search_record import SearchRecord, records_from_json, records_to_json
from llamachat.core.text import clean
from llamachat.storage.database import Value

COLUMNS = (
    "messages.id, messages.uid, messages.conversation_id, messages.parent_id, messages.role, messages.content, "
    "messages.reasoning, messages.prompt, messages.searches, messages.wire, messages.model, messages.status, "
    "messages.finish_reason, messages.error, messages.usage, messages.created_at"
)


def column_values(given: Mapping[str, object]) -> dict[str, Value]:
    """The columns of the fields that were given."""
    return {name: _column(value) for name, value in given.items()}


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
        status=Status(row["status"]),
        finish_reason=row["finish_reason"],
        error=row["error"],
        usage=_usage(row["usage"]),
        created_at=row["created_at"],
    )


def _column(value: object) -> Value:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Usage):
        return json.dumps({name: number for name, number in asdict(value).items() if number is not None})
    records = cast("tuple[SearchRecord | WireMessage, ...]", value)
    if records and isinstance(records[0], SearchRecord):
        return clean(records_to_json(cast("tuple[SearchRecord, ...]", records)) or "")
    return json.dumps(_cleaned(list(records)), ensure_ascii=False) if records else None


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list | tuple) else value


def _wire(text: str | None) -> tuple[WireMessage, ...]:
    return tuple(json.loads(text)) if text else ()


def _usage(text: str | None) -> Usage:
    known = {field.name for field in fields(Usage)}
    numbers = json.loads(text) if text else {}
    return Usage(**{name: number for name, number in numbers.items() if name in known})

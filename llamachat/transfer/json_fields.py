"""Fields of JSON from strangers, by kind: what is missing reads as none, what is of another kind is refused."""

from __future__ import annotations

from dataclasses import fields
from typing import cast

from llamachat.core.errors import TransferError
from llamachat.core.messages import JsonObject, JsonValue, Usage
from llamachat.core.text import clean, tr

# 2100-01-01. Other programs count seconds, milliseconds or less: what is beyond is brought down to seconds.
_LATEST_S = 4_102_444_800.0
_MAX_DEPTH = 30


def text_of(row: JsonObject, key: str) -> str:
    """The text of a field, cleaned; "" where it is missing or null."""
    value = row.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise wrong_kind(key)
    return clean(value)


def name_of(row: JsonObject, key: str) -> str | None:
    """The text of a field that names something; None where it is missing, null or empty. Numbers name as well."""
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_of(row, key) or None


def object_of(row: JsonObject, key: str) -> JsonObject:
    """The object in a field; an empty one where it is missing or null."""
    value = row.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong_kind(key)
    return value


def objects_of(row: JsonObject, key: str) -> list[JsonObject]:
    """The objects in a list; none where it is missing or null."""
    value = row.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong_kind(key)
    return [_object(item, key) for item in value]


def loose_objects(value: JsonValue) -> list[JsonObject]:
    """The objects in what may be a list; anything else is passed over. For what matters to nobody's chat."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def loose_text(row: JsonObject, key: str) -> str:
    """The text of a field; "" where there is none. For what matters to nobody's chat."""
    value = row.get(key)
    return clean(value) if isinstance(value, str) else ""


def seconds_of(row: JsonObject, *keys: str) -> float:
    """The first time that is given in one of the fields, in seconds since 1970; 0 where none is."""
    for key in keys:
        value = row.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong_kind(key)
        if seconds := _seconds(value):
            return seconds
    return 0.0


def usage_of(row: JsonObject) -> Usage:
    """The counts and times of an answer that the program keeps as well, by the names that llama-server gives them."""
    numbers = {field.name: row.get(field.name) for field in fields(Usage)}
    known = {name: value for name, value in numbers.items() if isinstance(value, int | float) and 0 <= value < 2**53}
    return Usage(**cast("dict[str, int]", known))


def check_depth(value: JsonValue, key: str) -> None:
    """Raises TransferError for what is kept as it is and nested deeper than the program itself ever would."""
    waiting = [(value, 0)]
    while waiting:
        inner, depth = waiting.pop()
        if depth > _MAX_DEPTH:
            raise wrong_kind(key)
        if isinstance(inner, dict | list):
            waiting += [(item, depth + 1) for item in (inner.values() if isinstance(inner, dict) else inner)]


def wrong_kind(key: str) -> TransferError:
    """What is said of a field that holds something else than it should."""
    return TransferError(tr("“{key}” in it is not what it should be").format(key=clean(key)))


def _object(item: JsonValue, key: str) -> JsonObject:
    if not isinstance(item, dict):
        raise wrong_kind(key)
    return item


def _seconds(value: float) -> float:
    """Seconds, from those, milli-, micro- or nanoseconds; 0 for what is no time."""
    seconds = max(0.0, float(value))
    while seconds > _LATEST_S:
        seconds /= 1000
    return seconds

"""Looking into JSON of unknown shape: what is not there, or of another kind, is nothing."""

from __future__ import annotations

from llamachat.core.messages import JsonObject, JsonValue


def inside(value: JsonValue, *path: str | int) -> JsonValue:
    """What stands at the end of the path of keys and indices; None where it breaks off."""
    for step in path:
        if isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def text_at(value: JsonValue, *path: str | int) -> str:
    """The text at the end of the path, "" where there is none."""
    found = inside(value, *path)
    return found if isinstance(found, str) else ""


def objects_at(value: JsonValue, *path: str | int) -> list[JsonObject] | None:
    """The objects in the list at the end of the path; None where there is no list."""
    found = inside(value, *path)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else None

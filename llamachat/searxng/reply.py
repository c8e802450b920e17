"""An HTTP answer as it came, whole and unpacked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from llamachat.core.messages import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers by lower-case name, body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; bytes that are not UTF-8 become U+FFFD."""
        return self.body.decode("utf-8-sig", "replace")

    def json_object(self) -> JsonObject | None:
        """The JSON object in the body; None where there is none, or one too deep to read."""
        try:
            value: JsonValue = json.loads(self.text)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

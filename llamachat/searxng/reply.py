"""An HTTP answer as it came, whole and unpacked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from llamachat.core.messages import JsonObject
from llamachat.searxng.secrets import Mask


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers by lower-case name, body. `mask` hides the secrets of the address in what is read of it."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    mask: Mask = field(default_factory=Mask)

    @property
    def text(self) -> str:
        """The body as it came, not for quoting; bytes that are not UTF-8 become U+FFFD."""
        return self.body.decode("utf-8-sig", "replace")

    def json_object(self) -> JsonObject | None:
        """The JSON object in the body; None where there is none, or one too deep to read."""
        try:
            value = self.mask.value(json.loads(self.text))
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

"""What came of a page that was to be read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadPage:
    """Its text and who read it, or why there is none."""

    text: str = ""
    via: str = ""
    note: str = ""
    error: str = ""

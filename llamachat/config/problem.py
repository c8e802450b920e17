"""What is wrong with config.toml, as a value that becomes a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from llamachat.core.text import tr

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake. `key` may be "" where none can be named; `reason` is one or two sentences.

    An error keeps the program from writing the file until it is mended; a warning does not.
    """

    line: int | None
    key: str
    reason: str
    severity: Severity = "error"

    def __str__(self) -> str:
        where = [tr("line {line}").format(line=self.line)] if self.line else []
        where += [self.key] if self.key else []
        if not where:
            return self.reason
        place = ", ".join(where)
        return f"{place[0].upper() if self.line else place[0]}{place[1:]}: {self.reason}"

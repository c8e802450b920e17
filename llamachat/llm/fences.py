"""Whether streamed Markdown stands inside a fenced code block, where marks are meant literally. No I/O."""

from __future__ import annotations

import re

_MAX_LINE = 400  # what decides stands at the beginning of a line
_FENCE = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(`{3,}|~{3,})(.*)")


class FenceTracker:
    """Feed it the text in order. `inside` tells about the line that comes next, `line` is the one begun."""

    def __init__(self) -> None:
        self.inside = False
        self.line = ""
        self._fence = ""

    def feed(self, text: str) -> None:
        """Take the text that follows."""
        *ended, rest = text.split("\n")
        for tail in ended:
            self._end_line(self.line + tail)
            self.line = ""
        self.line = (self.line + rest)[:_MAX_LINE] if len(self.line) < _MAX_LINE else self.line

    def at_line_start(self, text: str = "") -> bool:
        """True when nothing but spaces, quote marks or a list mark stands before what follows `text`."""
        line = text.rpartition("\n")[2] if "\n" in text else self.line + text
        return re.fullmatch(r"[\s>]*(?:(?:[-*+]|\d{1,3}[.)])\s+)?", line) is not None

    def _end_line(self, line: str) -> None:
        if "```" not in line and "~~~" not in line:
            return
        match = _FENCE.match(line)
        if match is None:
            return
        fence, info = match.groups()
        if not self.inside:
            self.inside = fence[0] == "~" or "`" not in info
            self._fence = fence
        elif fence.startswith(self._fence) and not info.strip():
            self.inside = False

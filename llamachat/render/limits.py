"""How much of a message is drawn: very long lines are cut, and very long messages end early.

A line of a megabyte or a hundred thousand lines would hold the window up at every change. What is cut is still in
the message: Copy gives it, and a link draws all of it.
"""

from __future__ import annotations

from dataclasses import dataclass

_CUT_MARK = "…"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is drawn of each line, and of a message."""

    line_chars: int = 10_000
    lines: int = 15_000
    chars: int = 400_000


DEFAULT_LIMITS = Limits()
TYPED_LIMITS = Limits(lines=5_000)  # of what people paste, which comes all at once


@dataclass(slots=True)
class Intake:
    """Lets through what is drawn of a text that comes bit by bit (line ends are `\\n`); `cut`: some was left out.

    What comes out depends on the whole text so far alone, not on the bits. Lines keep their numbers.
    """

    limits: Limits | None = DEFAULT_LIMITS
    cut: bool = False
    _line_chars: int = 0
    _lines: int = 0
    _chars: int = 0

    def take(self, text: str) -> str:
        """What is drawn of the next bit."""
        limits = self.limits
        if limits is None:
            return text
        lines = text.split("\n", limits.lines - self._lines + 1)
        taken = []
        for number, line in enumerate(lines):
            if number:
                self._lines += 1
                self._line_chars = 0
            if self._lines >= limits.lines or self._chars >= limits.chars:
                self.cut |= text != ""
                break
            taken.append(("\n" if number else "") + self._take_line(line, limits))
        return "".join(taken)

    def _take_line(self, line: str, limits: Limits) -> str:
        room = min(limits.line_chars - self._line_chars, limits.chars - self._chars)
        shown = line[: max(room, 0)]
        crosses = self._line_chars <= limits.line_chars < self._line_chars + len(line)
        self._line_chars += len(line)
        self._chars += len(shown)
        mark = _CUT_MARK if crosses and self._chars < limits.chars else ""
        self.cut |= len(shown) < len(line)
        return shown + mark


def drawn_part(text: str, limits: Limits | None) -> tuple[str, bool]:
    """What is drawn of a whole text, and whether something was left out."""
    intake = Intake(limits)
    return intake.take(text), intake.cut

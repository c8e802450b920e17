"""How far reading a file of chats has come, and what it has met that does not become part of a chat here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from llamachat.core.text import tr, trn

_MOST_NAMES = 200


@dataclass(slots=True)
class Reading:
    """Filled while chats are read. `watch` is told after every piece of a file, and may raise Cancelled to stop.

    formats: the programs that the chats are of. passed_over: names of files that hold no chats, the first ones;
    other_files: how many there are. empty_chats, attachments, hidden_steps: how many were left out.
    """

    watch: Callable[[Reading], object] = lambda _: None
    read_bytes: int = 0
    total_bytes: int = 0
    formats: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    other_files: int = 0
    empty_chats: int = 0
    attachments: int = 0
    hidden_steps: int = 0

    def take(self, count: int) -> None:
        """So many bytes more were read."""
        self.read_bytes += count
        self.watch(self)

    def recognise(self, name: str) -> None:
        """Chats of this program are in it."""
        if name not in self.formats:
            self.formats.append(name)

    def pass_over(self, name: str) -> None:
        """A file holds something else than chats."""
        self.other_files += 1
        if len(self.passed_over) < _MOST_NAMES:
            self.passed_over.append(name)


def left_out(reading: Reading) -> Iterator[str]:
    """Yield a sentence for each kind of thing that does not come along, with the reason."""
    if reading.attachments:
        yield trn(
            "Of {count} picture or file only the name is kept: attachments are not stored here.",
            "Of {count} pictures and files only the names are kept: attachments are not stored here.",
            reading.attachments,
        )
    if reading.hidden_steps:
        yield trn(
            "{count} step that the other program hides itself is left out.",
            "{count} steps that the other program hides itself are left out.",
            reading.hidden_steps,
        )
    if reading.empty_chats:
        yield trn(
            "{count} chat is left out because nothing was said in it.",
            "{count} chats are left out because nothing was said in them.",
            reading.empty_chats,
        )
    if reading.other_files:
        told = trn(
            "{count} file beside the chats holds something else",
            "{count} files beside the chats hold something else",
            reading.other_files,
        )
        yield f"{told}: {_names(reading)}"


def _names(reading: Reading) -> str:
    shown = ", ".join(reading.passed_over[:3])
    return tr("{names} and others.").format(names=shown) if reading.other_files > 3 else f"{shown}."

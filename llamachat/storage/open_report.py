"""What opening the database had to do, in sentences for the user."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from llamachat.core.text import tr, trn
from llamachat.storage.rescue import Rescue


@dataclass(frozen=True, slots=True)
class OpenReport:
    """Nothing on a normal day. `damaged` is where a damaged file lies now, `copy` a copy made before an update."""

    sentences: tuple[str, ...] = ()
    damaged: Path | None = None
    copy: Path | None = None


def read_only_report(path: Path) -> OpenReport:
    """The file or its folder may not be written to."""
    sentence = tr("The history can be read, but nothing is saved: {path} or its folder is write-protected.")
    return OpenReport((sentence.format(path=path), tr("Check the permissions, then start the program again.")))


def empty_report(copies: list[Path]) -> OpenReport:
    """The file was there and had no bytes."""
    return OpenReport((tr("The history file was empty. A new history has been started."), *_older(copies)))


def rescue_report(rescue: Rescue, copies: list[Path]) -> OpenReport:
    """The file was damaged and has been replaced."""
    kept = tr("The damaged file is kept as {path}.").format(path=rescue.damaged)
    if not rescue.messages:
        read = tr("The history was damaged, and no message in it could be read. A new history has been started.")
        return OpenReport((read, kept, *_older(copies)), damaged=rescue.damaged)
    read = trn(
        "The history was damaged. One message of it was rescued.",
        "The history was damaged. {count} messages of it were rescued.",
        rescue.messages,
    )
    return OpenReport((read, kept, *_older(copies)), damaged=rescue.damaged)


def _older(copies: list[Path]) -> list[str]:
    if not copies:
        return []
    newest = tr("The newest copy is {path}.").format(path=copies[-1])
    return [newest, tr("To go back to it, close the program and run: llamachat history restore FILE")]

"""The JSON files that a path stands for: the file itself, what lies in a folder, or in a ZIP archive.

Nothing is ever unpacked to the disk, and no name in an archive is used as a path.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from llamachat.core.errors import TransferError
from llamachat.core.text import clean, tr
from llamachat.transfer.json_values import Readable
from llamachat.transfer.reading import Reading

# All that one import may read: what is larger is no history of chats.
MAX_BYTES = 4 * 2**30
ENDINGS = (".json", ".jsonl")


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON file, wherever it lies. `beside` gives another file of the same folder, or None."""

    name: str
    open: Callable[[], AbstractContextManager[Readable]]
    beside: Callable[[str], Document | None]
    chosen: bool = False  # named by the user: then it has to hold chats
    reading: Reading = field(default_factory=Reading)


class Budget:
    """How many bytes may still be read; shared by all that is read for one import."""

    def __init__(self, max_bytes: int, refusal: str, reading: Reading) -> None:
        self._left = max_bytes
        self._refusal = refusal
        self.reading = reading

    def spend(self, count: int) -> None:
        """Raises TransferError where nothing is left, and what the reading's `watch` raises."""
        self._left -= count
        if self._left < 0:
            raise TransferError(self._refusal)
        self.reading.take(count)


class CountedStream:
    """A stream whose bytes are counted."""

    def __init__(self, stream: Readable, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int, /) -> bytes:
        """Like the stream's own; raises TransferError at the end of the budget."""
        data = self._stream.read(size)
        self._budget.spend(len(data))
        return data


def plain_documents(path: Path, reading: Reading) -> Iterator[Document]:
    """Yield the file, or all JSON files in the folder and below it, in the order of their names."""
    budget = Budget(MAX_BYTES, tr("it is larger than {limit} GB").format(limit=MAX_BYTES // 2**30), reading)
    files = list(_files_in(path)) if path.is_dir() else [path]
    reading.total_bytes += sum(file.stat().st_size for file in files if file.is_file())
    for file in files:
        yield _file(file, budget, chosen=file is path)


def _files_in(path: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(ENDINGS):
                yield Path(folder, name)


def _file(path: Path, budget: Budget, *, chosen: bool = False) -> Document:
    @contextmanager
    def opened() -> Iterator[Readable]:
        if not path.is_file():  # a pipe or a device would be waited for
            raise TransferError(tr("it is no file") if path.exists() else tr("there is no such file"))
        with path.open("rb") as stream:
            yield CountedStream(stream, budget)

    def beside(name: str) -> Document | None:
        other = path.with_name(name)
        return _file(other, budget) if other.is_file() else None

    return Document(clean(str(path)), opened, beside, chosen, budget.reading)

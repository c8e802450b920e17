"""ZIP archives from strangers: which JSON files are in one, read with a bound on everything they can cost.

Format: PKWARE APPNOTE 6.3. The list of an archive is read whole by Python's zipfile, and what bzip2 and LZMA unpack
from a few bytes cannot be bounded: so the list may only be so long, and only stored and deflated files are read.
"""

from __future__ import annotations

import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from llamachat.core.errors import TransferError
from llamachat.core.text import clean, tr
from llamachat.transfer.documents import ENDINGS, MAX_BYTES, Budget, Document
from llamachat.transfer.json_values import Readable, export_anew
from llamachat.transfer.reading import Reading

_MAGIC = b"PK\x03\x04"
_MAX_LIST_BYTES = 16 * 2**20
_MAX_RATIO, _SMALL_BYTES = 200, 64 * 2**20  # JSON shrinks to a tenth, seldom to less than a fiftieth
_END, _END_MAGIC, _LONGEST_END = struct.Struct("<4s4H2LH"), b"PK\x05\x06", 22 + 2**16
_LOCATOR, _LOCATOR_MAGIC = struct.Struct("<4sLQL"), b"PK\x06\x07"
_END_64, _END_64_MAGIC = struct.Struct("<4sQ2H2L4Q"), b"PK\x06\x06"
_READ = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED = 1
_NAME_CHARS = 200
# ChatGPT's: other JSON files beside them are attachments and ratings.
_CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")


def is_archive(path: Path) -> bool:
    """Whether the file begins as a ZIP archive does."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def archived_documents(path: Path, reading: Reading) -> Iterator[Document]:
    """Yield the JSON files of the archive, which can be read until the next one is asked for."""
    with path.open("rb") as stream:
        with _faults():
            _check_list(stream)
            archive = zipfile.ZipFile(stream)
        max_bytes = min(MAX_BYTES, max(_SMALL_BYTES, _MAX_RATIO * path.stat().st_size))
        refusal = tr("it unpacks to more than {limit} MB").format(limit=max_bytes // 2**20)
        with archive:
            members = _Members(path, archive, Budget(max_bytes, refusal, reading))
            names = members.names()
            reading.total_bytes += min(max_bytes, sum(archive.getinfo(name).file_size for name in names))
            for name in sorted({*archive.namelist()} - {*names}):
                if not name.endswith("/"):
                    reading.pass_over(clean(name[:_NAME_CHARS]))
            for name in names:
                yield members.document(name)


class _Members:
    """The JSON files of one open archive."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, budget: Budget) -> None:
        self._path = path
        self._archive = archive
        self._budget = budget

    def names(self) -> list[str]:
        names = [name for name in self._archive.namelist() if name.lower().endswith(ENDINGS)]
        return [name for name in names if _CONVERSATIONS.fullmatch(name)] or names

    def document(self, name: str) -> Document:
        @contextmanager
        def opened() -> Iterator[Readable]:
            with self._unpacked(name) as stream:
                yield _Unpacked(stream, self._budget)

        def beside(other: str) -> Document | None:
            sibling = posixpath.join(posixpath.dirname(name), other)
            return self.document(sibling) if sibling in self._archive.NameToInfo else None

        name_shown = clean(f"{self._path}/{name[:_NAME_CHARS]}")
        return Document(name_shown, opened, beside, reading=self._budget.reading)

    def _unpacked(self, name: str) -> IO[bytes]:
        with _faults():
            info = self._archive.getinfo(name)
            if info.flag_bits & _ENCRYPTED:
                raise TransferError(tr("it is locked with a password"))
            if info.compress_type not in _READ:
                raise TransferError(tr("it is packed in a way that is not read here"))
            return self._archive.open(info)


class _Unpacked:
    """A file of an archive while it is unpacked, with its bytes counted."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int, /) -> bytes:
        """The next bytes; raises TransferError where the archive is broken or the budget spent."""
        with _faults():
            data = self._stream.read(size)
        self._budget.spend(len(data))
        return data


def _check_list(stream: IO[bytes]) -> None:
    """Raises TransferError where the archive's list of files is too long to be read."""
    size = stream.seek(0, 2)
    start = max(0, size - _LONGEST_END)
    stream.seek(start)
    tail = stream.read()
    at = tail.rfind(_END_MAGIC)
    if at < 0 or at + _END.size > len(tail):
        raise zipfile.BadZipFile
    length: int = _END.unpack_from(tail, at)[5]
    lengths = [*_long_lists(stream, start + at - _LOCATOR.size)] or [length]
    if max(lengths) > _MAX_LIST_BYTES:
        raise TransferError(tr("it holds too many files"))
    stream.seek(0)


def _long_lists(stream: IO[bytes], locator_at: int) -> Iterator[int]:
    """Yield the length of the list as archives of more than 4 GB give it: where that is said to stand, and before."""
    locator = _record(stream, locator_at, _LOCATOR, _LOCATOR_MAGIC)
    for place in (locator[2], locator_at - _END_64.size) if locator else ():
        if end := _record(stream, place, _END_64, _END_64_MAGIC):
            yield end[8]


def _record(stream: IO[bytes], place: int, form: struct.Struct, magic: bytes) -> tuple[Any, ...]:
    """The fields of a record, none where another thing stands in its place."""
    if not 0 <= place < 2**63:
        return ()
    stream.seek(place)
    data = stream.read(form.size)
    return form.unpack(data) if len(data) == form.size and data.startswith(magic) else ()


@contextmanager
def _faults() -> Iterator[None]:
    """Turn what Python's zipfile raises for broken archives into a TransferError."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error, ValueError, OverflowError) as error:
        raise TransferError(tr("it is no whole ZIP archive"), export_anew()) from error
    except NotImplementedError as error:
        raise TransferError(tr("it is packed in a way that is not read here")) from error

"""A body unpacked within bounds, piece by piece: a stranger's gzip of 200 kB may hold 200 MB. No I/O."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from llamachat.core.errors import PageError
from llamachat.core.text import tr

MEGABYTE = 1024 * 1024


def unpacked(pieces: Iterable[bytes], encoding: str, *, wire_bytes: int, most_bytes: int) -> bytes:
    """The whole body; raises PageError. encoding: the Content-Encoding, of which only gzip is undone.

    wire_bytes bounds what is received, most_bytes what it unpacks to.
    """
    unpacker = _unpacker(encoding)
    body, received = bytearray(), 0
    for piece in pieces:
        received += len(piece)
        if received > wire_bytes:
            raise too_large(wire_bytes)
        try:
            body += unpacker.decompress(piece, most_bytes + 1 - len(body)) if unpacker else piece
        except zlib.error:
            raise PageError(tr("its gzip is damaged")) from None
        if len(body) > most_bytes:
            raise PageError(tr("it unpacks to more than {size} MB").format(size=most_bytes // MEGABYTE))
    if unpacker and received and not unpacker.eof:
        raise PageError(tr("it ended in the middle"))
    return bytes(body)


def too_large(limit_bytes: int) -> PageError:
    """The error for a page that is larger than what is fetched."""
    return PageError(tr("it is larger than {size} MB").format(size=limit_bytes // MEGABYTE))


def _unpacker(encoding: str) -> zlib._Decompress | None:
    names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in ("", "identity")]
    if not names:
        return None
    if names in (["gzip"], ["x-gzip"]):
        return zlib.decompressobj(wbits=31)
    raise PageError(tr("it is packed in a way that was not asked for ({name})").format(name=", ".join(names)[:40]))

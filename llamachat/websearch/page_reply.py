"""What a server answered, as a page: judged by its head before its body is read. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from llamachat.core.errors import PageError
from llamachat.core.plain_text import cut_at_word, plain_line
from llamachat.core.raw_page import RawPage
from llamachat.core.text import tr
from llamachat.websearch.unpack import MEGABYTE, too_large, unpacked

_REDIRECTS = (301, 302, 303, 307, 308)
_TURNED_AWAY = (401, 402, 403, 407, 429, 451, 503)
_GONE = (404, 410)
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([^\s"';,]{1,40})""", re.IGNORECASE)
# The kinds that hold text, and those that may: nothing, and bytes of no known kind.
_READABLE = re.compile(
    r"|text/.*|application/(?:xhtml\+xml|xml|json|pdf|x-pdf|octet-stream|[a-z0-9.-]*\+(?:xml|json))"
)


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """timeout_s spans everything from the first look-up to the last byte, redirects included."""

    timeout_s: float = 10.0
    wire_bytes: int = 2 * MEGABYTE
    unpacked_bytes: int = 8 * MEGABYTE
    redirects: int = 5


def read_reply(
    status: int, headers: Mapping[str, str], pieces: Iterable[bytes], *, limits: FetchLimits
) -> RawPage | str:
    """The page, or the address that it is said to be at; raises PageError. headers: by lower-case name.

    pieces: the body as it comes over the wire; not touched unless it will be used.
    """
    if status in _REDIRECTS and "location" in headers:
        return headers["location"]
    if not 200 <= status < 300:
        raise PageError(_refusal(status))
    kind = headers.get("content-type", "")
    media_type = kind.partition(";")[0].strip().lower()
    if not _READABLE.fullmatch(media_type):
        raise not_text(media_type)
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > limits.wire_bytes:
        raise too_large(limits.wire_bytes)
    body = unpacked(
        pieces,
        headers.get("content-encoding", ""),
        wire_bytes=limits.wire_bytes,
        most_bytes=limits.unpacked_bytes,
    )
    charset = _CHARSET.search(kind)
    return RawPage(body, media_type, charset[1].lower() if charset else "")


def not_text(media_type: str) -> PageError:
    """The error for what is no page."""
    return PageError(tr("it is no text ({kind})").format(kind=cut_at_word(plain_line(media_type), 60)))


def _refusal(status: int) -> str:
    if status in _GONE:
        return tr("the page is not there any more ({status})").format(status=status)
    if status in _TURNED_AWAY:
        return tr("the server turns programs away ({status})").format(status=status)
    return tr("the server answered with the error {status}").format(status=status)

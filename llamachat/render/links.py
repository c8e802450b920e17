"""Addresses: which may be opened, how they are shown, and the program's own anchors inside the transcript.

Answers, titles and pages are written by strangers. Only what `allowed_link` lets through becomes a link, and it is
asked again when the link is clicked. The program's own anchors have a scheme that it never lets through.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import SplitResult, urlsplit

from markdown_it.common.normalize_url import normalizeLink

_SCHEMES = frozenset({"http", "https", "mailto"})
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\\<>\"]")
_LONGEST = 2000


def allowed_link(address: str) -> str | None:
    """The address in the form it may be opened in, or None: only http, https and mailto with somewhere to go."""
    text = normalizeLink(address.strip()) if len(address) <= _LONGEST else ""
    parts = _split(text)
    if parts is None or parts.scheme.lower() not in _SCHEMES or _FORBIDDEN.search(text):
        return None
    return text if _has_target(parts) else None


def describe_link(address: str) -> str:
    """What a tooltip says: the true address, and the host by itself where the address could mislead."""
    parts = _split(address)
    host = (parts.hostname or "") if parts else ""
    misleading = parts is not None and bool(host) and ("@" in parts.netloc or "xn--" in host)
    return f"{host}\n{address}" if misleading else address


def _split(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        return None
    return parts


def _has_target(parts: SplitResult) -> bool:
    if parts.scheme.lower() == "mailto":
        return "@" in parts.path
    return bool(parts.hostname)


class AnchorKind(StrEnum):
    """What an anchor of the program's own does."""

    SEARCH = "search"  # number: which search of the message
    REASONING = "reasoning"
    SAVE = "save"  # as with CODE
    CODE = "code"  # number: the line of the message's source where the code block starts
    COPY = "copy"
    RETRY = "retry"
    CONTINUE = "continue"
    SKIP_THINKING = "skip-thinking"  # go on with the answer itself
    DROP_RESULTS = "drop-results"  # of older searches, and try again
    SUMMARY = "summary"  # a new chat that begins with one of this chat
    NEW_CHAT = "new-chat"  # with the question of this answer
    SEARCH_AGAIN = "search-again"
    WHOLE = "whole"  # draw all of a long message


HELPS = (AnchorKind.SKIP_THINKING, AnchorKind.DROP_RESULTS, AnchorKind.SUMMARY, AnchorKind.NEW_CHAT)
"""What helps where a turn did not end well, beside going on and trying again."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An anchor of the program's own. Written as `x-llamachat-search:<message id>/<number>`."""

    kind: AnchorKind
    message_id: int
    number: int = 0

    def __str__(self) -> str:
        tail = f"/{self.number}" if self.kind in _NUMBERED else ""
        return f"x-llamachat-{self.kind}:{self.message_id}{tail}"


_NUMBERED = (AnchorKind.SEARCH, AnchorKind.CODE, AnchorKind.SAVE)
_ANCHOR = re.compile(rf"x-llamachat-({'|'.join(AnchorKind)}):(\d{{1,18}})(?:/(\d{{1,9}}))?")


def parse_anchor(text: str) -> Anchor | None:
    """The anchor that `text` is, or None."""
    match = _ANCHOR.fullmatch(text)
    if match is None:
        return None
    return Anchor(AnchorKind(match[1]), int(match[2]), int(match[3] or 0))

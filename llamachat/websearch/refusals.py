"""Replies without results: what the HTTP status means where the body says nothing better, and the wait they name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime

from llamachat.core.errors import SearchCause
from llamachat.searxng.reply import Reply
from llamachat.websearch.adapter import Refusal

_BY_STATUS = {
    400: SearchCause.BAD_QUERY,
    401: SearchCause.KEY_REJECTED,
    402: SearchCause.NO_CREDIT,
    403: SearchCause.FORBIDDEN,
    404: SearchCause.NOT_FOUND,
    408: SearchCause.TIMEOUT,
    413: SearchCause.BAD_QUERY,
    414: SearchCause.BAD_QUERY,
    422: SearchCause.BAD_QUERY,
    429: SearchCause.LIMITED,
}
_LONGEST_WAIT_S = 31 * 86400.0
_SAID_WAIT = re.compile(r"\b(?:retry|try again)[a-z ]{0,20}?(\d{1,6}) ?s(?:ec|econds|\b)", re.IGNORECASE)


def refusal_by_status(
    reply: Reply, words: str = "", *, causes: Mapping[int, SearchCause] | None = None
) -> Refusal | None:
    """The refusal that a status stands for; `causes` are a service's own statuses. None for 200."""
    status = reply.status
    if status == 200:
        return None
    cause = (causes or {}).get(status) or _BY_STATUS.get(status)
    if cause is None:
        cause = SearchCause.REDIRECTED if 300 <= status < 400 else SearchCause.UNREADABLE
        cause = SearchCause.SERVER_FAULT if status >= 500 else cause
    return Refusal(cause, words)


def wait_named(reply: Reply, words: str, *, now: float) -> float | None:
    """Seconds to wait, from the headers or the words; None where there are none that make sense."""
    milliseconds = _number(reply.headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000)
    header = reply.headers.get("retry-after", "")
    seconds = _number(header)
    if seconds is None:
        with suppress(ValueError, OverflowError):
            seconds = parsedate_to_datetime(header).timestamp() - now
    if seconds is None and (said := _SAID_WAIT.search(words)):
        seconds = float(said[1])
    return None if seconds is None else _bounded(seconds)


def _number(text: str) -> float | None:
    """A plain number, not `inf` or `1e9`."""
    return float(text) if re.fullmatch(r"\s*\d{1,9}(?:\.\d{1,9})?\s*", text) else None


def _bounded(seconds: float) -> float:
    return min(max(math.ceil(seconds), 0), _LONGEST_WAIT_S)

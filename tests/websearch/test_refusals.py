"""Waits that a service asks for, in every form they come in, and what a status means."""

from __future__ import annotations

import pytest

from llamachat.core.errors import SearchCause
from llamachat.searxng.reply import Reply
from llamachat.websearch.refusals import refusal_by_status, wait_named

NOW = 1_790_000_000.0  # 2026-09-21 14:13:20 UTC


@pytest.mark.parametrize(
    ("headers", "words", "wait"),
    [
        ({"retry-after": "42"}, "", 42),
        ({"retry-after": " 1.2 "}, "", 2),
        ({"retry-after-ms": "1500", "retry-after": "9"}, "", 2),
        ({"retry-after": "Mon, 21 Sep 2026 14:14:20 GMT"}, "", 60),
        ({"retry-after": "Mon, 21 Sep 2026 14:12:20 GMT"}, "", 0),
        ({"retry-after": "999999999"}, "", 31 * 86400),
        ({"retry-after": "-5"}, "", None),
        ({"retry-after": "inf"}, "", None),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": ""}, "please retry after 12s, resets at noon", 12),
        ({}, "Try again in 30 seconds.", 30),
        ({}, "You did 12s of work", None),
        ({}, "", None),
    ],
)
def test_waits(headers: dict[str, str], words: str, wait: float | None) -> None:
    assert wait_named(Reply(429, headers, b""), words, now=NOW) == wait


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        (201, SearchCause.UNREADABLE),
        (301, SearchCause.REDIRECTED),
        (401, SearchCause.KEY_REJECTED),
        (402, SearchCause.NO_CREDIT),
        (403, SearchCause.FORBIDDEN),
        (418, SearchCause.UNREADABLE),
        (429, SearchCause.LIMITED),
        (500, SearchCause.SERVER_FAULT),
        (529, SearchCause.SERVER_FAULT),
    ],
)
def test_statuses(status: int, cause: SearchCause) -> None:
    refusal = refusal_by_status(Reply(status, {}, b""), "words")
    assert refusal is not None
    assert (refusal.cause, refusal.words) == (cause, "words")


def test_a_service_has_statuses_of_its_own() -> None:
    refusal = refusal_by_status(Reply(432, {}, b""), causes={432: SearchCause.NO_CREDIT})
    assert refusal is not None
    assert refusal.cause is SearchCause.NO_CREDIT
    assert refusal_by_status(Reply(200, {}, b"")) is None

"""How searches stand, in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from llamachat.ui.search_settings.guard_text import guard_text
from llamachat.websearch.guard import GuardStatus

NOW = 1_800_000_000.0  # 2027-01-15 08:00 UTC
STATUS = GuardStatus(sent=0, cached=0, paced=0, paused=0, since=0, paused_s=0, reason="", free=6)


def told(status: GuardStatus) -> list[str]:
    return guard_text(status, now=NOW, zone=UTC).split("\n")


@pytest.mark.claim("OP-044")
def test_a_pause_says_how_long_until_when_and_why() -> None:
    status = replace(STATUS, sent=12, cached=3, paced=2, paused=1, since=NOW - 3600, paused_s=240.0, reason="refused")
    assert told(status) == [
        "Sent: 12 · from cache: 3 · paced: 2 · refused while paused: 1",
        "Paused for 4 min, until 08:04: refused.",
        "Counted since 2027-01-15 07:00, for all windows and commands together.",
    ]


def test_nothing_is_said_of_a_pause_or_a_beginning_that_there_is_not() -> None:
    assert told(STATUS) == ["Sent: 0 · from cache: 0 · paced: 0 · refused while paused: 0"]


def test_a_used_up_burst_is_said() -> None:
    assert "has to wait" in told(replace(STATUS, sent=6, free=0))[1]

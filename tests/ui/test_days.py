"""Headings of the list of chats."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from llamachat.ui.days import heading, seconds_to_midnight

NOW = datetime(2026, 3, 10, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        (datetime(2026, 3, 10, 0, 0, tzinfo=UTC), "Today"),
        (datetime(2026, 3, 11, 0, 0, tzinfo=UTC), "Today"),  # a clock that was wrong
        (datetime(2026, 3, 9, 23, 59, tzinfo=UTC), "Yesterday"),
        (datetime(2026, 3, 9, 0, 0, tzinfo=UTC), "Yesterday"),
        (datetime(2026, 3, 8, 12, 0, tzinfo=UTC), "Last 7 days"),
        (datetime(2026, 3, 3, 12, 0, tzinfo=UTC), "Last 7 days"),
        (datetime(2026, 3, 2, 12, 0, tzinfo=UTC), "Last 30 days"),
        (datetime(2026, 2, 8, 12, 0, tzinfo=UTC), "Last 30 days"),
        (datetime(2026, 2, 7, 12, 0, tzinfo=UTC), "February 2026"),
        (datetime(2025, 12, 31, 12, 0, tzinfo=UTC), "December 2025"),
    ],
)
def test_a_time_falls_under_its_day(then: datetime, expected: str) -> None:
    assert heading(then.timestamp(), now=NOW.timestamp(), zone=UTC) == expected


def test_the_day_is_that_of_the_zone() -> None:
    east = timezone(timedelta(hours=9))
    then = datetime(2026, 3, 9, 16, 0, tzinfo=UTC)  # the 10th, one in the morning, in the east
    assert heading(then.timestamp(), now=NOW.timestamp(), zone=east) == "Today"
    assert heading(then.timestamp(), now=NOW.timestamp(), zone=UTC) == "Yesterday"


def test_the_headings_last_until_midnight() -> None:
    assert seconds_to_midnight(NOW.timestamp(), zone=UTC) == 23.5 * 3600

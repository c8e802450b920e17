"""How often an answer is drawn while it comes, and how much of it at once."""

from __future__ import annotations

import pytest

from llamachat.ui.flush_pace import LEAST_ROOM_CHARS, ROOM_CHARS, FlushPace


@pytest.mark.parametrize(
    ("cost_ms", "chars", "rest_ms"),
    [
        (2.0, 200, 33),
        (2.0, 12, 33),
        (2.0, 5, 110),  # a word at a time
        (2.0, 0, 33),  # the first word is awaited
        (20.0, 200, 60),
        (20.0, 5, 110),
        (100.0, 5, 300),
    ],
)
def test_the_rest_after_a_flush_grows_with_its_cost_and_is_longer_for_a_trickle(
    cost_ms: float, chars: int, rest_ms: int
) -> None:
    assert FlushPace().rest_ms(cost_ms=cost_ms, chars=chars) == rest_ms


def test_dear_flushes_take_less_at_once_and_cheap_ones_more() -> None:
    pace = FlushPace()
    pace.rest_ms(cost_ms=60, chars=1)
    assert pace.room == ROOM_CHARS // 2
    pace.rest_ms(cost_ms=30, chars=1)
    assert pace.room == ROOM_CHARS // 2
    pace.rest_ms(cost_ms=1, chars=1)
    assert pace.room == ROOM_CHARS
    for _ in range(20):
        pace.rest_ms(cost_ms=60, chars=1)
    assert pace.room == LEAST_ROOM_CHARS


def test_what_came_counts_by_the_time_in_which_it_came() -> None:
    pace = FlushPace()
    rests = [pace.rest_ms(cost_ms=2.0, chars=chars) for chars in (5, 12, 21, 30, 15, 5)]
    assert rests == [110, 110, 110, 33, 33, 110]

"""Values in short, and whether they are met."""

from __future__ import annotations

import pytest

from tests.bench.figures import Bar, Figure, percentile, spread
from tests.bench.transcript import what_missed


@pytest.mark.parametrize(("percent", "expected"), [(50, 2.0), (75, 3.0), (99, 4.0), (100, 4.0), (0, 1.0)])
def test_a_percentile_is_one_of_the_values(percent: float, expected: float) -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], percent) == expected


def test_a_percentile_leaves_the_rest_above_it() -> None:
    values = [float(number) for number in range(1, 1001)]
    assert sum(value > percentile(values, 99.9) for value in values) == 1


def test_a_spread_of_nothing_says_so() -> None:
    assert spread([]) == {"n": 0}
    assert spread([1.0, 2.0, 6.0]) == {"n": 3, "median": 2.0, "p99": 6.0, "max": 6.0}


def test_a_bar_is_met_up_to_its_value() -> None:
    assert Bar("x", 5.0, 5.0).as_json()["met"] is True
    assert Bar("x", 5.01, 5.0).as_json()["met"] is False


def test_a_time_on_the_wall_says_so_and_has_the_own_work_beside_it() -> None:
    told = Bar("x", 20.0, 15.0, "wall", 12.3456).as_json()
    assert (told["clock"], told["own"], told["met"]) == ("wall", 12.3, False)
    assert set(Bar("x", 1.0, 2.0).as_json()) == {"what", "value", "at_most", "met"}


def test_what_is_over_its_bar_and_what_broke_is_told() -> None:
    figure = Figure([Bar("one", 1.0, 2.0), Bar("two", 3.0, 2.0)]).as_json()
    assert what_missed("name", figure) == ["name: two: 3.0 > 2.0"]
    assert what_missed("name", {"broke": "no such server", "bars": []}) == ["name broke: no such server"]

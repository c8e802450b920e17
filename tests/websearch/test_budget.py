"""How much of pages a model gets to see."""

from __future__ import annotations

import pytest

from llamachat.websearch.budget import FirstUse, first_use, search_budget, shares


@pytest.mark.claim("ST-027")
@pytest.mark.parametrize(
    ("context", "limited", "lifted"), [(4096, 1228, 3072), (16384, 4915, 12288), (131072, 39321, 98304)]
)
def test_a_tenth_of_the_context_or_a_quarter_at_three_characters_a_token(
    context: int, limited: int, lifted: int
) -> None:
    assert search_budget(context, pages=3, page_limit=5000) == limited
    assert search_budget(context, pages=3, page_limit=0) == lifted


@pytest.mark.claim("ST-028")
@pytest.mark.parametrize("context", [None, 0])
def test_a_context_that_is_not_known_gives_five_thousand_a_page(context: int | None) -> None:
    assert search_budget(context, pages=3, page_limit=5000) == 15_000
    assert first_use(context).page_chars == 5000


@pytest.mark.claim("ST-028")
@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (4_096, FirstUse(4, 1, 3000)),
        (16_384, FirstUse(4, 1, 3000)),
        (131_071, FirstUse(4, 1, 3000)),
        (131_072, FirstUse(6, 2, 5000)),
        (262_144, FirstUse(8, 3, 5000)),
        (1_048_576, FirstUse(8, 3, 5000)),
    ],
)
def test_the_first_numbers_suit_the_context(context: int, expected: FirstUse) -> None:
    assert first_use(context) == expected


@pytest.mark.parametrize(
    ("lengths", "total", "limit", "expected"),
    [
        ([], 100, 0, []),
        ([40, 40], 100, 0, [40, 40]),
        ([80, 80], 100, 0, [50, 50]),
        ([80, 10, 80], 100, 0, [45, 10, 45]),
        ([80, 0, 80], 101, 0, [50, 0, 51]),
        ([80, 80], 100, 30, [30, 30]),
        ([80, 20], 100, 70, [70, 20]),
        ([5], 0, 0, [0]),
    ],
)
def test_what_short_pages_leave_goes_to_the_others(
    lengths: list[int], total: int, limit: int, expected: list[int]
) -> None:
    assert shares(lengths, total=total, page_limit=limit) == expected

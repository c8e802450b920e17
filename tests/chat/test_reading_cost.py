"""What reading a chat again costs, as far as the server has told."""

from __future__ import annotations

import pytest

from llamachat.chat.reading_cost import ReadingCost, reading_cost
from llamachat.core.messages import Role, StoredMessage, Usage


def answers(*usages: Usage) -> list[StoredMessage]:
    return [StoredMessage(n, f"m{n}", 1, None, Role.ASSISTANT, "x", usage=usage) for n, usage in enumerate(usages, 1)]


def test_it_is_the_last_prompt_and_its_answer_at_the_speed_of_the_longest_reading() -> None:
    long = Usage(prompt_tokens=1000, completion_tokens=100, prompt_n=1000, prompt_ms=2000.0)
    short = Usage(prompt_tokens=1120, completion_tokens=80, prompt_n=20, prompt_ms=400.0)
    assert reading_cost(answers(long, short, Usage())) == ReadingCost(tokens=1200, seconds=2.4)


def test_without_a_long_reading_no_time_is_told() -> None:
    short = Usage(prompt_tokens=1120, completion_tokens=80, prompt_n=20, prompt_ms=400.0)
    assert reading_cost(answers(short)) == ReadingCost(tokens=1200)


@pytest.mark.parametrize("usages", [(), (Usage(),), (Usage(prompt_n=500, prompt_ms=10.0),)])
def test_of_a_server_that_tells_nothing_nothing_is_known(usages: tuple[Usage, ...]) -> None:
    assert reading_cost(answers(*usages)) == ReadingCost()


def test_an_answer_without_a_count_of_its_own_counts_as_its_prompt() -> None:
    assert reading_cost(answers(Usage(prompt_tokens=300))) == ReadingCost(tokens=300)

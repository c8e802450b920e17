"""What a change of the prompt costs, in words. What it does is tested in the window."""

from __future__ import annotations

import pytest

from llamachat.chat.reading_cost import ReadingCost
from llamachat.ui.prompt_control import cost_words

READ = "The model then reads the whole chat again before the next answer"


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (ReadingCost(), f"{READ}."),
        (ReadingCost(12345), f"{READ}: about 12,345 tokens."),
        (ReadingCost(12345, 61.7), f"{READ}: about 12,345 tokens, 62 seconds."),
        (ReadingCost(300, 0.2), f"{READ}: about 300 tokens, 1 second."),
    ],
)
def test_the_cost_is_told_as_far_as_it_is_known(cost: ReadingCost, words: str) -> None:
    assert cost_words(cost) == words

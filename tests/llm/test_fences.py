"""Where a fenced code block begins and ends."""

from __future__ import annotations

import pytest

from llamachat.llm.fences import FenceTracker


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("```\n", True),
        ("```py", False),  # the line has not ended: it might yet be inline code
        ("```py\nx\n```\n", False),
        ("a ```b``` c\n", False),
        ("```b``` c\n", False),
        ("- ```\n", True),
        ("12. ~~~ `x`\n", True),
        ("> ```\n> x\n", True),
        ("````\n```\n", True),
        ("````\n```\n`````  \n", False),
        ("~~~\n```\n", True),
        ("```\n``` py\n", True),
        ("x\n   ```\nx\n", True),
    ],
)
def test_inside(text: str, *, inside: bool) -> None:
    whole, cut = FenceTracker(), FenceTracker()
    whole.feed(text)
    for character in text:
        cut.feed(character)
    assert whole.inside is cut.inside is inside


@pytest.mark.parametrize(
    ("before", "text", "at_start"),
    [
        ("", "", True),
        ("a\n", "  ", True),
        ("a\n- ", "", True),
        ("a", "", False),
        ("a", "\n> ", True),
        ("", "a\nb", False),
    ],
)
def test_at_line_start(before: str, text: str, *, at_start: bool) -> None:
    tracker = FenceTracker()
    tracker.feed(before)
    assert tracker.at_line_start(text) is at_start


def test_a_long_line_costs_no_memory() -> None:
    tracker = FenceTracker()
    for _ in range(1000):
        tracker.feed("x" * 1000)
    assert len(tracker.line) < 1000

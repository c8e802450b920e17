"""A problem is a sentence with the place in front."""

from __future__ import annotations

import pytest

from llamachat.config.problem import Problem


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (Problem(3, "theme", "Wrong."), "Line 3, theme: Wrong."),
        (Problem(3, "", "Wrong."), "Line 3: Wrong."),
        (Problem(None, "theme", "Wrong."), "theme: Wrong."),
        (Problem(None, "", "Wrong."), "Wrong."),
    ],
)
def test_sentence(problem: Problem, sentence: str) -> None:
    assert str(problem) == sentence

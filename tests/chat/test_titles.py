"""Titles of new conversations."""

from __future__ import annotations

import pytest

from llamachat.chat.titles import title_from


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("When is high tide?", "When is high tide?"),
        ("\n\n  # When   is\thigh tide?\nSecond line", "When is high tide?"),
        ("```\nprint(1)\n```", "print(1)"),
        ("", ""),
        ("---\n***", ""),
        ("a\0b\u202ec \ud800", "ab c \ufffd"),
        ("漢" * 80, "漢" * 59 + "…"),
    ],
)
def test_a_title_is_the_first_words(text: str, title: str) -> None:
    assert title_from(text) == title


def test_a_long_line_is_cut_between_words() -> None:
    title = title_from("word, " * 30)
    assert len(title) <= 60
    assert title.endswith("word…")

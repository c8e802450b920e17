"""What is found is seen whole: the text before it is left out, or what would be cut."""

from __future__ import annotations

import pytest

from llamachat.ui.hit_text import begun_later, ended_before


@pytest.mark.parametrize(
    ("pieces", "room", "shown"),
    [
        (("no hit at all",), 5, ["no hit at all"]),
        (("a short ", "hit", ""), 11, ["a short ", "hit", ""]),
        (("one two three ", "rainwater", ""), 17, ["… three ", "rainwater", ""]),
        (("one two three ", "rainwater", " runs off"), 17, ["… ", "rainwater", " runs off"]),
        (("one two ", "rainwater", ""), 5, ["… ", "rainwater", ""]),
        (("", "rainwater", ""), 5, ["", "rainwater", ""]),
        (("… two three ", "bee", ""), 11, ["… three ", "bee", ""]),
    ],
)
def test_words_before_the_first_hit_give_it_room(pieces: tuple[str, ...], room: int, shown: list[str]) -> None:
    assert begun_later(pieces, lambda text: len(text) <= room) == shown


@pytest.mark.parametrize(
    ("room", "shown"),
    [(16, "a bee and a bee…"), (14, "a bee and a…"), (13, "a bee and a…"), (12, "a bee and a…"), (4, "a be…")],
)
def test_a_later_hit_is_shown_whole_or_not_at_all(room: int, shown: str) -> None:
    assert ended_before(("a ", "bee", " and a ", "bee", " more"), room) == shown

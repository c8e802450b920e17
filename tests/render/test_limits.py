"""Long lines and long messages: what is drawn of them follows from the text alone, however it came."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.render.held_back import visible_part
from llamachat.render.html import HtmlWriter, MessageContext
from llamachat.render.incremental import GrowingMarkdown, draw_pieces
from llamachat.render.limits import DEFAULT_LIMITS, Intake, Limits, drawn_part
from llamachat.render.parse import MarkdownParser

SMALL = Limits(line_chars=5, lines=4, chars=12)
PARSER = MarkdownParser()


@pytest.mark.parametrize(
    ("text", "drawn", "cut"),
    [
        ("", "", False),
        ("12345", "12345", False),
        ("123456", "12345…", True),
        ("1234567\nab", "12345…\nab", True),
        ("a\nb\nc\nd", "a\nb\nc\nd", False),
        ("a\nb\nc\nd\ne", "a\nb\nc\nd", True),
        ("12345\n12345\n12345", "12345\n12345\n12", True),
    ],
)
def test_what_is_drawn(text: str, drawn: str, *, cut: bool) -> None:
    assert drawn_part(text, SMALL) == (drawn, cut)
    assert drawn_part(text, None) == (text, False)


@given(st.text(alphabet="ab \n", max_size=60), st.integers(0, 2**32))
def test_bits_give_what_the_whole_gives(text: str, seed: int) -> None:
    chance, intake, drawn, position = random.Random(seed), Intake(SMALL), "", 0
    while position < len(text):
        size = chance.randint(1, 6)
        drawn += intake.take(text[position : position + size])
        position += size
    assert (drawn, intake.cut) == drawn_part(text, SMALL)


@pytest.mark.parametrize("text", ["one " * 5, "```\n" + "x" * 9 + "\ny\n```\nend", "- a\n- bcdefgh\n- c\n- d\n- e"])
def test_a_growing_text_is_cut_as_a_whole_one(text: str) -> None:
    writer = HtmlWriter(PARSER, MessageContext(1))
    growing = GrowingMarkdown(PARSER, HtmlWriter(PARSER, MessageContext(1)), SMALL)
    for end, character in enumerate(text, 1):
        growing.feed(character)
        shown = visible_part(drawn_part(text[:end], SMALL)[0])
        assert [piece.html for piece in growing.pieces] == [
            piece.html for piece in draw_pieces(PARSER, writer, shown, None)
        ]
    assert growing.cut


def test_a_long_answer_of_short_lines_is_drawn_whole() -> None:
    text = "- item\n\n" * 7_000
    assert drawn_part(text, DEFAULT_LIMITS) == (text, False)
    assert drawn_part("word " * 1_900, DEFAULT_LIMITS)[1] is False

"""What people type is shown as they typed it."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.render.parse import MarkdownParser
from llamachat.render.typed import draw_typed, typed_code_at
from tests.render.markdown_documents import documents

PARSER = MarkdownParser()
DIFF = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n- old\n+ new\n * kept"


def draw(text: str) -> str:
    return "".join(piece.html for piece in draw_typed(PARSER, text, 3))


def shown(text: str) -> list[str]:
    """The text of each block, as Qt would show it."""
    blocks = re.findall(r"<p[^>]*>(.*?)</p>", draw(text), re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]*>", "", block)).replace("\u200b", "") for block in blocks]


@pytest.mark.parametrize(
    "text",
    [
        DIFF,
        "a*b*c and __init__ and *.py and ~~x~~",
        "# list them\ntitle\n---\nmore",
        "  two blanks\n\ttab\n\n\nend  ",
        "1) one\n> two\n| a |\n|---|",
        "<b>x</b> &amp; [l](https://e.example/) ![i](https://e.example/i.png)",
        "`code` and ``co`de`` and `open",
        "```\nnever closed",
        "~~~\ntildes\n~~~",
    ],
)
def test_every_character_is_kept(text: str) -> None:
    assert shown(text) == text.split("\n")


@given(documents.filter(lambda text: "`" not in text))
def test_every_line_of_any_text_is_kept(text: str) -> None:
    lines = re.split(r"\r\n?|\n", text.replace("\0", "\ufffd"))
    assert shown(text) == lines


@given(st.text(alphabet="`a \n", max_size=60))
def test_pieces_cover_every_line_once(text: str) -> None:
    pieces = draw_typed(PARSER, text, 3)
    numbers = [number for piece in pieces for number in range(piece.first_line, piece.end_line)]
    assert numbers == list(range(text.count("\n") + 1))


def test_web_addresses_are_links_and_end_where_the_sentence_goes_on() -> None:
    drawn = draw("(see https://e.example/a_b*c*?x=1&y=2), or www.e.example, me@e.example")
    assert re.findall(r'<a href="([^"]*)">', drawn) == ["https://e.example/a_b*c*?x=1&amp;y=2"]


def test_code_in_a_line_is_tinted_and_keeps_its_marks() -> None:
    assert '<span class="ic">`a*b`</span>' in draw("run `a*b` now")
    assert "<a " not in draw("`https://e.example/`")


def test_fenced_code_stands_in_a_box() -> None:
    text = "look:\n```py\n  x = 1\n\n```\nand"
    drawn = draw(text)
    assert 'href="x-llamachat-code:3/1"' in drawn
    assert drawn.count('class="code-head"') == 1
    assert "```" not in drawn
    assert typed_code_at(text, 1) == "  x = 1\n"
    assert typed_code_at(text, 0) is None
    assert typed_code_at(text, 9) is None


def test_many_fences_that_never_close_take_no_time() -> None:
    assert len(draw_typed(PARSER, "```x\n" * 4000, 1)) == 4001

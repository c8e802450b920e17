"""Formulas keep their source; amounts of money are no formulas."""

from __future__ import annotations

import html
import re

import pytest

from llamachat.core.formula import Formula
from llamachat.render.html import HtmlWriter, MessageContext
from llamachat.render.incremental import draw_pieces
from llamachat.render.maths import MATH_CLASS, read_formula, split_formulas
from llamachat.render.parse import MarkdownParser

PARSER = MarkdownParser()


def formulas(text: str) -> list[str]:
    drawn = "".join(piece.html for piece in draw_pieces(PARSER, HtmlWriter(PARSER, MessageContext(1)), text))
    found = re.findall(r'<span class="math">(.*?)</span>|<p class="math"[^>]*>(.*?)</p>', drawn, re.DOTALL)
    return [html.unescape((inline or block).replace("<br>", "\n")) for inline, block in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("so $a_1 * b_2 * c$ is", ["$a_1 * b_2 * c$"]),
        (r"so \(x_i \in \{a\}\) and \[y^*_2\] too", [r"\(x_i \in \{a\}\)", r"\[y^*_2\]"]),
        ("x $$a < b$$ y", ["$$a < b$$"]),
        ("$$\na\n= b\n- c\n$$\nafter", ["$$\na\n= b\n- c\n$$"]),
        ("text\n\\[\n\\frac{1}{2}\n\\]", ["\\[\n\\frac{1}{2}\n\\]"]),
        ("- item\n\n  $$\n  x\n  $$", ["$$\nx\n$$"]),
        ("$$x$$ follows", ["$$x$$"]),
        ("$$\nnever closed\n\nnext *paragraph*", ["$$\nnever closed"]),
        (r"$\$5$", [r"$\$5$"]),
        ("$a\nb$", ["$a b$"]),
        ("| t |\n|---|\n| $x$ |", ["$x$"]),
        ("# $x$ and **$y$**", ["$x$", "$y$"]),
        ("`$x$` [$y$](https://a.example)", ["$y$"]),
    ],
)
def test_formulas_keep_their_source(text: str, found: list[str]) -> None:
    assert formulas(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $6",
        "US$5 or US$6",
        "from $10-$20",
        "$ x $",
        r"\$a\$",
        "`$a$`",
        "```\n$a$\n```",
        "$$",
        "a $$ b",
        "$HOME",
    ],
)
def test_what_is_no_formula(text: str) -> None:
    assert all(line == "$$" for line in formulas(text))


@pytest.mark.parametrize(
    ("source", "formula"),
    [
        ("$x$", Formula("x", display=False)),
        (r"\( x \)", Formula("x", display=False)),
        ("$$x$$", Formula("x", display=True)),
        ("  \\[\n  x\n\\]", Formula("x", display=True)),
        ("$$\nx $ y\n$$", Formula("x $ y", display=True)),
        ("$$x", None),
        ("$$", None),
        ("$", None),
        ("x", None),
        ("", None),
    ],
)
def test_a_formula_is_what_stands_between_its_marks(source: str, formula: Formula | None) -> None:
    assert read_formula(source) == formula


def test_formulas_that_touch_are_told_apart() -> None:
    assert split_formulas(r"\(a\)\(b\)$c$") == [r"\(a\)", r"\(b\)", "$c$"]
    assert split_formulas("$$\u2028a\u2028$$") == ["$$\u2028a\u2028$$"]


def test_no_text_of_a_stranger_looks_like_a_formula_in_the_html() -> None:
    text = f"<span {MATH_CLASS}>x</span> `<p {MATH_CLASS}>`\n\n    <p {MATH_CLASS}>"
    drawn = "".join(piece.html for piece in draw_pieces(PARSER, HtmlWriter(PARSER, MessageContext(1)), text))
    assert MATH_CLASS not in drawn

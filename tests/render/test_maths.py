"""Formulas keep their source; amounts of money are no formulas."""

from __future__ import annotations

import html
import re

import pytest

from llamachat.render.html import HtmlWriter, MessageContext
from llamachat.render.incremental import draw_pieces
from llamachat.render.parse import MarkdownParser

PARSER = MarkdownParser()


def formulas(text: str) -> list[str]:
    drawn = "".join(piece.html for piece in draw_pieces(PARSER, HtmlWriter(PARSER, MessageContext(1)), text))
    found = re.findall(r'<span class="math">(.*?)</span>|<p class="math"[^>]*>(.*?)</p>', drawn, re.DOTALL)
    return [html.unescape(inline or block) for inline, block in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("so $a_1 * b_2 * c$ is", ["$a_1 * b_2 * c$"]),
        (r"so \(x_i \in \{a\}\) and \[y^*_2\] too", [r"\(x_i \in \{a\}\)", r"\[y^*_2\]"]),
        ("x $$a < b$$ y", ["$$a < b$$"]),
        ("$$\na\n= b\n- c\n$$\nafter", ["$$", "a", "= b", "- c", "$$"]),
        ("text\n\\[\n\\frac{1}{2}\n\\]", ["\\[", "\\frac{1}{2}", "\\]"]),
        ("- item\n\n  $$\n  x\n  $$", ["$$", "x", "$$"]),
        ("$$x$$ follows", ["$$x$$"]),
        ("$$\nnever closed\n\nnext *paragraph*", ["$$", "never closed"]),
        (r"$\$5$", [r"$\$5$"]),
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

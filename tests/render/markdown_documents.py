"""Random Markdown: lines that start, end, continue and interrupt every kind of block, joined in every way.

And the examples of the CommonMark specification, alone and behind one another.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

from hypothesis import strategies as st

EXAMPLES: list[str] = json.loads(
    (Path(__file__).parents[1] / "data" / "commonmark" / "examples.json").read_text(encoding="utf-8")
)
LINE_ENDS = ("\n", "\n", "\n", "\n\n", "", "\r\n", "\r")
CHUNKS = (1, 3, 10, 60)

LINES = (
    "para text",
    "para *em* **bold** `code` ~~gone~~",
    "ends with two blanks  ",
    "ends with a backslash\\",
    "# head",
    "#tag",
    "***both***",
    "1.x",
    ">",
    "### head ###",
    "===",
    "---",
    "***",
    "- item",
    "- item\n  more",
    "- [ ] task",
    "- [x] done",
    "  - nested",
    "- ",
    "+ plus",
    "1. one",
    "2. two",
    "10) ten",
    "> quote",
    "> > deep",
    "lazy",
    "```",
    "```py",
    "````",
    "~~~",
    "~~~ js",
    "  ```",
    "> ```",
    "- ```",
    "    indented",
    "\tcode",
    "| a | b |",
    "|---|:-:|",
    "| 1 | `x|y` |",
    '| [t](https://t.example/x_(y)) | ![p](https://p.example/a "b") |',
    "|",
    "|:-",
    "```|",
    ":-",
    "[foo]: https://u.example",
    "> [foo]: https://u.example",
    "[foo]: https://v.example 'title'",
    "[bar]:",
    "https://b.example",
    "'title",
    "more'",
    "[foo]",
    "[bar][foo] and [foo][]",
    "[x] y",
    "[x]: https://x.example",
    "> [q]: https://q.example",
    "[q]",
    "<div>",
    "<b>hi</b> &amp; <",
    "![img](https://i.example/a.png)",
    "https://bare.example/x_y",
    "`` ` ``",
    "**open",
    "$$",
    "$$a_1$$",
    "\\[",
    "x \\] y",
    "= b\n$$",
    "> $$",
    "- $$",
    "so $a_1*b$ and \\(c*d*\\) $5 and $6",
    "> [!NOTE]",
    "> [!WARNING] \n> mind",
    "[!TIP]",
    "see[^a] and [^b]",
    "[^a]: what it says",
    "[^b]:",
    "> [^b]: in a quote",
    "- [^a]: in a list",
    "    more of it",
    "**「注意」**请 *「x」*",
    "[1] and [7]",
    "[1]: https://forged.example",
    "\u3000wide",
    "x\u2028y",
    "\0nul",
    "",
    " ",
    "\t",
)


def _joined(parts: Sequence[tuple[str, str]]) -> str:
    return "".join(text + end for text, end in parts)


documents = st.one_of(
    st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(LINE_ENDS)), min_size=1, max_size=14).map(_joined),
    st.lists(st.tuples(st.sampled_from(EXAMPLES), st.sampled_from(LINE_ENDS)), min_size=2, max_size=4).map(_joined),
)

longest_chunks = st.sampled_from(CHUNKS)


def random_document(chance: Random) -> str:
    """A document as the strategy gives them, without its search for the smallest one that fails."""
    texts, most = (LINES, 14) if chance.random() < 0.6 else (EXAMPLES, 6)
    return _joined([(chance.choice(texts), chance.choice(LINE_ENDS)) for _ in range(chance.randint(1, most))])

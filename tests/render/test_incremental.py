"""Markdown that comes in pieces is drawn, after every piece, as if it were drawn at once."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from llamachat.render.html import HtmlWriter
from llamachat.render.incremental import GrowingMarkdown
from tests.render.growing_screen import CONTEXT, PARSER, check_every_prefix
from tests.render.markdown_documents import CHUNKS, EXAMPLES, documents, longest_chunks


@given(documents, longest_chunks, st.integers(0, 2**32))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_every_prefix_is_drawn_as_if_at_once(text: str, longest: int, seed: int) -> None:
    check_every_prefix(text, longest, seed)


@pytest.mark.parametrize(
    "text",
    [
        "para\n#tag and more\n\nnext",  # a heading while it is "#"
        "para\n***both*** and more",  # a rule while it is "***"
        "[a]\n\nmiddle\n\n[a]: https://x.example\n",  # a late definition
        "[a]\n\nmiddle\n\n[a]: https://x.example\n[a]: https://y.example",  # the first one counts
        "A\n\n[foo]: https://u.example\n'title\nmore'\n\n[foo]",  # a title that comes late
        "> [foo]: https://u.example\n'title\nmore'\n\n[foo]",  # and leaves its quote
        "para\n\n[foo]:\nhttps://u.example\n\n[foo]",
        "```py\n\n\n  \nx\n``\n```\n[a]",
        "text\n\n```\na\n ``` \nb",
        "text\n```\na\n    ```\nb\n~~~\n`````\nend",
        "a\r\nb\r\r\nc",
        "- one\n\n  still one\n- two\n\n\nend",
        "| a |\n|---|\n| b |\n\ntext",
        "x\n=\n=\n",
        "```|\n:-",  # a table for the parser, from its second line on
        "~~~ a|b\n-|-\n1|2\n",
        "para\n``` | \n|-\n```\n",
        "```\na\n ",  # blanks at the very end are no line of code
        "```\na\n \n\t",
        "- ```\n  a\n  \t ",
        "text\n\n    code\n     ",
    ],
)
def test_every_prefix_of_the_hard_cases(text: str) -> None:
    check_every_prefix(text, 1, 0)


@pytest.mark.slow
@pytest.mark.timeout(900)
@given(documents, longest_chunks, st.integers(0, 2**32))
@settings(max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_prefix_of_many_documents(text: str, longest: int, seed: int) -> None:
    check_every_prefix(text, longest, seed)


@pytest.mark.slow
@pytest.mark.parametrize("longest", CHUNKS)
def test_every_prefix_of_the_examples_of_commonmark(longest: int) -> None:
    assert len(EXAMPLES) == 652
    for number, text in enumerate(EXAMPLES):
        check_every_prefix(text, longest, number)


def test_an_open_fence_grows_without_being_drawn_anew() -> None:
    code = "".join(f"line {number}\n\n" for number in range(40))
    screen = check_every_prefix(f"Here:\n\n```python\n{code}```\nDone.", 7, 1)
    assert screen.growths > 50


@pytest.mark.parametrize("last", ["```\n", "c\nd\n```\n", "c\n\n  ```  \n", "``` "])
def test_a_fence_that_closes_is_not_drawn_anew(last: str) -> None:
    growing = GrowingMarkdown(PARSER, HtmlWriter(PARSER, CONTEXT))
    for chunk in ("```\na\n", "b\n", last):
        update = growing.feed(chunk)
    assert (update.keep, update.pieces) == (1, ())
    assert growing.feed("\nafter").keep == 1


@pytest.mark.parametrize("last", ["c", "``", "```", "c\n```"])
def test_code_that_ends_the_text_is_not_drawn_anew(last: str) -> None:
    growing = GrowingMarkdown(PARSER, HtmlWriter(PARSER, CONTEXT))
    for chunk in ("```\na\n", "b\n", last):
        growing.feed(chunk)
    update = growing.finish()
    assert (update.keep, update.pieces) == (1, ())


def test_a_finished_text_shows_all_of_it() -> None:
    growing = GrowingMarkdown(PARSER, HtmlWriter(PARSER, CONTEXT))
    growing.feed("```python\nx = 1\n``")
    assert "``" not in growing.pieces[0].html
    growing.finish()
    assert "``" in growing.pieces[0].html


def test_no_backtick_flashes_while_a_fence_is_typed() -> None:
    growing = GrowingMarkdown(PARSER, HtmlWriter(PARSER, CONTEXT))
    seen = []
    for character in "Here:\n\n```python\nx = 1\n```\nDone.":
        growing.feed(character)
        seen.append("".join(piece.html for piece in growing.pieces))
    assert not any("`" in html for html in seen)
    boxes = [html.count('class="code-head"') for html in seen]
    assert boxes == sorted(boxes)
    assert boxes[-1] == 1
    assert all("python" in html for html in seen if "code-head" in html)
    assert growing.pieces[-1].html == "<p>Done.</p>"


def test_pieces_know_the_lines_they_come_from() -> None:
    text = "# one\n\ntwo\nstill two\n\n- three\n"
    growing = GrowingMarkdown(PARSER, HtmlWriter(PARSER, CONTEXT))
    for character in text:
        growing.feed(character)
    assert [(piece.first_line, piece.end_line) for piece in growing.pieces] == [(0, 1), (2, 4), (5, 6)]

"""Long lists and tables in runs: what Markdown says of them stays, and they grow run by run."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from llamachat.render.html import HtmlWriter
from llamachat.render.incremental import GrowingMarkdown
from llamachat.render.parse import MarkdownParser
from llamachat.render.runs import RunLimits, column_percents, table_percent
from tests.render.growing_screen import CONTEXT, PARSER, check_every_prefix, draw_at_once
from tests.render.markdown_documents import documents, longest_chunks

SHORT_RUNS = MarkdownParser(RunLimits(list_lines=2, table_rows=3))
LINES = (
    "- item",
    "- item",
    "* other",
    "1. one",
    "7. seven",
    "1) one",
    "- a | b",
    "  - nested",
    "  1. nested",
    "    deeper",
    "  more",
    "- [x] done",
    "- ",
    "-",
    "",
    "",
    "> - quoted",
    "> lazy",
    "lazy",
    "- > - deep",
    "# head",
    "```",
    "| a | b |",
    "|---|:-:|",
    "| 1 |",
    "| [foo] | `x|y` |",
    "> | a |",
    "> |---|",
    "- | a |",
    "  |---|",
    "  | b |",
    "- [foo]: https://u.example",
    "  'title",
    "more'",
    "[foo]: https://v.example",
    "- [foo]",
    "[^a]: note",
    "    - in a note",
)
lists = st.lists(
    st.tuples(st.sampled_from(LINES), st.sampled_from(("\n", "\n", "\n", "\n\n"))), min_size=3, max_size=25
).map(lambda parts: "".join(line + end for line, end in parts))


@given(st.one_of(lists, documents), longest_chunks, st.integers(0, 2**32))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_every_prefix_in_runs_is_drawn_as_if_at_once(text: str, longest: int, seed: int) -> None:
    check_every_prefix(text, longest, seed, parser=SHORT_RUNS)


@pytest.mark.slow
@pytest.mark.timeout(900)
@given(st.one_of(lists, documents), longest_chunks, st.integers(0, 2**32))
@settings(max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_prefix_of_many_documents_in_runs(text: str, longest: int, seed: int) -> None:
    check_every_prefix(text, longest, seed, parser=SHORT_RUNS)


SEAMS = re.compile(
    r'</(?:ol|ul)><(?:ol|ul) class="continued[^>]*>'
    r'|</tbody></table><span class="seam">[^<]*</span><p class="seam"[^>]*>[^<]*</p><table[^>]*><tbody>'
)
LOOKS = re.compile(r' class="(?:goes-on|tight)"| width="\d+%"')


def meaning(html: list[str]) -> str:
    """Without what tells runs from whole lists and tables."""
    return LOOKS.sub("", SEAMS.sub("", "".join(html)))


@given(lists)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_runs_together_say_what_the_whole_says(text: str) -> None:
    assert meaning(draw_at_once(text, parser=SHORT_RUNS)) == meaning(draw_at_once(text))


def starts(text: str) -> list[str]:
    return re.findall(r"<ol[^>]*>", "".join(draw_at_once(text, parser=SHORT_RUNS)))


def test_the_numbers_of_a_list_go_on() -> None:
    ones = "".join("1. item\n" for _ in range(5))
    assert starts(ones) == [
        '<ol class="goes-on">',
        '<ol class="continued goes-on" start="3">',
        '<ol class="continued" start="5">',
    ]
    assert starts("7. a\n8. b\n\n9. c\n")[1] == '<ol class="continued" start="9">'


def test_another_list_after_a_long_one_begins_anew() -> None:
    assert starts("1. a\n2. b\n5) c\n") == ["<ol>", '<ol start="5">']
    assert starts("> 1. a\n> 2. b\n\n5. c\n") == ["<ol>", '<ol start="5">']


@pytest.mark.parametrize(("mark", "other"), [("-", "*"), ("1.", "1)")])
def test_an_item_that_looks_like_the_head_of_a_table_stays_an_item(mark: str, other: str) -> None:
    for end in ("", "\n", "\n| c | d |\n"):
        text = f"{mark} x\n{mark} y\n{{}} a | b\n|---|:-:|{end}"
        check_every_prefix(text.format(mark), 1, 0, parser=SHORT_RUNS)
        check_every_prefix(text.format(other), 1, 0, parser=SHORT_RUNS)
        assert "<table" not in "".join(draw_at_once(text.format(mark), parser=SHORT_RUNS))
        assert "<table" in "".join(draw_at_once(text.format(other), parser=SHORT_RUNS))


def test_looseness_is_said_of_each_run() -> None:
    parser = MarkdownParser(RunLimits(list_lines=4))
    runs = draw_at_once("- a\n- b\n- c\n- d\n- e\n\n- f\n\n- g\n- h\n", parser=parser)
    assert ['class="tight"' in run for run in runs] == [True, False, True]


def test_the_runs_of_a_table_have_the_columns_of_the_first() -> None:
    runs = draw_at_once("| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 |\n| 5 | 6 | 7 |\n", parser=SHORT_RUNS)
    assert [re.findall('<table[^>]* (width="[0-9%]+")', run) for run in runs] == [['width="19%"']] * 2
    assert [run.count(' width="50%"') for run in runs] == [2, 2]
    assert re.findall('<td align="(left|right)"[^>]*>([^<]*)', runs[1]) == [
        ("left", "3"), ("right", ""), ("left", "5"), ("right", "6")
    ]  # fmt: skip


def test_columns_share_the_width_by_their_longest_cells() -> None:
    assert column_percents([10, 30]) == [25, 75]
    assert table_percent([10, 30]) < table_percent([30, 30]) <= table_percent([400, 400]) == 100


def test_another_table_after_a_long_one_has_columns_of_its_own() -> None:
    other = "- c | d | e\n|---|---|---|\n| 3 | 4 | 5 |\n| 6 | 7 | 8 |\n"
    runs = draw_at_once(f"| a | b |\n|---|---|\n| 1 | 2 |\n{other}", parser=SHORT_RUNS)
    assert [run.count("<th ") + run.count("<td ") for run in runs] == [4, 6, 3]


def test_columns_of_wide_letters_are_wide_and_addresses_take_no_room() -> None:
    rows = "| 漢字漢字漢字 | [link](https://long.example/and/longer) |\n" * 3
    run = draw_at_once(f"| a | b |\n|---|---|\n{rows}", parser=SHORT_RUNS)[0]
    assert re.findall(r'<th[^>]* width="(\d+)%"', run) == ["70", "30"]


def test_short_lists_and_tables_are_left_whole() -> None:
    for text in ("- item\n" * 30, "| a |\n|---|\n" + "| b |\n" * 15):
        assert len(draw_at_once(text)) == 1
        assert 'class="goes-on"' not in draw_at_once(text)[0]


@pytest.mark.slow
def test_a_wide_table_of_short_rows_ends() -> None:
    table = f"|{'a|' * 1000}\n|{'---|' * 1000}\n" + "| x |\n" * 200
    drawn = "".join(draw_at_once(table))
    assert drawn.count("<td") < 100_000
    assert drawn.endswith("x |</p>")


@pytest.mark.parametrize("line", ["- item\n", "1. item\n", "- item\n\n", "| a | b |\n"])
def test_each_line_costs_as_much_at_the_end_as_at_the_beginning(line: str) -> None:
    growing = GrowingMarkdown(PARSER, HtmlWriter(PARSER, CONTEXT))
    growing.feed("| head | head |\n|---|---|\n" if "|" in line else "")
    drawn = [sum(map(len, growing.feed(line).pieces)) for _ in range(400)]
    assert max(drawn[200:]) <= 1.2 * max(drawn[:200])
    assert len(growing.pieces) >= 10

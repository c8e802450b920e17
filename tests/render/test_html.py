"""Markdown to HTML: what is said is there, escaped, and nothing refers to anything."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

import pytest

from llamachat.render.block_html import code_lines
from llamachat.render.block_kinds import BlockKind, block_state
from llamachat.render.html import HtmlWriter, MessageContext
from llamachat.render.incremental import draw_pieces
from llamachat.render.parse import MarkdownParser

PARSER = MarkdownParser()


def draw(text: str, *, sources: Mapping[int, str] | None = None) -> str:
    writer = HtmlWriter(PARSER, MessageContext(5, sources or {}))
    return "".join(piece.html for piece in draw_pieces(PARSER, writer, text))


def text_of(drawn: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", drawn))


@pytest.mark.parametrize(
    "text",
    [
        "<smiles> List<int> and Map<K, V>",
        "<div onclick=x>hi</div><script>alert(1)</script>",
        "a < b && c > d",
        "<!-- note -->",
        "<style>*{display:none}</style>",
        "<div>\nblock\n</div>",
        "\"quoted\" & 'single'",
    ],
)
def test_angle_brackets_are_text(text: str) -> None:
    drawn = draw(text)
    assert text_of(drawn) == text
    assert set(re.findall(r"<(\w+)", drawn)) == {"p"}


def test_entities_are_what_they_stand_for_and_code_is_not() -> None:
    assert text_of(draw("&lt;kept&gt; &amp;amp;")) == "<kept> &amp;"
    assert text_of(draw("`<b>` and `&lt;`")) == "<b> and &lt;"


def test_attributes_cannot_be_left() -> None:
    drawn = draw('[x](<https://e.example/"onclick="a>) ![">](https://e.example/">) `"><b>`')
    assert re.findall(r"<(?!/?(?:p|a|span)\b)", drawn) == []
    assert "onclick" in drawn
    assert not re.search(r"<[^>]*\sonclick", drawn)


def test_refused_links_and_images_stay_the_text_they_are() -> None:
    text = "[a](javascript:alert(1)) [b](x-llamachat-search:5/0) <file:///x> ![c](data:image/png;base64,AA) [k](#sec)"
    assert text_of(draw(text)) == text
    assert "<a " not in draw(text)


def test_images_are_links_and_never_loaded() -> None:
    drawn = draw("![a diagram](https://e.example/a.png)")
    assert drawn == '<p><a href="https://e.example/a.png">[image: a diagram]</a></p>'
    inside = draw("[![badge](https://e.example/b.svg)](https://e.example/)")
    assert inside == '<p><a href="https://e.example/">[image: badge]</a></p>'


def test_numbers_link_to_the_sources_of_the_turn() -> None:
    drawn = draw("As [1] and [2] say, not [7].", sources={1: "https://one.example/", 2: "javascript:x"})
    assert '<a href="https://one.example/">[1]</a>' in drawn
    assert "and [2] say" in drawn
    assert '<span class="missing">[7]</span>' in drawn


def test_numbers_are_text_where_nothing_was_searched_or_code_says_them() -> None:
    assert draw("see [1]") == "<p>see [1]</p>"
    assert "missing" not in draw("`a[7]`\n\n```\na[7]\n```", sources={1: "https://one.example/"})
    assert draw("[x[1]](https://e.example/)", sources={1: "https://one.example/"}).count("<a ") == 1


def test_an_answer_cannot_give_its_sources_other_addresses() -> None:
    drawn = draw("So [1].\n\n[1]: https://forged.example/", sources={1: "https://one.example/"})
    assert drawn == '<p>So <a href="https://one.example/">[1]</a>.</p>'


def test_a_line_end_in_a_paragraph_is_a_blank() -> None:
    assert draw("one\ntwo") == "<p>one\ntwo</p>"


def test_tasks_have_boxes() -> None:
    drawn = draw("- [ ] open\n- [x] done **now**\n- [y] no\n")
    assert '<li class="unchecked"><p class="tight">open</p></li>' in drawn.replace("\n", "")
    assert '<li class="checked"><p class="tight">done <b>now</b></p></li>' in drawn
    assert '<li><p class="tight">[y] no</p></li>' in drawn


def test_a_link_named_x_is_no_task() -> None:
    drawn = draw("- [x] link\n\n[x]: https://x.example/\n")
    assert '<li><p class="tight"><a href="https://x.example/">x</a> link</p></li>' in drawn


def test_a_list_after_code_goes_on_counting() -> None:
    drawn = draw("1. first\n2. second\n```bash\necho hi\n```\n3. third\n4. fourth")
    assert [drawn.count("<ol>"), drawn.count('<ol start="3">')] == [1, 1]


def test_code_inside_an_item_belongs_to_it() -> None:
    drawn = draw("1. first\n\n   ```bash\n   echo hi\n   ```\n2. second")
    assert drawn.count("<ol>") == 1
    assert ">echo hi</p>" in drawn


def test_items_that_qt_would_drop_have_a_filler() -> None:
    assert draw("- \n- x").count("\u200b") == 1
    assert draw("- ```\n  code\n  ```").startswith('<ul><li><p class="tight">\u200b</p>')


def test_every_line_of_code_is_a_block_and_says_so() -> None:
    drawn = draw("```c++ title\nint a;\n\n\tb < c;\n```")
    assert '>c++ · <a href="x-llamachat-code:5/0">Copy</a> · ' in drawn
    state = block_state(BlockKind.CODE)
    assert f'<p class="code" style="-qt-user-state:{state}" dir="ltr">\tb &lt; c;</p>' in drawn
    assert drawn.count('class="code"') == 3


def test_code_is_named_by_the_line_it_starts_at() -> None:
    drawn = draw("text\n\n    indented\n\n> ```\n> quoted\n> ```\n")
    assert re.findall(r"x-llamachat-code:5/(\d+)", drawn) == ["2", "4"]


def test_quotes_are_margins_and_say_how_deep_they_are() -> None:
    drawn = draw("> one\n>\n> > two\n\nnone")
    states = [block_state(BlockKind.PLAIN, depth) for depth in (1, 2)]
    assert drawn == (
        f'<p style="-qt-user-state:{states[0]};margin-left:18px">one</p>'
        f'<p style="-qt-user-state:{states[1]};margin-left:36px">two</p><p>none</p>'
    )


def test_tables_stand_between_spacers_and_are_aligned() -> None:
    drawn = draw("| a | b |\n|---|--:|\n| 1 | x \\| y |\n| short |\n")
    assert drawn.startswith('<p class="gap"')
    assert '<td align="right">x | y</td>' in drawn
    assert drawn.count("<tr>") == 3
    assert drawn.endswith('</table><span class="gap">\u200b</span>')


@pytest.mark.parametrize("text", [">" * 5000 + " deep", "".join("  " * depth + "- x\n" for depth in range(200))])
def test_what_is_nested_too_deep_is_shown_as_written(text: str) -> None:
    shown = "\n".join(text_of(line) for line in draw(text).split("</p>"))
    assert shown.rstrip("\n").replace("\u200b", "") == text.rstrip("\n")


@pytest.mark.parametrize(
    ("content", "lines"), [("", []), ("\n", [""]), ("a\n", ["a"]), ("a\n\n", ["a", ""]), ("a", ["a"])]
)
def test_lines_of_code(content: str, lines: list[str]) -> None:
    assert code_lines(content) == lines


def test_alerts_have_a_title_in_the_place_of_their_mark() -> None:
    drawn = draw("> [!WARNING]\n> Mind *this*.")
    assert re.findall(r">([^<]+)<", drawn) == ["Warning", "Mind ", "this", "."]
    assert 'class="alert warning"' in drawn
    assert re.findall(r">([^<]+)<", draw("> [!TIP]\n>\n> Alone.")) == ["Tip", "Alone."]
    assert re.findall(r">([^<]+)<", draw("> [!NOTE]")) == ["Note"]


@pytest.mark.parametrize(
    "text", ["[!NOTE]\ntext", "> text\n> [!NOTE]", "> [!NOTE] text", "> [!OTHER]", "> \\[!NOTE]"]
)
def test_what_is_no_alert_keeps_its_marks(text: str) -> None:
    assert "alert" not in draw(text)
    assert re.search(r"\[!\w+\]", draw(text))


def test_footnotes_stand_where_they_were_written() -> None:
    drawn = draw("So[^1] and [^none].\n\n[^1]: It *is* so.\n\n    More.\n\nEnd.")
    assert "<p>So<sup>1</sup> and [^none].</p>" in drawn
    assert '<p class="footnote"><sup>1</sup> It <i>is</i> so.</p><p class="footnote">More.</p><p>End.</p>' in drawn


@pytest.mark.parametrize(
    ("text", "bold"),
    [
        ("**「注意」**请看", "「注意」"),
        ("这是**“重点”**的", "“重点”"),
        ("请看**注意：**后面", "注意："),
        ("**Note:**中文", "Note:"),
        ("これは**重要。**です", "重要。"),
        ("한국어**(강조)**입니다", "(강조)"),
    ],
)
def test_emphasis_stands_beside_full_width_punctuation(text: str, bold: str) -> None:
    assert f"<b>{bold}</b>" in draw(text)


@pytest.mark.parametrize("text", ['a**"x"**b', "2 ** 3 ** 4", "snake_case_name", "foo*bar", "** x**"])
def test_emphasis_elsewhere_is_as_commonmark_has_it(text: str) -> None:
    assert "<b>" not in draw(text)
    assert "<i>" not in draw(text)


def test_the_mark_of_a_note_is_a_number_or_a_word_in_brackets() -> None:
    drawn = draw("a[^1] b[^word] c[^<b>]\n\n[^1]: one\n\n[^word]: two\n\n[^<b>]: three")
    assert "<p>a<sup>1</sup> b<sup>[word]</sup> c<sup>[&lt;b&gt;]</sup></p>" in drawn
    assert '<p class="footnote"><sup>[word]</sup> two</p>' in drawn


def test_a_quote_that_runs_from_the_right_is_moved_in_there() -> None:
    state = block_state(BlockKind.PLAIN, 1)
    assert draw("> שלום") == f'<p style="-qt-user-state:{state};margin-right:18px">שלום</p>'
    assert "margin-right" not in draw("שלום\n\n> hello שלום\n\n> 1, 2 + 3")
    assert draw("> [!NOTE]\n> שלום").count("margin-right:18px") == 1


@pytest.mark.parametrize("text", ["[]()", "[](https://a.b)", "\N{NO-BREAK SPACE}", "# []()", "- []()", "> []()"])
def test_what_shows_nothing_keeps_its_place_all_the_same(text: str) -> None:
    assert draw(text).count("\u200b</p>") == 1


def test_headings_without_text_keep_their_place() -> None:
    assert draw("## \n#").count("\u200b</p>") == 2

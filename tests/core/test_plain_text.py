"""Markup, hidden characters and lengths of text from strangers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llamachat.core.plain_text import cut_at_word, plain_block, plain_line, without_markup


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("C <b>bold</b>", "C bold"),
        ("5 &lt; 6", "5 < 6"),
        ("5 < 6 and 7 > 2", "5 < 6 and 7 > 2"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("std::vector<int> and <stdio.h>", "std::vector<int> and <stdio.h>"),
        ("a line<br/>another<p>third", "a line another third"),
        ("x<img src=x onerror=alert(1)><svg/onload=alert(2)>y", "xy"),
        ("a<SCRIPT>alert(1)</SCRIPT>b", "aalert(1)b"),
        ("a<!-- hidden -->b", "ab"),
        ("cut off <a href='http://x.example", "cut off <a href='http://x.example"),
        ("&#39;numeric&#39; &quot;named&quot; &nope;", "'numeric' \"named\" &nope;"),
        ("a &#00000065; b &#x41;", "a A b A"),
        ("a &#" + "1" * 5000 + "; b &#" + "9" * 5000, "a \ufffd b \ufffd"),
    ],
)
def test_markup_goes_and_text_stays(text: str, shown: str) -> None:
    assert " ".join(without_markup(text).split()) == shown


@pytest.mark.parametrize("unit", ["<!--", "<a ", "</p", "&lt", "<b" + " " * 50])
def test_markup_that_never_ends_costs_linear_time(unit: str) -> None:
    # A pattern that goes back for each start would need minutes here, and the test's own time limit ends it.
    assert without_markup(unit * 100_000)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("line one\nline two\t\0end", "line one line two end"),
        ("a\u2028b\u0085c\u00a0d\x1be", "a b c d e"),
        ("exe\u202etxt.\u202c \u2066x\u2069", "exetxt. x"),
        ("zero\u200bwidth\ufeff soft\u00adhyphen", "zerowidth softhyphen"),
        ("tag\U000e0041\U000e0042s and \U000e0101 selectors", "tags and selectors"),
        ("half \ud83d end", "half \ufffd end"),
        ("\ud83d\ude00 pair", "\U0001f600 pair"),
        (
            "\U0001f468\u200d\U0001f469\u200d\U0001f467 می\u200cخواهم \u2764\ufe0f",
            "\U0001f468\u200d\U0001f469\u200d\U0001f467 می\u200cخواهم \u2764\ufe0f",
        ),
    ],
)
def test_one_visible_line(text: str, shown: str) -> None:
    assert plain_line(text) == shown


@settings(deadline=None)
@given(st.text(st.characters()))
def test_a_plain_line_is_stable_and_can_be_stored(text: str) -> None:
    line = plain_line(text)
    assert plain_line(line) == line
    assert line.encode().decode() == line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("hello world", 11, "hello world"),
        ("hello world foo", 11, "hello…"),
        ("hello world foo", 12, "hello world…"),
        ("hello, world", 8, "hello…"),
        ("日本語日本語", 4, "日本語…"),
        ("a verylongwordwithoutend", 10, "a verylon…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
    ],
)
def test_cut_at_word(text: str, limit: int, cut: str) -> None:
    assert cut_at_word(text, limit) == cut


@settings(deadline=None)
@given(st.text(), st.integers(min_value=0, max_value=40))
def test_a_cut_text_fits_and_begins_like_the_whole(text: str, limit: int) -> None:
    cut = cut_at_word(text, limit)
    assert len(cut) <= limit
    assert text.startswith(cut.removesuffix("…"))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\r\nb\rc\u2028d\x85e\x0cf", "a\nb\nc\nd\ne\nf"),
        ("  indented\n\ttab  \n", "  indented\n\ttab"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("a\x00\x07b\x7f\x9fc\u200b\u202e\U000e0041d\x1b[31me", "a b  cde"),
        ("one\ud800two", "one\ufffdtwo"),
        ("\n\n", ""),
    ],
)
def test_a_block_keeps_its_lines_and_nothing_that_is_not_seen(text: str, plain: str) -> None:
    assert plain_block(text) == plain

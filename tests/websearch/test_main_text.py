"""What is read of an HTML page, by each of the ways to read it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trafilatura

from llamachat.websearch.main_text import MOST_CHARS, main_texts
from llamachat.websearch.plain_html import by_selectolax, by_standard_library, plain_html

FILLER = "High water comes twice a day, and the harbour master writes its times on the board beside the lock. " * 4
PAGE = f"""<!doctype html><html><head><title>Head title</title><style>p {{ color: red }}</style></head><body>
<header><a href="/">Site name</a></header><nav><ul><li>Menu entry</li></ul></nav>
<aside>Sidebar words</aside>
<main><article><h1>Tides</h1><p>First <b>high</b>
   water: {FILLER}</p>
<pre><code>def tide(h):
    return h * 2  # a*b_c
</code></pre>
<ul><li>ebb</li><li>flood</li></ul><table><tr><th>day</th><th>hour</th></tr><tr><td>Monday</td><td>nine</td></tr></table>
<p>Last words of the page. {FILLER}</p></article></main>
<script>var hidden = "Script words";</script><noscript>Please enable JavaScript</noscript>
<form><button>Subscribe now</button><textarea>typed</textarea></form>
<footer>Footer words</footer></body></html>"""


def articles(html: str) -> str:
    """What trafilatura makes of a page."""
    return trafilatura.extract(html, output_format="markdown", include_tables=True, include_comments=True) or ""


NOISE = (
    "Menu entry",
    "Sidebar",
    "Script words",
    "enable JavaScript",
    "Subscribe",
    "Footer",
    "color: red",
    "Site name",
)


@pytest.mark.claim("ST-018")
@pytest.mark.parametrize("read", [by_selectolax, by_standard_library])
def test_plain_rules_keep_the_text_and_drop_what_stands_around_it(read: Callable[[str], str]) -> None:
    text = plain_html(PAGE, read=read)
    lines = text.split("\n")
    assert lines[0] == "Tides"
    assert lines[1].startswith("First high water: High water comes")
    assert "```\ndef tide(h):\n    return h * 2  # a*b_c\n```" in text
    assert lines[lines.index("ebb") + 1] == "flood"
    assert "| day | hour" in lines
    assert "| Monday | nine" in lines
    assert not [noise for noise in NOISE if noise in text]


@pytest.mark.claim("ST-018")
def test_the_best_text_has_the_shape_of_markdown() -> None:
    first, best = main_texts(PAGE)
    assert first == plain_html(PAGE)
    assert best.startswith("# Tides\n")
    assert "def tide(h):\n    return h * 2  # a*b_c" in best
    assert "- ebb\n- flood" in best
    assert "| Monday | nine |" in best
    assert not [noise for noise in NOISE if noise in best]


def test_what_markdown_escapes_is_plain_again_outside_of_code() -> None:
    article = f"<article><p>a*b and snake_case and [x] {FILLER}</p><pre>a\\*b \\_ c</pre><p>{FILLER}</p></article>"
    best = list(main_texts(f"<html><body>{article}</body></html>"))[-1]
    assert "a*b and snake_case and [x]" in best
    assert "a\\*b \\_ c" in best


def test_code_that_the_reader_of_articles_drops_is_not_lost() -> None:
    post = (
        "<div class='comment'><p>This works for me and for the others here.</p><pre>sudo tide --set {n}</pre></div>"
    )
    posts = "".join(post.replace("{n}", str(number)) for number in range(5))
    thread = f"<h1>Thread</h1><div><p>{FILLER}</p></div><div id='comments'>{posts}</div>"
    assert "sudo tide" not in articles(f"<html><body>{thread}</body></html>")
    (text,) = main_texts(f"<html><body>{thread}</body></html>")
    assert all(f"sudo tide --set {number}" in text for number in range(5))
    plain, best = main_texts(f"<html><body><article><h1>T</h1><p>{FILLER * 2}</p></article>{thread}</body></html>")
    assert "sudo tide" not in plain  # so nothing is lost by taking what has the comments
    assert "This works for me" in best


def test_a_list_that_the_reader_of_articles_takes_for_navigation_is_not_lost() -> None:
    stories = "".join(f"<div><a href='/{n}'>Story {n}: {FILLER[:60]}</a></div>" for n in range(60))
    page = f"<html><body><div><p>{FILLER * 2}</p></div><div class='list'>{stories}</div></body></html>"
    assert "Story 7" not in articles(page)
    (text,) = main_texts(page)
    assert "Story 7: High water" in text


@pytest.mark.slow
def test_a_page_that_the_reader_of_articles_does_not_understand_keeps_its_visible_text() -> None:
    deep = "<div>" * 20_000 + "deep text" + "</div>" * 20_000
    assert list(main_texts(deep)) == ["deep text"]


@pytest.mark.parametrize("read", [by_selectolax, by_standard_library])
def test_text_beside_blocks_stands_on_its_own_line(read: Callable[[str], str]) -> None:
    page = "<body>one<p>two</p>three<br>four<div><b>fi</b>ve</div> six<ul><li>seven</ul>eight</body>"
    assert plain_html(page, read=read).split("\n") == ["one", "two", "three", "four", "five", "six", "seven", "eight"]


def test_a_short_page_is_read_by_the_plain_rules() -> None:
    assert list(main_texts("<body><nav>menu</nav><main><p>Words.</p></main></body>")) == ["Words."]


def test_articles_count_once_and_together() -> None:
    posts = "".join(f"<article><p>Post {n}. {FILLER}</p><article>Reply {n}.</article></article>" for n in range(3))
    text = plain_html(f"<body><p>around</p>{posts}</body>")
    assert [text.count(f"Post {n}.") for n in range(3)] == [1, 1, 1]
    assert [text.count(f"Reply {n}.") for n in range(3)] == [1, 1, 1]
    assert "around" not in text


def test_a_main_part_without_text_is_not_the_main_part() -> None:
    assert FILLER.strip() in plain_html(f"<body><main><p>Loading</p></main><div>{FILLER}</div></body>")


@pytest.mark.parametrize(
    "html",
    [
        "",
        "text",
        "<p>",
        "<",
        "<!--",
        "</p></p>",
        "<pre>",
        "<nav>",
        "\x1b\x1c\x1d\x1e\x1f",
        "<pre><pre></pre>x",
        "<main>",
    ],
)
def test_broken_html_is_read_as_far_as_it_goes(html: str) -> None:
    for read in (by_selectolax, by_standard_library):
        text = plain_html(html, read=read)
        assert ("text" in text) == (html == "text")
        assert not set(text) & set("\x1b\x1c\x1d\x1e\x1f")


def test_no_more_is_read_than_takes_a_few_seconds() -> None:
    (text,) = main_texts("a" * (MOST_CHARS + 1000))
    assert len(text) == MOST_CHARS

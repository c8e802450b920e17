"""Bare addresses, and how a text is cut into blocks."""

from __future__ import annotations

import pytest

from llamachat.render.parse import Definitions, MarkdownParser

PARSER = MarkdownParser()


def none() -> Definitions:
    return Definitions({}, frozenset())


def links(text: str) -> list[object]:
    return [token.attrs["href"] for token in PARSER.inline(text, none()) if token.type == "link_open"]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("（https://github.com/a/b）", "https://github.com/a/b"),
        ("见 https://ex.example/d，然后", "https://ex.example/d"),
        ("https://ex.example。", "https://ex.example"),
        ("(see https://en.wikipedia.org/wiki/Foo_(bar))", "https://en.wikipedia.org/wiki/Foo_(bar)"),
        ("[w](https://en.wikipedia.org/wiki/Foo_(bar))", "https://en.wikipedia.org/wiki/Foo_(bar)"),
        ("https://ex.example/?q=1&lt=2", "https://ex.example/?q=1&lt=2"),
        ("mail to a@example.org, please", "mailto:a@example.org"),
        ("“https://ex.example/x”", "https://ex.example/x"),
        ("*https://ex.example/a_b*", "https://ex.example/a_b"),
    ],
)
def test_an_address_ends_where_the_sentence_goes_on(text: str, address: str) -> None:
    assert links(text) == [address]


@pytest.mark.parametrize("text", ["main.py and setup.sh", "e.g. this", "file:///etc/passwd", "ftp://x.example/y"])
def test_file_names_and_other_schemes_are_no_links(text: str) -> None:
    assert links(text) == []


def test_a_very_long_text_is_not_searched_for_addresses() -> None:
    assert links("https://a.example " * 2000) == []


def test_blocks_know_their_lines() -> None:
    blocks = PARSER.blocks("# a\n\ntext\nmore\n\n- x\n  - y\n", none())
    assert [(block.first_line, block.end_line) for block in blocks] == [(0, 1), (2, 4), (5, 7)]


def test_hidden_labels_are_never_found_and_others_are_noted() -> None:
    definitions = Definitions({}, frozenset({"1"}))
    PARSER.blocks("[1]: https://a.example\n[b]: https://b.example\n", definitions)
    tokens = PARSER.inline("[1] and [b] and [c]", definitions)
    assert [token.attrs["href"] for token in tokens if token.type == "link_open"] == ["https://b.example"]
    assert definitions.looked_up == {"1", "B", "C"}


def test_a_thousand_open_brackets_are_text() -> None:
    parser = MarkdownParser()
    tokens = parser.inline("[" * 1001 + " *soft*", Definitions({}, frozenset()))
    assert tokens[0].content.startswith("[[[")
    assert [token.type for token in tokens if token.type == "em_open"] == ["em_open"]
    assert all(token.type != "link_open" for token in tokens)

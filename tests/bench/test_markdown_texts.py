"""Seeded Markdown: the same for a seed, cut without loss, closed at its end."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from tests.bench.markdown_texts import MarkdownTexts, answer_tokens, cut_tokens


def test_a_seed_always_gives_the_same_text() -> None:
    assert MarkdownTexts(3).document(2000) == MarkdownTexts(3).document(2000)
    assert MarkdownTexts(3).document(2000) != MarkdownTexts(4).document(2000)


def test_a_document_has_every_kind_of_block() -> None:
    parser = MarkdownIt("commonmark").enable("table")
    kinds = {token.type for token in parser.parse(MarkdownTexts(1).document(50_000))}
    wanted = {"paragraph_open", "bullet_list_open", "ordered_list_open", "fence", "heading_open", "blockquote_open"}
    assert wanted | {"table_open"} <= kinds


@pytest.mark.parametrize("text", [MarkdownTexts(2).document(5000), "Größe 漢字 🦙\r\n\tx\u00a0y", ""])
def test_tokens_are_the_text_again(text: str) -> None:
    assert "".join(cut_tokens(text)) == text


@pytest.mark.parametrize("count", [1, 2, 50, 3000])
def test_an_answer_has_its_tokens_and_no_open_fence(count: int) -> None:
    tokens = answer_tokens(count, 7)
    assert len(tokens) == count
    assert "".join(tokens).count("```") % 2 == 0
    assert all(tokens)

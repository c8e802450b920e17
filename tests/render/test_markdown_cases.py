"""What went wrong in other programs: `tests/data/cases/markdown.jsonl`, whole and by characters."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from llamachat.render.html import HtmlWriter, MessageContext
from llamachat.render.incremental import GrowingMarkdown, draw_pieces
from llamachat.render.parse import MarkdownParser

CASES = Path(__file__).parents[1] / "data" / "cases" / "markdown.jsonl"
PARSER = MarkdownParser()


@dataclass(frozen=True)
class Case:
    """shows, absent: texts that are seen or not. links: all addresses (None: not asked). boxes: of code."""

    id: str
    text: str
    shows: list[str]
    absent: list[str]
    links: list[str] | None
    boxes: int | None


def cases() -> list[Case]:
    return [Case(**json.loads(line)) for line in CASES.read_text(encoding="utf-8").splitlines()]


def seen(drawn: str) -> str:
    without_heads = re.sub(r'(<p class="code-head".*?>)(.*?)<a .*?</p>', r"\1\2", drawn)
    return html.unescape(re.sub(r"<[^>]*>", "\n", without_heads))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_case(case: Case) -> None:
    drawn = "".join(piece.html for piece in draw_pieces(PARSER, HtmlWriter(PARSER, MessageContext(1)), case.text))
    for text in case.shows:
        assert text in seen(drawn)
    for text in case.absent:
        assert text not in seen(drawn)
    links = [html.unescape(found) for found in re.findall(r'<a href="([^"]*)"', drawn)]
    assert case.links is None or [link for link in links if not link.startswith("x-llamachat-")] == case.links
    assert case.boxes is None or drawn.count('class="code-head"') == case.boxes
    assert not re.search(r"<(?!/?(p|a|b|i|s|ul|ol|li|br|table|thead|tbody|tr|th|td|span|sup)[ >])", drawn)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_case_by_single_characters(case: Case) -> None:
    growing = GrowingMarkdown(PARSER, HtmlWriter(PARSER, MessageContext(1)))
    boxes = [0]
    for character in case.text:
        growing.feed(character)
        boxes.append("".join(piece.html for piece in growing.pieces).count('class="code-head"'))
    growing.finish()
    whole = draw_pieces(PARSER, HtmlWriter(PARSER, MessageContext(1)), case.text)
    assert [piece.html for piece in growing.pieces] == [piece.html for piece in whole]
    assert boxes == sorted(boxes)


@pytest.mark.parametrize("name", ["E04", "E04 twelve columns", "E04 few cells"])
def test_neither_bars_nor_half_addresses_flash_while_a_table_is_typed(name: str) -> None:
    text = next(case.text for case in cases() if case.id == name)
    growing, tables = GrowingMarkdown(PARSER, HtmlWriter(PARSER, MessageContext(1))), [0]
    for character in text:
        growing.feed(character)
        drawn = "".join(piece.html for piece in growing.pieces)
        assert "|" not in seen(drawn)
        assert "https" not in seen(drawn)
        tables.append(drawn.count("<table"))
    assert tables == sorted(tables)
    assert tables[-1] == 1

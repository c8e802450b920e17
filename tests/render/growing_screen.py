"""Text fed in random pieces, and what the updates make of it, held after each against drawing it at once."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from llamachat.render.block_html import draw_code_lines
from llamachat.render.held_back import visible_part
from llamachat.render.html import HtmlWriter, MessageContext
from llamachat.render.incremental import GrowingMarkdown, Update, draw_pieces, normalize
from llamachat.render.parse import MarkdownParser

PARSER = MarkdownParser()
CONTEXT = MessageContext(1, {1: "https://source.example/"})


@dataclass
class Screen:
    """Does what the updates say, as the view does with the document."""

    pieces: list[str] = field(default_factory=list)
    updates: int = 0
    growths: int = 0

    def apply(self, update: Update) -> None:
        self.updates += 1
        if update.growth:
            self.growths += 1
            head, _, rest = self.pieces[-1].partition("</p>")
            lines = rest.split("</p>")[:-2]
            kept = "".join(f"{line}</p>" for line in lines[: update.growth.kept])
            foot = f"{rest.split('</p>')[-2]}</p>"
            self.pieces[-1] = f"{head}</p>{kept}{draw_code_lines(update.growth.lines)}{foot}"
        for index, html in update.redrawn:
            self.pieces[index] = html
        self.pieces[update.keep :] = update.pieces


def draw_at_once(text: str, context: MessageContext = CONTEXT, parser: MarkdownParser = PARSER) -> list[str]:
    return [piece.html for piece in draw_pieces(parser, HtmlWriter(parser, context), text)]


def check_every_prefix(text: str, longest: int, seed: int, *, parser: MarkdownParser = PARSER) -> Screen:
    """Fail where the screen shows something else than the text so far, drawn at once."""
    chance, screen = random.Random(seed), Screen()
    growing = GrowingMarkdown(parser, HtmlWriter(parser, CONTEXT))
    position = 0
    while position < len(text):
        size = chance.randint(1, longest)
        screen.apply(growing.feed(text[position : position + size]))
        position += size
        prefix = normalize(text[:position].removesuffix("\r"))
        assert screen.pieces == draw_at_once(visible_part(prefix), parser=parser), repr(text[:position])
        if chance.random() < 0.2:
            assert [piece.html for piece in growing.pieces] == screen.pieces
    screen.apply(growing.finish())
    assert screen.pieces == draw_at_once(text, parser=parser)
    return screen

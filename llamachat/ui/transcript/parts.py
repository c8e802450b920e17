"""The parts a message is drawn in, from top to bottom, and the HTML of each. No Qt."""

from __future__ import annotations

from collections.abc import Container
from enum import IntEnum

from llamachat.core.messages import Role, StoredMessage
from llamachat.core.search_record import numbered_results
from llamachat.render.blocks import (
    draw_footer,
    draw_header,
    draw_search,
    draw_sources,
    draw_thinking,
)
from llamachat.render.code import code_at
from llamachat.render.endings import draw_ending, draw_unanswered
from llamachat.render.html import HtmlWriter, MessageContext
from llamachat.render.incremental import Piece, draw_pieces
from llamachat.render.limits import Limits
from llamachat.render.links import Anchor, AnchorKind
from llamachat.render.parse import MarkdownParser
from llamachat.render.typed import draw_typed, typed_code_at


class Part(IntEnum):
    """The parts in their order."""

    HEADER = 0
    SEARCHES = 1
    THINKING = 2
    BODY = 3
    REMARK = 4
    WAITING = 5
    NOTICES = 6
    OUTCOME = 7
    SOURCES = 8
    FOOTER = 9


def draw_part(part: Part, message: StoredMessage, *, opened: Container[Anchor], is_last: bool, version: str) -> str:
    """The HTML of any part that follows from the stored row alone; the body is not one of them.

    opened: the folds that are open. is_last: nothing comes after this message, so what helps is offered.
    version: which one it is, where there are several.
    """
    if part is Part.HEADER:
        return draw_header(message, version)
    if message.role is Role.USER:
        return draw_unanswered(message.id) if part is Part.OUTCOME and is_last else ""
    if part is Part.SEARCHES:
        return _draw_searches(message, opened)
    if part is Part.THINKING:
        is_open = Anchor(AnchorKind.REASONING, message.id) in opened
        return draw_thinking(message.reasoning, message.id, opened=is_open)
    if part is Part.OUTCOME:
        return draw_ending(message, is_last=is_last)
    if part is Part.SOURCES:
        return draw_sources(message.searches)
    return draw_footer(message) if part is Part.FOOTER and message.content else ""


def _draw_searches(message: StoredMessage, opened: Container[Anchor]) -> str:
    return "".join(
        draw_search(record, message.id, number, opened=Anchor(AnchorKind.SEARCH, message.id, number) in opened)
        for number, record in enumerate(message.searches)
    )


def body_writer(parser: MarkdownParser, message: StoredMessage) -> HtmlWriter:
    """What draws the Markdown of an answer, with the sources of its searches."""
    sources = {number: result.url for number, result in numbered_results(message.searches).items()}
    return HtmlWriter(parser, MessageContext(message.id, sources))


def body_pieces(parser: MarkdownParser, message: StoredMessage, limits: Limits | None) -> list[Piece]:
    """The body of a message: what people typed as they typed it, answers as Markdown."""
    if message.role is Role.USER:
        return draw_typed(parser, message.content, message.id, limits)
    return draw_pieces(parser, body_writer(parser, message), message.content, limits)


def code_of(parser: MarkdownParser, message: StoredMessage, line: int) -> str | None:
    """The exact code of the block that starts at a line of a message."""
    if message.role is Role.USER:
        return typed_code_at(message.content, line)
    return code_at(parser, message.content, line)

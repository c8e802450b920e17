"""A row of the list of chats: what it shows, and how that is said. No Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from llamachat.core.conversation import Conversation
from llamachat.core.text import tr


@dataclass(frozen=True, slots=True)
class Row:
    """A heading (`conversation` None) or a chat; `live`: an answer streams in it, or is `waiting` to.

    fresh: an answer has ended in it that was not seen yet.
    """

    text: str
    conversation: Conversation | None = None
    live: bool = False
    waiting: bool = False
    fresh: bool = False


def said_of(row: Row) -> str:
    """What a screen reader says of a row."""
    return _with_remarks(row, _said(row))


def told_of(row: Row) -> str:
    """What the tooltip of a row says."""
    return _with_remarks(row, row.text)


def _said(row: Row) -> str:
    if row.waiting:
        return tr("{title}, waits for another answer to end").format(title=row.text)
    if row.live:
        return tr("{title}, an answer is being written").format(title=row.text)
    return tr("{title}, has a new answer").format(title=row.text) if row.fresh else row.text


def _with_remarks(row: Row, text: str) -> str:
    remarks = "; ".join(_remarks(row.conversation)) if row.conversation else ""
    return f"{text} ({remarks})" if remarks else text


def _remarks(chat: Conversation) -> Iterator[str]:
    if chat.forked:
        yield tr("forked from another chat")
    if chat.tags:
        yield tr("tags: {tags}").format(tags=", ".join(chat.tags))

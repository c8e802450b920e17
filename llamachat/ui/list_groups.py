"""Chats in the order of a list, in groups with a heading each. No Qt.

Whatever changes one chat takes as many steps as there are groups, however many chats are loaded.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeAlias

from llamachat.core.conversation import Conversation, ListOrder
from llamachat.core.text import tr
from llamachat.storage.title_key import title_key
from llamachat.ui.days import heading

Key: TypeAlias = tuple[bool, float | str, int]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chat stands: the row of it, and whether it is alone below its heading, which has the row above."""

    row: int
    alone: bool


@dataclass(slots=True)
class _Group:
    heading: str
    keys: list[Key] = field(default_factory=list)
    chats: list[Conversation] = field(default_factory=list)


def sort_key(chat: Conversation, order: ListOrder) -> Key:
    """What chats are sorted by: pinned ones first."""
    if order is ListOrder.TITLE:
        return not chat.pinned, title_key(chat.title), chat.id
    return not chat.pinned, -(chat.created_at if order is ListOrder.CREATED else chat.updated_at), -chat.id


class ListGroups:
    """The rows of a list; `row` counts headings and chats."""

    def __init__(self, order: ListOrder, *, now: float) -> None:
        self.order = order
        self._now = now
        self._groups: list[_Group] = []
        self._ends: list[int] = []  # the row after the last one of each group
        self._known: dict[int, tuple[str, Key]] = {}

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def chats(self) -> Iterator[Conversation]:
        """Yield all chats in their order."""
        for group in self._groups:
            yield from group.chats

    def headings(self) -> list[str]:
        """All headings in their order."""
        return [group.heading for group in self._groups]

    def last(self) -> Conversation | None:
        """The chat at the end."""
        return self._groups[-1].chats[-1] if self._groups else None

    def at(self, row: int) -> str | Conversation:
        """The heading or the chat of a row."""
        number = bisect_right(self._ends, row)
        group = self._groups[number]
        place = row - (self._ends[number - 1] if number else 0)
        return group.heading if place == 0 else group.chats[place - 1]

    def count_chats(self, first: int, last: int) -> int:
        """How many of the rows from `first` to `last` are no headings."""
        headings = bisect_right(self._ends, last) - bisect_left(self._ends, first)
        return last - first + 1 - headings - (first == 0)

    def get(self, chat_id: int) -> Conversation | None:
        """A chat that is here."""
        place = self.find(chat_id)
        chat = self.at(place.row) if place else None
        return chat if isinstance(chat, Conversation) else None

    def find(self, chat_id: int) -> Place | None:
        """Where a chat stands; None where it is not here."""
        if chat_id not in self._known:
            return None
        heading_, key = self._known[chat_id]
        number = self._number(heading_)
        group = self._groups[number]
        return Place(self._begin(number) + 1 + bisect_left(group.keys, key), len(group.chats) == 1)

    def fill(self, chats: Iterable[Conversation], *, now: float) -> None:
        """Have these and no others."""
        self._now = now
        self._groups, self._known = [], {}
        for chat in sorted(chats, key=lambda chat: sort_key(chat, self.order)):
            text = self._heading(chat)
            if not self._groups or self._groups[-1].heading != text:
                self._groups.append(_Group(text))
            self._append(self._groups[-1], chat)
        self._count()

    def place_for(self, chat: Conversation) -> Place:
        """Where a chat that is not here would stand. alone: with a heading that would be new above it."""
        key, text = sort_key(chat, self.order), self._heading(chat)
        number = self._number_for(text, key)
        if number < len(self._groups) and self._groups[number].heading == text:
            return Place(self._begin(number) + 1 + bisect_left(self._groups[number].keys, key), alone=False)
        return Place(self._begin(number) + 1, alone=True)

    def insert(self, chat: Conversation) -> None:
        """Add a chat that is not here."""
        key, text = sort_key(chat, self.order), self._heading(chat)
        number = self._number_for(text, key)
        if number == len(self._groups) or self._groups[number].heading != text:
            self._groups.insert(number, _Group(text))
        group = self._groups[number]
        at = bisect_left(group.keys, key)
        group.keys.insert(at, key)
        group.chats.insert(at, chat)
        self._known[chat.id] = text, key
        self._count()

    def extend(self, chats: Iterable[Conversation]) -> None:
        """Add chats that are not here, sorted, and behind all that are."""
        for chat in chats:
            text = self._heading(chat)
            if not self._groups or self._groups[-1].heading != text:
                self._groups.append(_Group(text))
            self._append(self._groups[-1], chat)
        self._count()

    def rows_with(self, chats: Iterable[Conversation]) -> int:
        """How many rows `extend` would add."""
        last = self._groups[-1].heading if self._groups else ""
        count = 0
        for chat in chats:
            text = self._heading(chat)
            count += 1 if text == last else 2
            last = text
        return count

    def remove(self, chat_id: int) -> None:
        """Drop a chat that is here."""
        text, key = self._known.pop(chat_id)
        number = self._number(text)
        group = self._groups[number]
        at = bisect_left(group.keys, key)
        del group.keys[at], group.chats[at]
        if not group.chats:
            del self._groups[number]
        self._count()

    def replace(self, chat: Conversation) -> bool:
        """Take another state of a chat that is here; False where it then stands elsewhere, and nothing is done."""
        text, key = self._known[chat.id]
        if (text, key) != (self._heading(chat), sort_key(chat, self.order)):
            return False
        group = self._groups[self._number(text)]
        group.chats[bisect_left(group.keys, key)] = chat
        return True

    def _append(self, group: _Group, chat: Conversation) -> None:
        key = sort_key(chat, self.order)
        group.keys.append(key)
        group.chats.append(chat)
        self._known[chat.id] = group.heading, key

    def _number(self, text: str) -> int:
        return next(number for number, group in enumerate(self._groups) if group.heading == text)

    def _number_for(self, text: str, key: Key) -> int:
        """The group with a heading, or before which it belongs."""
        for number, group in enumerate(self._groups):
            if group.heading == text or group.keys[0] > key:
                return number
        return len(self._groups)

    def _begin(self, number: int) -> int:
        return self._ends[number - 1] if number else 0

    def _count(self) -> None:
        self._ends = list(accumulate(1 + len(group.chats) for group in self._groups))

    def _heading(self, chat: Conversation) -> str:
        if chat.pinned:
            return tr("Pinned")
        if self.order is ListOrder.TITLE:
            return tr("By title")
        return heading(chat.created_at if self.order is ListOrder.CREATED else chat.updated_at, now=self._now)

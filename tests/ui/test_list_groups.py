"""Chats in groups: whatever is put in or taken out, the rows are those of a list made anew."""

from __future__ import annotations

import random

import pytest

from llamachat.core.conversation import Conversation, ListOrder
from llamachat.ui.list_groups import ListGroups

DAY = 86400.0
NOW = 1_800_000_000.0


def chat(number: int, *, at: float, title: str = "", pinned: bool = False) -> Conversation:
    """A chat."""
    return Conversation(number, f"u{number}", title, created_at=NOW - number, updated_at=at, pinned=pinned)


def rows(groups: ListGroups) -> list[str | int]:
    """Headings, and chats by id."""
    return [row if isinstance(row, str) else row.id for row in map(groups.at, range(len(groups)))]


def test_pinned_chats_have_a_group_at_the_top() -> None:
    groups = ListGroups(ListOrder.ACTIVITY, now=NOW)
    groups.fill([chat(1, at=NOW), chat(2, at=NOW - 40 * DAY, pinned=True), chat(3, at=NOW - 1)], now=NOW)
    assert rows(groups) == ["Pinned", 2, "Today", 1, 3]


def test_a_list_by_title_has_the_order_of_words_and_numbers() -> None:
    groups = ListGroups(ListOrder.TITLE, now=NOW)
    titles = ("zoo 10", "Äpfel", "zoo 9", "bees")
    groups.fill([chat(number, at=NOW, title=title) for number, title in enumerate(titles)], now=NOW)
    assert rows(groups) == ["By title", 1, 3, 2, 0]


@pytest.mark.parametrize("order", ListOrder)
def test_changes_one_by_one_come_to_the_same_as_a_new_list(order: ListOrder) -> None:
    chance = random.Random(3)
    groups, kept = ListGroups(order, now=NOW), dict[int, Conversation]()

    def some(number: int) -> Conversation:
        at = NOW - chance.choice([0, 1, 2, 9, 40, 400]) * DAY - chance.random()
        return chat(number, at=at, title=str(chance.randint(0, 9)), pinned=chance.random() < 0.2)

    for _ in range(400):
        one = some(chance.randint(1, 30))
        if one.id not in kept:
            place = groups.place_for(one)
            groups.insert(one)
            assert groups.find(one.id) == place
            kept[one.id] = one
        elif chance.random() < 0.4:
            groups.remove(one.id)
            del kept[one.id]
        elif groups.replace(one):
            kept[one.id] = one
        anew = ListGroups(order, now=NOW)
        anew.fill(kept.values(), now=NOW)
        assert rows(groups) == rows(anew)
        assert all(groups.get(number) == kept[number] for number in kept)
        for number in kept:
            place_ = groups.find(number)
            assert place_ is not None
            assert groups.at(place_.row) == kept[number]
    first, last = 2, len(groups) - 2
    assert groups.count_chats(first, last) == sum(isinstance(row, int) for row in rows(groups)[first : last + 1])
    assert groups.count_chats(0, len(groups) - 1) == len(kept)


def test_pages_are_added_at_the_end() -> None:
    groups = ListGroups(ListOrder.ACTIVITY, now=NOW)
    groups.fill([chat(1, at=NOW)], now=NOW)
    page = [chat(2, at=NOW - 1), chat(3, at=NOW - DAY), chat(4, at=NOW - DAY - 1)]
    count = groups.rows_with(page)
    groups.extend(page)
    assert rows(groups) == ["Today", 1, 2, "Yesterday", 3, 4]
    assert count == 4
    assert groups.last() == page[-1]

"""What is said of a chat in the list, and which chats have an answer that was not seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.conversation import Conversation
from llamachat.ui.conversation_model import ConversationModel
from llamachat.ui.list_row import Row, said_of, told_of
from tests.fakes.still_clock import StillClock

BEES = Conversation(1, "u", "Bees", 0.0, 0.0)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (Row("Today"), "Today"),
        (Row("Bees", BEES), "Bees"),
        (Row("Bees", BEES, fresh=True), "Bees, has a new answer"),
        (Row("Bees", BEES, live=True, fresh=True), "Bees, an answer is being written"),
        (Row("Bees", replace(BEES, forked=True)), "Bees (forked from another chat)"),
        (Row("Bees", replace(BEES, forked=True, tags=("a", "b"))), "Bees (forked from another chat; tags: a, b)"),
    ],
)
def test_what_a_row_shows_is_said_too(row: Row, said: str) -> None:
    assert said_of(row) == said
    assert told_of(replace(row, live=False, fresh=False)) == said_of(replace(row, live=False, fresh=False))


def test_an_answer_that_ended_elsewhere_is_marked_until_its_chat_is_shown(qtbot: QtBot) -> None:
    rows = ConversationModel(StillClock())
    rows.set_page([replace(BEES, id=number) for number in (1, 2, 3)], append=False, has_more=False)

    def fresh() -> set[int]:
        shown = (rows.row(rows.index(number)) for number in range(rows.rowCount()))
        return {row.conversation.id for row in shown if row.conversation and row.fresh}

    rows.see(1)
    rows.set_live(frozenset({1, 2, 3}))
    assert fresh() == set()
    rows.set_live(frozenset({3}))
    assert fresh() == {2}
    rows.set_live(frozenset())
    assert fresh() == {2, 3}
    rows.set_live(frozenset({3}))
    assert fresh() == {2}
    repainted: list[int] = []
    rows.dataChanged.connect(lambda first, _last: repainted.append(first.row()))
    rows.see(2)
    assert fresh() == set()
    assert repainted == [rows.index_of(2).row()]
    rows.see(None)
    rows.set_live(frozenset())
    assert fresh() == {3}

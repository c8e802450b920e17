"""The bar that takes back what was done with chats, the latest first."""

from __future__ import annotations

from functools import partial

import pytest
from pytestqt.qtbot import QtBot

from llamachat.ui.undo_bar import UNDO_MS, UndoBar


@pytest.fixture
def bar(qtbot: QtBot) -> UndoBar:
    """Nothing is offered yet."""
    bar = UndoBar()
    qtbot.addWidget(bar)
    return bar


def test_what_was_done_before_can_be_undone_after_it(bar: UndoBar) -> None:
    undone: list[str] = []
    for name in ("A", "B", "C"):
        bar.offer(f"Deleted: {name}", partial(undone.append, name))
    assert bar.text == "Deleted: C (+2)"
    bar.button.click()
    assert bar.text == "Deleted: B (+1)"
    bar.button.click()
    assert (bar.text, bar.isVisible()) == ("Deleted: A", True)
    bar.button.click()
    assert (undone, bar.isVisible()) == (["C", "B", "A"], False)


def test_what_an_undo_offers_is_offered_on_top(bar: UndoBar) -> None:
    bar.offer("first", lambda: None)
    bar.offer("second", lambda: bar.offer("third", lambda: None))
    bar.button.click()
    assert bar.text == "third (+1)"


def test_what_is_withdrawn_does_not_come_back(bar: UndoBar) -> None:
    bar.offer("first", lambda: None)
    bar.withdraw()
    assert not bar.isVisible()
    bar.offer("second", lambda: None)
    assert bar.text == "second"


def test_each_offer_has_the_whole_time(bar: UndoBar) -> None:
    bar.offer("first", lambda: None)
    assert bar._timer.isActive()
    bar._timer.timeout.emit()
    assert not bar.isVisible()
    bar.offer("second", lambda: None)
    assert (bar.text, bar._timer.interval()) == ("second", UNDO_MS)

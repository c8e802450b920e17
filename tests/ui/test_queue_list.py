"""The rows above the composer: what they say and offer, that they stay, and that many of them scroll."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from llamachat.storage.queued import Queued
from llamachat.ui.labels import tooltip
from llamachat.ui.queue_list import QueueList

FIRST, SECOND = Queued(1, 7, "And then?"), Queued(2, 7, "<b>Why?</b>\nIn two lines.")


@pytest.fixture
def queue(qtbot: QtBot) -> QueueList:
    queue = QueueList()
    qtbot.addWidget(queue)
    queue.resize(500, 300)
    return queue


def test_nothing_that_waits_takes_no_room(queue: QueueList) -> None:
    queue.show_queue([FIRST], running=True)
    assert not queue.isHidden()
    queue.show_queue([], running=True)
    assert queue.isHidden()


def test_rows_say_what_they_are_and_do(qtbot: QtBot, queue: QueueList) -> None:
    queue.show_queue([FIRST, SECOND], running=True)
    assert [row.label.text() for row in queue.rows] == ["And then?", "<b>Why?</b> In two lines."]
    assert queue.rows[1].label.toolTip() == tooltip("<b>Why?</b>\nIn two lines.")
    assert queue.rows[0].edit.accessibleName() == "Take back: And then?"
    assert [queue.send.text(), queue.rows[0].send.accessibleName()] == ["Send now", "Send now: And then?"]
    with qtbot.waitSignal(queue.take_back_requested) as taken:
        queue.rows[1].edit.click()
    assert taken.args == [2]
    assert queue.rows[1].discard.accessibleName() == "Discard: <b>Why?</b> In two lines."
    with qtbot.waitSignal(queue.discard_requested) as discarded:
        queue.rows[1].discard.click()
    assert discarded.args == [2]
    with qtbot.waitSignal(queue.send_requested) as sent:
        queue.send.click()
    assert sent.args == [1]


def test_it_says_why_it_waits_and_then_only_sends(queue: QueueList) -> None:
    queue.show_queue([FIRST], running=True)
    assert queue.heading.text() == "Asked when the answer has ended"
    queue.show_queue([FIRST], running=False, why_held="Waits, because the answer was stopped")
    assert queue.heading.text() == "Waits, because the answer was stopped"
    assert [queue.send.text(), queue.rows[0].send.accessibleName()] == ["Send", "Send: And then?"]


def test_a_row_that_stays_keeps_the_keyboard(qtbot: QtBot, queue: QueueList) -> None:
    queue.show_queue([FIRST, SECOND], running=True)
    queue.show()
    queue.activateWindow()
    button = queue.rows[1].edit
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    queue.show_queue([SECOND], running=False)
    assert [row.queued for row in queue.rows] == [SECOND]
    assert button.hasFocus()


def test_many_scroll(queue: QueueList) -> None:
    queue.show_queue([Queued(number, 7, "And?") for number in range(1, 5)], running=True)
    high = queue.sizeHint().height()
    queue.show_queue([Queued(number, 7, "And?") for number in range(1, 50)], running=True)
    assert queue.sizeHint().height() == high
    assert len(queue.rows) == 49


def test_a_long_text_stays_small(queue: QueueList) -> None:
    queue.show_queue([Queued(1, 7, "word " * 100_000)], running=True)
    assert len(queue.rows[0].label.text()) <= 301
    assert len(queue.rows[0].label.toolTip()) < 1100
    assert len(queue.rows[0].edit.accessibleName()) < 100

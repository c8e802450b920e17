"""The card that asks before a search goes out: edited, refused, withdrawn, one after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled
from llamachat.ui.consent import ConsentCard, ConsentDesk


class Asker(threading.Thread):
    """A turn's thread that asks."""

    def __init__(self, desk: ConsentDesk, query: str, chat_id: int | None = None) -> None:
        super().__init__()
        self.cancel = CancelToken()
        self.answer: str | None = ""
        self.stopped = False
        self._desk, self._query, self._chat_id = desk, query, chat_id
        self.start()

    def run(self) -> None:
        try:
            self.answer = self._desk.ask(
                self._query, provider="Brave", host="brave.example", cancel=self.cancel, chat_id=self._chat_id
            )
        except Cancelled:
            self.stopped = True


@pytest.fixture
def card(qtbot: QtBot) -> ConsentCard:
    """A card in a window of its own."""
    made = ConsentCard()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def desk(card: ConsentCard) -> Iterator[ConsentDesk]:
    """What the threads ask."""
    owner = QObject()
    yield ConsentDesk(card, owner)
    owner.deleteLater()


def ended(qtbot: QtBot, asker: Asker) -> None:
    qtbot.waitUntil(lambda: not asker.is_alive())


def test_it_shows_the_exact_query_and_where_it_would_go(qtbot: QtBot, card: ConsentCard, desk: ConsentDesk) -> None:
    assert card.isHidden()
    asker = Asker(desk, "tide  husum & <b>")
    qtbot.waitUntil(card.isVisible)
    assert card.query.text() == "tide  husum & <b>"
    assert card.label.text() == "A web search waits for your word. This query would go to Brave (brave.example):"
    card.send.click()
    ended(qtbot, asker)
    assert asker.answer == "tide husum & <b>"
    assert card.isHidden()


def test_a_chat_that_is_not_the_shown_one_is_named(qtbot: QtBot, card: ConsentCard, desk: ConsentDesk) -> None:
    elsewhere = {7: "<b>Tides</b>"}
    card.title_elsewhere = lambda number: elsewhere.get(number or 0, "")
    asker = Asker(desk, "tide", 7)
    qtbot.waitUntil(card.isVisible)
    assert "of the chat “<b>Tides</b>” waits" in card.label.text()
    card.query.setText("tide today")
    elsewhere.clear()  # it is shown now
    card.tell_who_asks()
    assert card.label.text().startswith("A web search waits for your word.")
    assert card.query.text() == "tide today"
    card.refuse.click()
    ended(qtbot, asker)


def test_the_query_can_be_changed_and_not_be_emptied(qtbot: QtBot, card: ConsentCard, desk: ConsentDesk) -> None:
    asker = Asker(desk, "my secret plan tide")
    qtbot.waitUntil(card.isVisible)
    card.query.setText(" ")
    assert not card.send.isEnabled()
    QTest.keyClick(card.query, Qt.Key.Key_Return)
    assert asker.is_alive()
    card.query.setText("tide")
    QTest.keyClick(card.query, Qt.Key.Key_Return)
    ended(qtbot, asker)
    assert asker.answer == "tide"


@pytest.mark.parametrize("by_key", [True, False])
def test_it_can_be_refused(qtbot: QtBot, card: ConsentCard, desk: ConsentDesk, by_key: bool) -> None:
    asker = Asker(desk, "tide")
    qtbot.waitUntil(card.isVisible)
    if by_key:
        QTest.keyClick(card.query, Qt.Key.Key_Escape)
    else:
        card.refuse.click()
    ended(qtbot, asker)
    assert asker.answer is None


def test_stop_withdraws_the_question(qtbot: QtBot, card: ConsentCard, desk: ConsentDesk) -> None:
    asker = Asker(desk, "tide")
    qtbot.waitUntil(card.isVisible)
    asker.cancel.cancel()
    ended(qtbot, asker)
    assert asker.stopped
    qtbot.waitUntil(card.isHidden)


def test_several_questions_come_one_after_the_other(qtbot: QtBot, card: ConsentCard, desk: ConsentDesk) -> None:
    first = Asker(desk, "one")
    qtbot.waitUntil(card.isVisible)
    second, third = Asker(desk, "two"), Asker(desk, "three")
    qtbot.wait(50)
    assert card.query.text() == "one"
    card.refuse.click()
    ended(qtbot, first)
    shown = card.query.text()
    waiting = {"two": second, "three": third}
    waiting.pop("three" if shown == "two" else "two").cancel.cancel()
    card.send.click()
    for asker in (second, third):
        ended(qtbot, asker)
    assert waiting[shown].answer == shown
    qtbot.waitUntil(card.isHidden)


def test_it_does_not_take_the_keyboard_away(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    column, typing, card = QVBoxLayout(window), QLineEdit(), ConsentCard()
    column.addWidget(typing)
    column.addWidget(card)
    window.show()
    typing.setFocus()
    asker = Asker(ConsentDesk(card, window), "tide")
    qtbot.waitUntil(card.isVisible)
    assert typing.hasFocus()
    assert card.query.accessibleName()
    asker.cancel.cancel()
    ended(qtbot, asker)

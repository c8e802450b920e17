"""Bars above the chat."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from llamachat.ui.icons import IconButton
from llamachat.ui.notices import OFFER_MS, TOAST_MS, NoticeBar, Notices


@pytest.fixture
def notices(qtbot: QtBot) -> Notices:
    """No bar yet."""
    notices = Notices()
    qtbot.addWidget(notices)
    return notices


def test_a_bar_replaces_the_one_with_its_key(notices: Notices) -> None:
    notices.keep("config", "line 3", tone="error")
    notices.keep("config", "line 4", tone="error")
    notices.keep("other", "else")
    assert notices.text("config") == "line 4"
    assert [bar.label.text() for bar in notices.findChildren(NoticeBar) if bar.isVisible()] == ["line 4", "else"]
    assert notices.isVisible()


def test_without_bars_there_is_nothing(notices: Notices) -> None:
    assert not notices.isVisible()
    notices.keep("a", "text")
    notices.drop("a")
    notices.drop("never there")
    assert not notices.isVisible()
    assert notices.text("a") == ""


def test_a_bar_is_closed_by_its_cross(notices: Notices) -> None:
    notices.keep("a", "text")
    (cross,) = notices.findChildren(IconButton)
    cross.click()
    assert not notices.isVisible()


def test_what_must_be_mended_first_cannot_be_closed(notices: Notices) -> None:
    pressed: list[bool] = []
    notices.keep("config", "broken", tone="error", button=("Open the file", lambda: pressed.append(True)))
    assert notices.findChildren(IconButton) == []
    (button,) = notices.findChildren(QPushButton)
    button.click()
    assert pressed == [True]


def test_a_long_word_does_not_widen_a_bar(notices: Notices) -> None:
    notices.keep("a", "W" * 900, tone="error")
    assert notices.minimumSizeHint().width() < 200


def test_a_bar_may_have_a_button_that_puts_it_away_in_place_of_the_cross(notices: Notices) -> None:
    pressed: list[str] = []
    go_on, not_now = ("Go on", lambda: pressed.append("on")), ("Not now", lambda: pressed.append("off"))
    notices.keep("a", "text", button=go_on, dismiss=not_now)
    assert notices.findChildren(IconButton) == []
    for button in notices.findChildren(QPushButton):
        button.click()
    assert pressed == ["on", "off"]


def timers(notices: Notices) -> dict[int, QTimer]:
    """Those that run for a bar, by their time."""
    return {timer.interval(): timer for timer in notices.findChildren(QTimer) if timer.isActive()}


def test_news_goes_away_by_itself_and_what_needs_an_answer_stays(notices: Notices) -> None:
    notices.keep("config", "broken", tone="error")
    notices.toast("copied")
    notices.offer("imported", "one chat", [("Show", lambda: None)])
    found = timers(notices)
    assert sorted(found) == [TOAST_MS, OFFER_MS]
    found[TOAST_MS].timeout.emit()
    assert (notices.text("toast"), notices.text("imported")) == ("", "one chat")
    found[OFFER_MS].timeout.emit()
    assert (notices.text("imported"), notices.text("config")) == ("", "broken")


def test_a_bar_stays_while_the_keyboard_is_on_it(qtbot: QtBot, notices: Notices) -> None:
    notices.move(QCursor.pos() + QPoint(50, 50))
    notices.offer("imported", "one chat", [("Show", lambda: None)])
    notices.activateWindow()
    (button,) = notices.findChildren(QPushButton)
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    timers(notices)[OFFER_MS].timeout.emit()
    assert notices.text("imported") == "one chat"
    button.clearFocus()
    timers(notices)[OFFER_MS].timeout.emit()
    assert notices.text("imported") == ""

"""What waits for the first picture of a window."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from llamachat.render.code import find_lexer
from llamachat.ui.first_paint import FirstPaint, WarmUp


def test_the_first_painting_of_a_window_is_told_once(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    told: list[bool] = []
    first = FirstPaint(window)
    first.done.connect(lambda: told.append(window.isVisible()))
    with qtbot.waitSignal(first.done):
        window.show()
    window.repaint()
    with qtbot.assertNotEmitted(first.done, wait=1):
        window.repaint()
    assert told == [True]


def test_lexers_are_made_ready_one_after_the_other(qtbot: QtBot, owner: QObject) -> None:
    find_lexer.cache_clear()
    WarmUp(owner, pause_ms=0).start()
    qtbot.waitUntil(lambda: find_lexer.cache_info().currsize == 8)
    find_lexer("html")
    assert find_lexer.cache_info().hits == 1

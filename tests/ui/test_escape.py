"""Escape in a part of a window whose own shortcut is Escape too."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from llamachat.ui.consent import ConsentCard, Question
from llamachat.ui.theme import LIGHT
from llamachat.ui.transcript.view import TranscriptView


class Window(QMainWindow):
    """A chat and a card, and an action with the key Escape that counts how often it was meant."""

    def __init__(self) -> None:
        super().__init__()
        self.stopped = 0
        self.view, self.card = TranscriptView(LIGHT), ConsentCard()
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.addWidget(self.view)
        column.addWidget(self.card)
        self.setCentralWidget(inside)
        stop = QAction(self, shortcut=QKeySequence(Qt.Key.Key_Escape))
        stop.triggered.connect(self._stop)
        self.addAction(stop)

    def _stop(self) -> None:
        self.stopped += 1


@pytest.fixture
def window(qtbot: QtBot) -> Window:
    """A window in front."""
    made = Window()
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def press_escape(qtbot: QtBot, widget: QWidget) -> None:
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)
    QTest.keyClick(widget, Qt.Key.Key_Escape)


def test_the_find_bar_is_closed(qtbot: QtBot, window: Window) -> None:
    window.view.find_bar.open()
    press_escape(qtbot, window.view.find_bar.field)
    assert window.view.find_bar.isHidden()
    assert window.stopped == 0


def test_the_question_is_refused(qtbot: QtBot, window: Window) -> None:
    for widget in (window.card.query, window.card.send, window.card.refuse):
        question = Question("tide", "Brave", "brave.example")
        window.card.ask(question)
        press_escape(qtbot, widget)
        assert question.answered.is_set()
        assert question.answer is None
        assert window.card.isHidden()
    assert window.stopped == 0


def test_elsewhere_it_is_the_windows(qtbot: QtBot, window: Window) -> None:
    window.view.find_bar.open()
    press_escape(qtbot, window.view)
    assert window.view.find_bar.isVisible()
    assert window.stopped == 1

"""Where dialogs come up: over the middle of their window, with their frame on the screen."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from llamachat.ui.over_window import placed, put_over_window

SCREEN = QRect(0, 30, 1366, 738)  # below a bar of the desktop
FRAME = QSize(10, 30)


def test_a_dialog_stands_over_the_middle_of_its_window() -> None:
    place = placed(QSize(390, 170), FRAME, around=QRect(200, 100, 800, 600), room=SCREEN)
    assert place == QRect(400, 300, 400, 200)


def test_a_dialog_is_no_higher_than_the_screen_with_its_frame() -> None:
    place = placed(QSize(390, 2000), FRAME, around=QRect(200, 100, 800, 600), room=SCREEN)
    assert (place.top(), place.height()) == (SCREEN.top(), SCREEN.height())


def test_a_dialog_stays_on_the_screen_where_its_window_hangs_over_an_edge() -> None:
    for corner in (QPoint(-700, -500), QPoint(1300, 700)):
        place = placed(QSize(390, 270), FRAME, around=QRect(corner, QSize(800, 600)), room=SCREEN)
        assert SCREEN.contains(place)


def test_a_dialog_that_grows_goes_back_to_the_middle(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(100, 50, 500, 500)
    window.show()
    dialog = QDialog(window)
    for height in (100, 400):
        put_over_window(dialog, QSize(300, height))
        dialog.show()
        assert dialog.size() == QSize(300, height)
        assert (dialog.frameGeometry().center() - window.frameGeometry().center()).manhattanLength() <= 2

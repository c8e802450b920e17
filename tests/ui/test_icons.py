"""Icons are sharp at every scale and as large as the font asks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from llamachat.ui.icons import IconButton, draw_icon, window_icon

SIDE = 24


def drawn(scale: float, name: str = "sidebar") -> QImage:
    image = QImage(round(SIDE * scale), round(SIDE * scale), QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_icon(painter, name, QRectF(0, 0, SIDE, SIDE), QColor("#000000"))
    painter.end()
    return image


def soft_pixels(image: QImage) -> int:
    """Those that are neither ink nor ground: the edges."""
    alphas = (image.pixelColor(x, y).alpha() for x in range(image.width()) for y in range(image.height()))
    return sum(20 < alpha < 235 for alpha in alphas)


@pytest.mark.parametrize("scale", [1.25, 1.5, 2.0, 3.0])
def test_an_icon_is_drawn_and_not_blown_up(scale: float) -> None:
    large = drawn(scale)
    mode = Qt.TransformationMode.SmoothTransformation
    blown_up = drawn(1.0).scaled(large.size(), Qt.AspectRatioMode.IgnoreAspectRatio, mode)
    assert soft_pixels(large) < 0.75 * soft_pixels(blown_up)


@pytest.mark.parametrize("points", [8, 11, 24])
def test_a_button_grows_with_the_font_and_cuts_nothing(qtbot: QtBot, points: int) -> None:
    plain, labelled = IconButton("send", "Send"), IconButton("globe", "Search", text="Search: Auto")
    for button in (plain, labelled):
        qtbot.addWidget(button)
        font = button.font()
        font.setPointSize(points)
        button.setFont(font)
        assert button.sizeHint().height() >= 1.5 * button.fontMetrics().height()
    room = labelled.sizeHint().width() - plain.sizeHint().width()
    assert room >= labelled.fontMetrics().horizontalAdvance("Search: Auto")
    assert plain.sizeHint().width() == plain.sizeHint().height()


def test_the_icon_of_the_window_comes_in_many_sizes(qtbot: QtBot) -> None:
    sizes = {size.width() for size in window_icon().availableSizes()}
    assert sizes >= {16, 32, 64, 128}
    assert window_icon().pixmap(64).toImage().pixelColor(32, 12).name() == "#3d6fd9"

"""Where the parts of the window stand."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QSplitter, QVBoxLayout, QWidget

LEFT_WIDTH = 180  # pixels, at the least
RIGHT_WIDTH = 320


def lay_out(
    window: QMainWindow, splitter: QSplitter, *, left: QWidget, notices: QWidget, page: QWidget, status: QWidget
) -> None:
    """The left side; beside it the notices above the page, and the status below it."""
    right = QWidget()
    right.setObjectName("chat")
    right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    column = QVBoxLayout(right)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(notices)
    column.addWidget(page, 1)
    line = QHBoxLayout()
    line.setContentsMargins(16, 0, 16, 7)
    line.addWidget(status)
    column.addLayout(line)
    splitter.addWidget(left)
    splitter.addWidget(right)
    splitter.setStretchFactor(1, 1)
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(1)
    left.setMinimumWidth(LEFT_WIDTH)
    right.setMinimumWidth(RIGHT_WIDTH)
    window.setCentralWidget(splitter)
    window.setWindowTitle("llamachat")

"""Qt draws into memory: no display is needed and none is touched."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture(autouse=True)
def _application_without_a_look() -> None:
    """Take away the theme that a window of an earlier test gave the whole application."""
    application = QApplication.instance()
    if isinstance(application, QApplication) and application.styleSheet():
        application.setStyleSheet("")
        application.setPalette(QPalette())


@pytest.fixture
def owner(qapp: QApplication) -> Iterator[QObject]:
    """Owns what is no part of a widget, and takes it along after the test, in the thread that made it."""
    owner = QObject()
    yield owner
    owner.deleteLater()
    QApplication.sendPostedEvents(owner, QEvent.Type.DeferredDelete.value)

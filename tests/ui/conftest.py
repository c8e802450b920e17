"""Qt draws into memory: no display is needed and none is touched."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture
def owner(qapp: QApplication) -> Iterator[QObject]:
    """Owns what is no part of a widget, and takes it along after the test, in the thread that made it."""
    owner = QObject()
    yield owner
    owner.deleteLater()
    QApplication.sendPostedEvents(owner, QEvent.Type.DeferredDelete.value)

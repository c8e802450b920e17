"""What the tests of acting on messages do to a view, and see of it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.ui.transcript.message_acts import Act
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import top_of


def point_at(qtbot: QtBot, view: TranscriptView, text: str) -> None:
    """Rest the pointer on a line, until its message shows its buttons."""
    at = QPointF(60, top_of(view, text) + 5)
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, at, view.mapToGlobal(at), none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view.viewport(), event)
    qtbot.waitUntil(view.bar.isVisible)


def shown_buttons(view: TranscriptView) -> list[Act]:
    return [act for act, button in view.bar.buttons.items() if button.isVisible() and button.isEnabled()]


def asked(view: TranscriptView) -> list[tuple[str, int]]:
    """What the view asks its owner for, from now on."""
    found: list[tuple[str, int]] = []
    view.retry_requested.connect(lambda number: found.append(("retry", number)))
    view.edit_requested.connect(lambda number: found.append(("edit", number)))
    view.rewrite_requested.connect(lambda number: found.append(("rewrite", number)))
    view.continue_requested.connect(lambda number: found.append(("continue", number)))
    view.fork_requested.connect(lambda number: found.append(("fork", number)))
    view.delete_requested.connect(lambda number: found.append(("delete", number)))
    view.version_requested.connect(lambda number: found.append(("version", number)))
    return found

"""With small and with large letters nothing in the window is cut off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message
from llamachat.ui.conversation_list import ConversationList
from llamachat.ui.labels import ElidedLabel
from tests.end2end.stage import NOWHERE, Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says


@pytest.fixture
def application(qapp: QApplication) -> Iterator[QApplication]:
    """The application, whose font is as before after the test."""
    before = QFont(qapp.font())
    yield qapp
    qapp.setFont(before)


def one_chat(paths: Paths) -> None:
    with Database.open(paths.database) as db:
        chat = create_conversation(db, title="A chat with a title that is rather long for the list of chats")
        add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content="Question?")


def cut_off(window: QWidget) -> list[str]:
    """What is lower than a line of its text, or a button narrower than its text asks for."""
    found = []
    for widget in window.findChildren(QWidget):
        if not isinstance(widget, QAbstractButton | QLabel | QLineEdit) or not widget.isVisible():
            continue
        text = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
        needed = widget.minimumSizeHint()
        low = bool(text) and widget.height() < widget.fontMetrics().height()
        narrow = isinstance(widget, QAbstractButton) and widget.width() < needed.width()
        if low or narrow or (widget.height() < needed.height() and not isinstance(widget, ElidedLabel)):
            found.append(f"{type(widget).__name__} {text!r} {widget.size().toTuple()} needs {needed.toTuple()}")
    return found


def see_a_chat(shown: Stage) -> None:
    shown.rest(0.1)
    assert cut_off(shown.window) == []
    rows, edit = shown.window.findChild(ConversationList), shown.window.page.composer.edit
    assert isinstance(rows, ConversationList)
    assert rows.sizeHintForRow(1) >= rows.fontMetrics().height()
    assert edit.viewport().height() >= edit.fontMetrics().height()


@pytest.mark.slow
@pytest.mark.parametrize("points", [8, 24])
def test_nothing_is_cut_off(qtbot: QtBot, application: QApplication, tmp_path: Path, points: int) -> None:
    font = application.font()
    font.setPointSize(points)
    application.setFont(font)
    with ScriptedLlama(says("Answer.")) as llama:
        config = f'base_url = "{llama.base_url}"\nsearch_enabled = true\nsearch_url = "{NOWHERE}"\n'
        with stage(tmp_path / "chat", config, before=one_chat) as shown:
            shown.window.notices.keep("x", "Something is to be said about this.", tone="warning")
            shown.ask("And now?")
            see_a_chat(shown)
            shown.window.sidebar.delete(1)
            see_a_chat(shown)
    with stage(tmp_path / "start", f'base_url = "{NOWHERE}"\n') as shown:
        shown.until(shown.window.start_page.isVisible)
        shown.rest(0.1)
        assert cut_off(shown.window) == []

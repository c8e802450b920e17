"""Long chats in the real window: older messages on demand, and a jump to one that is not loaded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message, load_branch
from llamachat.ui.opened_chat import FIRST_PAGE
from tests.end2end.stage import NOWHERE, Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says

MESSAGES = 90


def long_chat(paths: Paths) -> None:
    """One chat of many messages, and a short one after it."""
    with Database.open(paths.database) as db, db.transaction():
        chat, parent = create_conversation(db, title="Long"), None
        for number in range(MESSAGES):
            role = Role.ASSISTANT if number % 2 else Role.USER
            text = f"Paragraph {number} of many.\n\nword{number}x\n\nAnd more."
            parent = add_message(db, conversation_id=chat.id, parent_id=parent, role=role, content=text).id
        short = create_conversation(db, title="Short")
        add_message(db, conversation_id=short.id, parent_id=None, role=Role.USER, content="Hello.")


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    """A window with the chats."""
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=long_chat) as shown:
        yield shown


def text_of(shown: Stage) -> str:
    """What is loaded."""
    return shown.window.page.view.toPlainText()


def open_long(shown: Stage) -> int:
    """Open the long chat."""
    with shown.app.database() as db:
        number = next(chat.id for chat in list_conversations(db) if chat.title == "Long")
    shown.window.chat.open(number)
    shown.until(lambda: f"word{MESSAGES - 1}x" in text_of(shown))
    return number


def open_far_hit(shown: Stage) -> int:
    """Open the long chat, and from a search one of its first messages."""
    number = open_long(shown)
    with shown.app.database() as db:
        target = load_branch(db, number)[7]
    shown.window.chat.open(number, message_id=target.id)
    shown.until(lambda: "word7x" in text_of(shown))
    assert shown.window.page.view.has_newer
    return number


def test_a_chat_opens_at_its_end_with_its_last_messages(shown: Stage) -> None:
    open_long(shown)
    assert f"word{MESSAGES - FIRST_PAGE}x" in text_of(shown)
    assert f"word{MESSAGES - FIRST_PAGE - 1}x" not in text_of(shown)
    bar = shown.window.page.view.verticalScrollBar()
    assert bar.value() == bar.maximum()


def test_older_messages_come_when_the_reader_nears_the_top(shown: Stage) -> None:
    open_long(shown)
    bar = shown.window.page.view.verticalScrollBar()
    for _ in range(MESSAGES):
        bar.setValue(0)
        shown.rest(0.02)
        if "word0x" in text_of(shown):
            break
    positions = [text_of(shown).index(f"word{number}x") for number in range(MESSAGES)]
    assert positions == sorted(positions)


def test_a_hit_far_above_is_jumped_to(shown: Stage) -> None:
    open_long(shown)
    side = shown.window.sidebar
    side.field.setText("word7x")
    side.field.returnPressed.emit()
    shown.until(lambda: "word7x" in text_of(shown))
    view = shown.window.page.view
    top = view.cursorForPosition(view.viewport().rect().topLeft()).position()
    bottom = view.cursorForPosition(view.viewport().rect().bottomRight()).position()
    assert top <= text_of(shown).index("word7x") <= bottom
    assert f"word{7 + FIRST_PAGE}x" not in text_of(shown)


def test_newer_messages_come_when_the_reader_nears_the_bottom(shown: Stage) -> None:
    open_far_hit(shown)
    bar = shown.window.page.view.verticalScrollBar()
    for _ in range(MESSAGES):
        bar.setValue(bar.maximum())
        shown.rest(0.02)
        if f"word{MESSAGES - 1}x" in text_of(shown):
            break
    positions = [text_of(shown).index(f"word{number}x") for number in range(7, MESSAGES)]
    assert positions == sorted(positions)
    assert not shown.window.page.view.has_newer


def test_a_chat_that_shows_its_middle_is_shown_at_its_end_when_chosen_again(shown: Stage) -> None:
    number = open_far_hit(shown)
    shown.window.chat.open(number)
    shown.until(lambda: f"word{MESSAGES - 1}x" in text_of(shown))
    assert "word7x" not in text_of(shown)
    bar = shown.window.page.view.verticalScrollBar()
    assert bar.value() == bar.maximum()


def test_a_message_from_the_middle_of_a_chat_stands_at_its_end(qtbot: QtBot, tmp_path: Path) -> None:
    gate = threading.Event()
    with (
        ScriptedLlama([*says("Half of "), gate, *says("the answer.")]) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n', before=long_chat) as shown,
    ):
        open_far_hit(shown)
        shown.ask("And now?", wait=False)
        shown.until(lambda: "Half of" in text_of(shown))
        gate.set()
        shown.until(shown.idle)
        lines = [line for line in text_of(shown).splitlines() if line.strip()]
        assert f"word{MESSAGES - 1}x" in lines
        assert lines[lines.index("And now?") + 2] == "Half of the answer."
        assert "word7x" not in lines


def test_a_hit_in_the_chat_that_is_shown_needs_no_reading(shown: Stage) -> None:
    number = open_long(shown)
    with shown.app.database() as db:
        target = load_branch(db, number)[-20]
    bar = shown.window.page.view.verticalScrollBar()
    shown.window.chat.open(number, message_id=target.id)
    assert bar.value() < bar.maximum()


def test_a_hit_in_a_version_that_is_not_shown_shows_that_version(shown: Stage) -> None:
    with shown.app.database() as db:
        chat = next(chat for chat in list_conversations(db) if chat.title == "Short")
        hidden = add_message(
            db, conversation_id=chat.id, parent_id=chat.head_id, role=Role.ASSISTANT, content="The first answer."
        )
        add_message(
            db, conversation_id=chat.id, parent_id=chat.head_id, role=Role.ASSISTANT, content="The second answer."
        )
    shown.window.chat.open(chat.id)
    shown.until(lambda: "The second answer." in text_of(shown))
    shown.window.chat.open(chat.id, message_id=hidden.id)
    shown.until(lambda: "The first answer." in text_of(shown))
    assert "The second answer." not in text_of(shown)
    assert shown.window.notices.text("failure") == ""


def test_light_and_dark_follow_the_desktop(shown: Stage) -> None:
    hints, view = QGuiApplication.styleHints(), shown.window.page.view
    for scheme, dark in ((Qt.ColorScheme.Dark, True), (Qt.ColorScheme.Light, False)):
        hints.colorSchemeChanged.emit(scheme)  # as the desktop does
        assert (QGuiApplication.palette().window().color().lightness() < 128) is dark
        assert (view.grab().toImage().pixelColor(5, 5).lightness() < 128) is dark

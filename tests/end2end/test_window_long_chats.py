"""Chats of hundreds of long messages: their end is there at once, the rest when the reader goes up."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message
from llamachat.ui.opened_chat import FIRST_PAGE
from tests.end2end.stage import NOWHERE, Stage, stage

pytestmark = pytest.mark.slow

MESSAGES = 500
MIXED = (Path(__file__).parents[1] / "gallery" / "texts" / "mixed.md").read_text(encoding="utf-8")
LONG = MIXED * 6  # two megabytes in all


def two_long_chats(paths: Paths) -> None:
    with Database.open(paths.database) as db, db.transaction():
        for name in ("first", "second"):
            chat, parent = create_conversation(db, title=name), None
            for number in range(MESSAGES):
                role = (Role.USER, Role.ASSISTANT)[number % 2]
                content = LONG if number % 2 else f"{name} question {number}"
                parent = add_message(db, conversation_id=chat.id, parent_id=parent, role=role, content=content).id


def questions(shown: Stage) -> list[str]:
    """The questions that are loaded."""
    lines = shown.window.page.view.toPlainText().splitlines()
    return [line for line in lines if " question " in line]


def test_the_end_is_shown_and_the_rest_comes_when_the_reader_goes_up(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=two_long_chats) as shown:
        view, bar = shown.window.page.view, shown.window.page.view.verticalScrollBar()
        shown.window.chat.open(1)
        shown.until(lambda: questions(shown))
        assert questions(shown) == [f"first question {n}" for n in range(MESSAGES - FIRST_PAGE, MESSAGES, 2)]
        assert bar.value() == bar.maximum()
        for width in range(900, 500, -40):  # the border of the window is dragged
            shown.window.resize(width, 700)
            shown.rest(0.01)
        assert len(questions(shown)) == FIRST_PAGE // 2
        assert (bar.value(), view.horizontalScrollBar().maximum()) == (bar.maximum(), 0)
        bar.setValue(0)
        shown.until(lambda: len(questions(shown)) > FIRST_PAGE // 2)
        assert questions(shown)[0] == f"first question {MESSAGES - FIRST_PAGE - 10}"


def test_going_to_another_chat_ends_the_work_on_the_one_before(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=two_long_chats) as shown:
        for number in (1, 2, 1, 2):  # faster than they can be shown
            shown.window.chat.open(number)
        shown.until(lambda: any("second" in line for line in questions(shown)))
        shown.until(lambda: not any(timer.isActive() for timer in drawing_timers(shown)))
        assert questions(shown) == [f"second question {n}" for n in range(MESSAGES - FIRST_PAGE, MESSAGES, 2)]


def drawing_timers(shown: Stage) -> list[QTimer]:
    """What goes on drawing while nothing else is to be done."""
    return [timer for timer in shown.window.page.view.findChildren(QTimer) if timer.interval() == 0]

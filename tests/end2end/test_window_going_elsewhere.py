"""Going to another chat: the last click counts, what runs goes on, what is typed stays where it was typed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.core.conversation import is_temporary
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation, get_conversation, keep_draft
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message, load_branch
from tests.end2end.stage import NOWHERE, Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says


def two_chats(paths: Paths) -> None:
    """Chats 1 and 2, and something typed for a new one."""
    with Database.open(paths.database) as db:
        for title in ("One", "Two"):
            chat = create_conversation(db, title=title)
            add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=f"Text of {title}")
        keep_draft(db, None, "of yesterday")


def open_first(shown: Stage) -> None:
    shown.window.chat.open(1)
    shown.until(lambda: shown.window.chat.conversation_id == 1)


def draft(shown: Stage, number: int) -> str:
    with shown.app.database() as db:
        return getattr(get_conversation(db, number), "draft", "gone")


def test_who_clicks_another_chat_and_then_the_shown_one_again_stays_there(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=two_chats) as shown:
        open_first(shown)
        shown.window.chat.open(2)
        shown.window.chat.open(1)
        shown.rest(0.2)
        assert shown.window.chat.conversation_id == 1
        assert "Text of One" in shown.window.page.view.toPlainText()


@pytest.mark.slow
def test_a_chat_that_is_deleted_before_it_is_shown_stops_no_other_answer(qtbot: QtBot, tmp_path: Path) -> None:
    gate = threading.Event()
    with (
        ScriptedLlama([*says("Half "), gate, *says("done.")]) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n', before=two_chats) as shown,
    ):
        open_first(shown)
        shown.ask("More?", wait=False)
        shown.until(lambda: "Half" in shown.window.page.view.toPlainText())
        shown.window.chat.open(2)
        shown.window.sidebar.delete(2)
        gate.set()
        shown.until(lambda: not shown.window.turns.conversations())
        with shown.app.database() as db:
            assert load_branch(db, 1)[-1].content == "Half done."


def test_what_is_typed_while_a_temporary_chat_is_being_opened_is_kept(qtbot: QtBot, tmp_path: Path) -> None:
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=two_chats) as shown:
        open_first(shown)
        held = threading.Event()
        shown.window.actions_by_id["new-temporary"].trigger()
        assert shown.window.store.temporary
        shown.window.store.temporary.write(lambda _: held.wait(10))  # before it is read
        shown.rest(0.2)
        shown.window.page.composer.edit.insertPlainText("for One")
        held.set()
        shown.until(lambda: is_temporary(shown.window.chat.conversation_id))
        shown.until(lambda: draft(shown, 1) == "for One")
        assert shown.window.notices.text("failure") == ""


def test_what_is_typed_before_the_draft_is_read_stands_below_it(qtbot: QtBot, tmp_path: Path) -> None:
    made = Stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=two_chats)
    held = threading.Event()
    made.window.lanes.store.write(lambda _: held.wait(10))  # the store is slow
    made.window.begin()
    QTest.keyClicks(made.window.page.composer.edit, "quick")
    held.set()
    made.until(lambda: made.window.page.composer.text == "of yesterday\n\nquick")
    made.close()
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n') as shown:
        shown.until(lambda: shown.window.page.composer.text == "of yesterday\n\nquick")


@pytest.mark.slow
def test_what_is_typed_in_a_chat_that_was_left_and_opened_again_is_no_part_of_what_was_sent(
    qtbot: QtBot, tmp_path: Path
) -> None:
    with (
        ScriptedLlama(says("Well.")) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n', before=two_chats) as shown,
    ):
        open_first(shown)
        composer = shown.window.page.composer
        with shown.app.database() as db, db.transaction():
            composer.set_text("Sent?")
            composer.send.click()
            shown.window.chat.turns.leave()  # as going elsewhere and coming back does
            composer.hold(held=False)
            composer.set_text("Sent? And typed since.")
        shown.until(lambda: "Well." in shown.window.page.view.toPlainText())
        assert composer.text == "Sent? And typed since."

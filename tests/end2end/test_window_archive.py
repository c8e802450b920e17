"""A chat that was put away: found, opened from the archive, and back in the list with its next message."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation, get_conversation, set_archived
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message
from llamachat.ui.conversation_model import Listing
from tests.end2end.stage import stage
from tests.fakes.scripted_llama import ScriptedLlama, says


def one_archived_chat(paths: Paths) -> None:
    """Chat 1."""
    with Database.open(paths.database) as db:
        chat = create_conversation(db, title="Old tides")
        add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content="When is high water?")
        set_archived(db, chat.id, archived=True)


def test_writing_in_it_takes_it_out_of_the_archive(qtbot: QtBot, tmp_path: Path) -> None:
    with (
        ScriptedLlama(says("At noon.")) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n', before=one_archived_chat) as shown,
    ):
        side = shown.window.sidebar
        shown.be_in_front()
        side.control.show_listing(Listing(archived=True))
        shown.until(lambda: side.chats.rows.index_of(1).isValid())
        place = side.chats.visualRect(side.chats.rows.index_of(1)).center()
        QTest.mouseClick(side.chats.viewport(), Qt.MouseButton.LeftButton, pos=place)
        shown.until(lambda: shown.window.chat.conversation_id == 1)
        shown.ask("And today?")
        shown.until(lambda: not side.chats.rows.index_of(1).isValid())
        with shown.app.database() as db:
            chat = get_conversation(db, 1)
        assert chat is not None
        assert not chat.archived
        QTest.mouseClick(side.pane.all_button, Qt.MouseButton.LeftButton)
        shown.until(lambda: side.chats.rows.index_of(1).isValid())

"""What turns of a temporary chat send and remember: the prompt only grows, searches are remembered for it alone."""

from __future__ import annotations

import itertools
import json
import threading
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from llamachat.core.conversation import SearchMode, SystemPrompt
from llamachat.core.messages import StoredMessage
from llamachat.storage.conversations import list_conversations
from llamachat.storage.journal import list_journal
from llamachat.storage.messages import load_branch, load_messages
from tests.end2end.answered_places import AnsweredPlaces
from tests.end2end.stage import Stage, stage
from tests.end2end.test_window_temporary import begin, press
from tests.fakes.replay import answer, replay
from tests.fakes.scripted_llama import Piece, ScriptedLlama, says, searches
from tests.ui.printed import page_texts

pytestmark = pytest.mark.slow

RESULTS = {"results": [{"title": "Tides", "url": "https://tides.example/", "content": "Noon."}]}
FINDS = answer(200, {"Content-Type": "application/json"}, json.dumps(RESULTS).encode())


def last_answer(shown: Stage) -> StoredMessage:
    """The newest answer of the newest stored chat."""
    with shown.app.database() as db:
        return load_branch(db, list_conversations(db, limit=1)[0].id)[-1]


def test_what_was_said_is_sent_again_byte_for_byte_also_after_saving(qtbot: QtBot, tmp_path: Path) -> None:
    with (
        replay(FINDS) as searxng,
        ScriptedLlama(searches("high tide"), says("At noon [1]."), says("Two."), says("Three.")) as llama,
        stage(
            tmp_path / "p",
            f'base_url = "{llama.base_url}"\nsearch_enabled = true\nsearch_url = "{searxng.url}"\n'
            'prompt = "brief"\n[prompts.brief]\ntext = "Be brief."\n',
        ) as shown,
    ):
        begin(shown)
        shown.ask("When?")
        shown.ask("And?")
        shown.window.temporary.save()
        shown.until(lambda: (shown.window.chat.conversation_id or 0) > 0)
        shown.ask("So?")
        sent = [body["messages"] for body in llama.asked if "messages" in body]
        for before, after in itertools.pairwise(sent):
            assert isinstance(before, list)
            assert isinstance(after, list)
            assert json.dumps(after[: len(before)]) == json.dumps(before)
        assert len(sent) == 4


def test_what_it_searched_for_is_remembered_for_it_alone(qtbot: QtBot, tmp_path: Path) -> None:
    script = [searches("high tide"), says("One."), searches("high tide"), says("Two.")]
    with (
        replay(FINDS, FINDS, FINDS) as searxng,
        ScriptedLlama(*script, *script[:2]) as llama,
        stage(
            tmp_path / "p", f'base_url = "{llama.base_url}"\nsearch_enabled = true\nsearch_url = "{searxng.url}"\n'
        ) as shown,
    ):
        begin(shown)
        shown.ask("When?")
        shown.ask("Once more?")
        assert len(searxng.received) == 1
        shown.window.navigation.new_chat()
        press(shown, "Leave")
        shown.ask("When?")
        assert len(searxng.received) == 2
        (record,) = last_answer(shown).searches
        assert record.cached_age_s is None
        shown.app.journal.flush()
        with shown.app.database() as db:
            assert len(list_journal(db)) == 1


def test_it_begins_as_any_new_chat_does(qtbot: QtBot, tmp_path: Path) -> None:
    """And not with the model and the search mode of the chat that was shown before."""
    settings = 'prompt = "brief"\n[prompts.brief]\ntext = "Be brief."\n'
    with (
        ScriptedLlama(says("One.")) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n{settings}') as shown,
    ):
        shown.ask("Stored?")
        shown.window.page.composer.search.mode_chosen.emit(SearchMode.ALWAYS)
        shown.window.page.composer.search.set_mode(SearchMode.ALWAYS)
        begin(shown)
        shown.ask("When?")
        assert shown.window.page.composer.search.mode is SearchMode.AUTO
        assert shown.window.page.composer.prompt.prompt == SystemPrompt("brief", "Be brief.")
        assert llama.asked[-1]["messages"] == [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "When?"},
        ]
        shown.window.end()


def test_what_is_deleted_in_it_is_brought_back_in_it(qtbot: QtBot, tmp_path: Path) -> None:
    with (
        ScriptedLlama(says("One."), says("Two.")) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown,
    ):
        view = shown.window.page.view
        shown.ask("Stored?")
        assert view.last_id
        view.delete_requested.emit(view.last_id)
        shown.until(lambda: "One." not in view.toPlainText())
        begin(shown)
        shown.window.actions_by_id["undo-delete"].trigger()  # not that of the other chat
        shown.until(lambda: shown.window.notices.text("toast") == "Nothing is deleted.")
        shown.ask("When?")
        view.delete_requested.emit(view.last_id)
        shown.until(lambda: "Two." not in view.toPlainText())
        shown.window.actions_by_id["undo-delete"].trigger()
        shown.until(lambda: "Two." in view.toPlainText())
        shown.window.end()
        rows = shown.window.sidebar.chats.rows
        assert [rows.index(row).data() for row in range(rows.rowCount())][1:] == ["Stored?"]


def test_it_can_be_copied_exported_and_made_a_pdf(qtbot: QtBot, tmp_path: Path) -> None:
    with (
        ScriptedLlama(says("At noon.")) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown,
    ):
        begin(shown)
        shown.ask("When?")
        shown.window.actions_by_id["copy-chat"].trigger()
        shown.until(lambda: "At noon." in QGuiApplication.clipboard().text())
        exports = shown.window.taking_along.exports
        shown.window.taking_along.set_places(AnsweredPlaces(tmp_path / "kept.md"))
        shown.window.actions_by_id["export"].trigger()
        shown.until(lambda: exports.dialog)
        assert exports.dialog
        exports.dialog.export.click()
        shown.until(lambda: exports.dialog is None)
        assert "At noon." in (tmp_path / "kept.md").read_text(encoding="utf-8")
        shown.window.taking_along.set_places(AnsweredPlaces(tmp_path / "kept.pdf"))
        shown.window.actions_by_id["pdf"].trigger()
        shown.until((tmp_path / "kept.pdf").exists)
        shown.until(lambda: shown.window.taking_along.prints.dialog is None)
        assert "Atnoon." in "".join("".join(page_texts(tmp_path / "kept.pdf")).split())
        shown.window.end()
    texts = [path.read_bytes() for path in (tmp_path / "p").rglob("*") if path.is_file()]
    assert not [text for text in texts if b"At noon." in text]


def test_answers_are_stopped_continued_and_made_anew_in_it_and_all_are_kept(qtbot: QtBot, tmp_path: Path) -> None:
    gate = threading.Event()
    half: list[Piece] = [*says("Half "), gate, *says("never.")]
    with (
        ScriptedLlama(half, says("and whole."), says("Another.")) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown,
    ):
        view = shown.window.page.view
        begin(shown)
        shown.ask("When?", wait=False)
        shown.until(lambda: "Half" in view.toPlainText())
        shown.window.chat.turns.stop()
        gate.set()
        shown.until(shown.idle)
        first = view.last_id
        assert first
        view.continue_requested.emit(first)
        shown.until(lambda: "Half and whole." in view.toPlainText() and shown.idle())
        view.retry_requested.emit(first)
        shown.until(lambda: "Another." in view.toPlainText() and shown.idle())
        view.version_requested.emit(first)
        shown.until(lambda: "Half and whole." in view.toPlainText())
        shown.window.temporary.save()
        shown.until(lambda: (shown.window.chat.conversation_id or 0) > 0)
        assert "Half and whole." in view.toPlainText()
        with shown.app.database() as db:
            texts = [message.content for message in load_messages(db, shown.window.chat.conversation_id or 0)]
        assert texts == ["When?", "Half and whole.", "Another."]

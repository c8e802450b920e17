"""Typing, sending, stopping, taking back, leaving, deleting, restarting at random: no text is lost or doubled."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from llamachat.storage.conversations import NEW_CHAT_DRAFT, get_state, list_conversations
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says

ACTS = ("type", "stop", "take-back", "send-now", "open", "new", "delete", "rest")
WEIGHTS = (10, 1, 2, 2, 2, 1, 1, 4)


class Person:
    """Does anything at any time."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.typed: list[str] = []
        self.done: list[str] = []  # what was done, for the reader of a failure

    def act(self, shown: Stage) -> None:
        """Do one thing, and hardly wait."""
        (act,) = self._random.choices(ACTS, WEIGHTS)
        self.done.append(f"{act} in {shown.window.chat.conversation_id}: {shown.window.page.composer.text!r}")
        if act == "type":
            self._type(shown)
        elif act == "open":
            with shown.app.database() as db:
                chats = list_conversations(db)
            if chats:
                shown.window.chat.open(self._random.choice(chats).id)
        elif act == "new":
            shown.window.chat.new_chat()
        elif act == "delete":
            self._delete_and_undo(shown)
        elif act != "rest":
            shown.window.actions_by_id[act].trigger()
        shown.rest(self._random.choice((0, 0.005, 0.03, 0.15)))

    def _type(self, shown: Stage) -> None:
        edit = shown.window.page.composer.edit
        if edit.isReadOnly():
            return
        text = f"text-{len(self.typed)}-"
        self.typed.append(text)
        edit.setPlainText("\n\n".join(filter(None, (edit.toPlainText(), text))))
        if self._random.random() < 0.9:
            QTest.keyClick(edit, Qt.Key.Key_Return)

    def _delete_and_undo(self, shown: Stage) -> None:
        number, undo = shown.window.chat.conversation_id, shown.window.sidebar.undo
        if number is not None:
            shown.window.sidebar.delete(number)
            shown.rest(self._random.random() / 10)
            if undo.isVisible():
                undo.button.click()


def places_of(shown: Stage, text: str) -> list[str]:
    """Where a text stands in the store; also in chats that are deleted."""
    with shown.app.database() as db:
        asked = db.rows("SELECT content AS text FROM messages WHERE role = 'user'")
        waiting = db.rows("SELECT text FROM queued")
        drafts = [str(row["draft"]) for row in db.rows("SELECT draft FROM conversations")]
        drafts.append(get_state(db, NEW_CHAT_DRAFT) or "")
    found = ["asked" for row in asked if text in row["text"]] + ["waiting" for row in waiting if text in row["text"]]
    return found + ["draft" for draft in drafts if text in draft]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 22])  # these two have found faults
def test_whatever_is_done_each_text_is_in_one_place(qtbot: QtBot, tmp_path: Path, seed: int) -> None:
    person = Person(seed)
    with ScriptedLlama(says("Half of the answer.")) as llama:
        llama.slots = 2
        for _ in range(4):  # starts of the program
            with stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown:
                for _ in range(40):
                    person.act(shown)
                shown.until(lambda shown=shown: not shown.window.turns.conversations())  # type: ignore[misc]  # bound
                shown.rest(0.6)  # drafts are written after half a second
        with stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown:
            for text in person.typed:
                assert len(places_of(shown, text)) == 1, (text, places_of(shown, text), person.done)
    assert len(person.typed) > 30

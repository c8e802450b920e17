"""From which message on a conversation's prompt holds search results whole."""

from __future__ import annotations

from pathlib import Path

from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.kept_results import keep_results_from, results_kept_from


def test_it_is_kept_beside_other_settings_and_never_goes_back(tmp_path: Path) -> None:
    with Database.open(tmp_path / "history.db") as db:
        chat, other = create_conversation(db).id, create_conversation(db).id
        assert results_kept_from(db, chat) == 0
        db.write("UPDATE conversations SET settings = json_object('colour', 'blue') WHERE id = ?", (chat,))
        keep_results_from(db, chat, 7)
        keep_results_from(db, chat, 5)
        assert (results_kept_from(db, chat), results_kept_from(db, other)) == (7, 0)
        (settings,) = db.rows("SELECT settings FROM conversations WHERE id = ?", (chat,))
    assert settings[0] == '{"colour":"blue","results_kept_from":7}'


def test_a_chat_that_is_not_there_keeps_all(tmp_path: Path) -> None:
    with Database.open(tmp_path / "history.db") as db:
        assert results_kept_from(db, 99) == 0

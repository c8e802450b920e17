"""From which message on a conversation's prompt holds search results whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.storage.conversations import create_conversation, get_conversation
from llamachat.storage.database import Database
from llamachat.storage.kept_results import keep_results_from


def results_kept_from(db: Database, conversation_id: int) -> int:
    """As the conversation says."""
    conversation = get_conversation(db, conversation_id)
    assert conversation is not None
    return conversation.results_kept_from


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


@pytest.mark.parametrize(
    "settings", [None, "{", "[]", '{"results_kept_from": "seven"}', '{"results_kept_from": null}']
)
def test_where_it_cannot_be_read_all_results_are_whole(tmp_path: Path, settings: str | None) -> None:
    with Database.open(tmp_path / "history.db") as db:
        chat = create_conversation(db).id
        db.write("UPDATE conversations SET settings = ? WHERE id = ?", (settings, chat))
        assert results_kept_from(db, chat) == 0

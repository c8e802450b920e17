"""The history of the benchmark is what its figures speak of."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from tests.bench.history import FIGURES, measure
from tests.bench.history_store import LONG_CHAT, make_history
from tests.bench.history_texts import Texts
from tests.bench.history_turns import RATES, storing


@pytest.mark.slow
def test_a_history_has_so_many_messages_in_so_many_chats_and_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    make_history(path, messages=2400, chats=31, texts=Texts(1))
    with Database.open(path, check=True) as db:
        chats = db.rows("SELECT conversation_id AS id, count(*) AS n FROM messages GROUP BY 1 ORDER BY 1")
        assert [row["id"] for row in chats] == list(range(1, 32))
        assert [row["n"] for row in chats[:1]] == [LONG_CHAT]
        assert {row["n"] for row in chats[1:]} == {13, 14}
        assert all(len(load_branch(db, row["id"])) == row["n"] for row in chats)
    figures = measure(path, Texts(1), only={*FIGURES} - {"storing", "long_list"})  # the list needs Qt
    assert {*figures, "storing", "long_list"} == {*FIGURES}
    assert all(figure.bars for figure in figures.values())
    with Database.open(path, check=True) as db:
        assert len(db.rows("SELECT id FROM conversations")) == 31


@pytest.mark.slow
def test_turns_are_stored_while_they_are_timed(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    Database.open(path).close()
    figure = storing(path, turn_s=0.5)
    with Database.open(path) as db:
        assert db.rows("SELECT seq FROM sqlite_sequence WHERE name = 'messages'")[0]["seq"] == 2 * len(RATES)
        assert db.rows("SELECT id FROM messages") == []
    assert len(figure.bars) == len(RATES)
    assert all(0 < bar.value < 1 for bar in figure.bars)

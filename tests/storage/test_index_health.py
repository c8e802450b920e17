"""Looking samples up in the index at the start: healthy ones are known as such, at a cost that no text can raise."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from llamachat.storage.database import Database
from llamachat.storage.index_health import sample_is_found
from tests.storage.stories import add_chat

SHORT = "the salt and the pepper"


@pytest.mark.parametrize(
    "text",
    [
        SHORT,
        "q" * 1000,
        "q" * 1001,
        "q" * 999 + " end",
        "word " * 199 + "camelCaseNames and more",
        "word " * 199 + "塩と胡椒の話をする and more",
        "塩と胡椒の話をする" * 200,
        "\n\n" + "Größe\u0301 naïve " * 100,
        " " * 1200 + "far",
        "\u3000".join(["塩", "胡椒"] * 600),
    ],
    ids=range(10),
)
def test_a_healthy_index_is_not_made_anew(path: Path, text: str) -> None:
    with Database.open(path) as db:
        add_chat(db, text, SHORT, title=text)
    with Database.open(path, check=True) as db:
        assert db.rows("SELECT * FROM index_queue") == []


def cost_s(path: Path, text: str) -> float:
    """CPU seconds of looking at an index of one message: the best of three."""
    with Database.open(path) as db:
        add_chat(db, text)
        spent = []
        for _ in range(3):
            began = time.process_time()
            assert sample_is_found(db.connection)
            spent.append(time.process_time() - began)
    return min(spent)


def test_a_long_message_costs_no_more_than_a_short_one(tmp_path: Path) -> None:
    short = cost_s(tmp_path / "short.db", "word and next. " * 66)
    long = cost_s(tmp_path / "long.db", "word and next. " * 20_000)
    assert long < 20 * short  # it was 1,000 times as much

"""The program, killed in any of its acts, and whether that is noticed where an act leaves something half done."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from llamachat.storage.conversations import rename_conversation
from tests.kills.care_acts import OPENING
from tests.kills.checks import start_again
from tests.kills.killing import BEFORE, Aim, kill
from tests.kills.play import Act, Play
from tests.kills.rehearsal import rehearse
from tests.kills.rounds import outcome
from tests.kills.turn_acts import TURN_ACTS

ROOT = Path(__file__).resolve().parent.parent.parent
ASK = TURN_ACTS[0]
NEVER = Aim(BEFORE, number=1_000_000)  # at the end of the act, that is


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_wherever_it_is_killed_what_was_done_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "tests.kills", "--kills", "100", "--seed", str(Random().randrange(1_000_000))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    with capsys.disabled():
        print(f"\n{done.stdout}{done.stderr}")
    assert done.returncode == 0
    last = next(line for line in done.stdout.splitlines() if line.startswith("in all"))
    *falls, total = map(int, last.removeprefix("in all").split())
    assert total == sum(falls) == 100
    assert min(falls) >= 1


def test_an_act_that_another_may_see_half_done_is_found(tmp_path: Path) -> None:
    def rename_twice(play: Play) -> None:
        chat = play.chat()
        assert chat is not None
        rename_conversation(play.db, chat, "first")
        rename_conversation(play.db, chat, "second")

    rehearsal = rehearse(tmp_path / "llamachat.db", [OPENING, ASK, Act("rename twice", rename_twice)], "s")
    assert [state.tables["conversations"][0][2] for state in rehearsal.states][1:] == ["first", "second"]


def test_a_lost_row_is_found(tmp_path: Path) -> None:
    path, plan = tmp_path / "llamachat.db", [OPENING, ASK]
    rehearsal = rehearse(tmp_path / "copy.db", plan, "s")
    kill(path, plan, "s", NEVER)
    found, _ = start_again(path)
    assert outcome(rehearsal, found, ASK) == "there"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE conversations SET head_id = NULL")
        connection.execute("DELETE FROM messages WHERE role = 'assistant'")
        connection.execute("UPDATE conversations SET head_id = (SELECT max(id) FROM messages)")
    found, _ = start_again(path)
    with pytest.raises(AssertionError, match="half done"):
        outcome(rehearsal, found, ASK)


def test_a_word_too_many_in_the_index_is_found(tmp_path: Path) -> None:
    path = tmp_path / "llamachat.db"
    kill(path, [OPENING, ASK], "s", NEVER)
    start_again(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO messages_fts (rowid, words) VALUES (1, 'hornet')")
    with pytest.raises(AssertionError, match="messages_fts"):
        start_again(path)

"""Ten threads and two processes write for ten seconds while chats are imported: no row is lost, none has to wait."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from tests.fakes.many_writers import write_for

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 10


@pytest.mark.slow
def test_thirteen_writers_lose_no_row_and_see_no_lock(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "tests.fakes.many_writers", str(path), str(SECONDS), "1"]
    processes = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    ours = write_for(path, SECONDS, 10, importing=True)
    theirs = [json.loads(process.communicate()[0]) for process in processes]
    with capsys.disabled():
        print(f"\nten threads and an import: {ours}; two processes: {theirs}")
    assert ours.errors == []
    assert [outcome["errors"] for outcome in theirs] == [[], []]
    chats = ours.chats + sum(outcome["chats"] for outcome in theirs)
    with Database.open(path, check=True) as db:
        (written,) = db.rows("SELECT count(*) AS n FROM conversations WHERE title = 'bee'")
        (imported,) = db.rows("SELECT count(*) AS n FROM messages WHERE content = 'hornet' AND deleted_at IS NULL")
        (whole,) = db.rows("SELECT count(*) AS n FROM messages WHERE content IN ('bee', 'wasp wasp wasp ')")
        assert (written["n"], whole["n"]) == (chats, 2 * chats)
        assert imported["n"] == 2 * ours.imported > 0
        assert db.rows("SELECT id FROM arriving") == []
        assert len(search_history(db, '"wasp wasp wasp"', limit=chats + 1)) == chats
        assert db.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"

"""An update of an old database that is killed at any statement is done again at the next start, with all content."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from llamachat.storage.database import Database
from llamachat.storage.fulltext import IndexRebuilding, search_history
from llamachat.storage.migrations import LATEST, schema_version
from tests.storage.test_migrations import content
from tests.storage.version_dumps import load_version

ROOT = Path(__file__).resolve().parent.parent.parent


def everything(path: Path) -> tuple[object, ...]:
    """The schema, all rows, and what a search finds, after the next start."""
    with Database.open(path, check=True) as db:
        assert db.report.damaged is None
        assert schema_version(db.connection) == LATEST
        assert db.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"
        with suppress(IndexRebuilding):
            search_history(db, "bee")
        return content(db.connection), search_history(db, "insect"), search_history(db, "蜜")


@pytest.mark.slow
@pytest.mark.parametrize("version", range(1, LATEST))
def test_an_update_that_is_killed_at_any_statement_starts_again_cleanly(tmp_path: Path, version: int) -> None:
    source, folder = tmp_path / "llamachat.db", tmp_path / "kills"
    load_version(version, source)
    folder.mkdir()
    command = [sys.executable, "-m", "tests.fakes.killed_opening", str(source), str(folder)]
    subprocess.run(command, cwd=ROOT, check=True)
    states = sorted((file for file in folder.glob("*/llamachat.db")), key=lambda file: int(file.parent.name))
    updated = everything(source)
    for state in states:
        assert everything(state) == updated, state
        assert list(state.parent.glob("*.part")) == []
    assert len(states) > 3 * (LATEST - version)
